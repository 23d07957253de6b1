package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.skerry.dataplane.port.PacketBurst;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** What tests of ports share. */
final class MemifRig {
    private static final long PATIENCE_NS = 20_000_000_000L;

    private MemifRig() {
    }

    static MemifPort open(final Path socket, final String rest) {
        return MemifPort.open(MemifAddress.parse("memif:" + socket + "," + rest));
    }

    /** Polls ports until something is so. */
    static void until(final BooleanSupplier condition, final MemifPort... ports) {
        final long end = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            boolean worked = false;
            for (final MemifPort port : ports) {
                worked |= port.poll(System.nanoTime()) > 0;
            }
            if (System.nanoTime() > end) {
                final StringBuilder text = new StringBuilder("it did not happen in time:");
                for (final MemifPort port : ports) {
                    text.append(' ').append(port.address()).append(" up=").append(port.isUp()).append(' ')
                        .append(port.counts()).append(' ').append(port.lastReason());
                }
                fail(text.toString());
            }
            if (!worked) {
                Thread.yield();
            }
        }
    }

    static void up(final MemifPort... ports) {
        for (final MemifPort port : ports) {
            until(port::isUp, ports);
        }
    }

    /** Appends a packet whose bytes follow from a seed. */
    static void fill(final PacketBurst burst, final int length, final long seed) {
        final long place = burst.place();
        for (int i = 0; i < length; i++) {
            burst.bytes().set(ValueLayout.JAVA_BYTE, place + i, (byte) (seed * 31 + i * 7L + (i >> 8)));
        }
        burst.add(length);
    }

    /** Checks that a packet is the one of a seed. */
    static void verify(final PacketBurst burst, final int packet, final int length, final long seed) {
        assertEquals(length, burst.length(packet), "packet " + packet);
        for (int i = 0; i < length; i++) {
            final byte found = burst.bytes().get(ValueLayout.JAVA_BYTE, burst.offset(packet) + i);
            if (found != (byte) (seed * 31 + i * 7L + (i >> 8))) {
                fail("packet " + packet + " byte " + i + " seed " + seed + " is " + found);
            }
        }
    }

    /** Descriptors of this process for sockets, memory files and events. */
    static long descriptors() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(fd -> {
                try {
                    final String target = Files.readSymbolicLink(fd).toString();
                    return target.startsWith("socket:") || target.contains("memfd") || target.contains("event");
                } catch (final IOException e) {
                    return false;
                }
            }).count();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** None leaked; fewer than before are those that a test before this one closed late. */
    static void assertNoMoreDescriptors(final long before) {
        final long now = descriptors();
        assertTrue(now <= before, "descriptors: before=" + before + " now=" + now);
    }

    /** Memory files mapped by this process. */
    static long mappings() {
        try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
            return all.filter(line -> line.contains("memfd:")).count();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
