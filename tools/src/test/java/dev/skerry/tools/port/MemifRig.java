package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Helpers for tests of ports. */
final class MemifRig {
    /** Descriptors are steady after this number of equal consecutive readings. */
    private static final int STEADY_READINGS = 3;
    private static final int MOST_READINGS = 2000;
    private static final long READING_NS = 5_000_000;

    private MemifRig() {
    }

    static MemifPort open(final Path socket, final String rest) {
        return MemifPort.open(address(socket, rest));
    }

    static MemifAddress address(final Object socket, final String rest) {
        return MemifAddress.parse("memif:" + socket + "," + rest);
    }

    /** A burst of packets of these lengths, each with the bytes of its number. */
    static PacketBurst burst(final Arena arena, final int... lengths) {
        final PacketBurst burst = new PacketBurst(arena, lengths.length, Arrays.stream(lengths).max().orElseThrow());
        for (int packet = 0; packet < lengths.length; packet++) {
            fill(burst, lengths[packet], packet);
        }
        return burst;
    }

    static byte[] bytes(final PacketBurst burst, final int packet) {
        return burst.bytes().asSlice(burst.offset(packet), burst.length(packet)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Polls ports until a condition holds. Only the test's time limit, which interrupts it, bounds the wait. */
    static void until(final BooleanSupplier condition, final MemifPort... ports) {
        while (!condition.getAsBoolean()) {
            boolean worked = false;
            for (final MemifPort port : ports) {
                worked |= port.poll(System.nanoTime()) > 0;
            }
            if (Thread.interrupted()) {
                giveUp(ports);
            }
            if (!worked) {
                Thread.yield();
            }
        }
    }

    /** Prints the state of the ports, because the report of a timeout does not. */
    private static void giveUp(final MemifPort... ports) {
        final StringBuilder text = new StringBuilder("it never happened:");
        for (final MemifPort port : ports) {
            text.append(' ').append(port.address()).append(" up=").append(port.isUp()).append(' ')
                .append(port.counts()).append(' ').append(port.lastReason());
        }
        System.err.println(text);
        fail(text.toString());
    }

    static void up(final MemifPort... ports) {
        for (final MemifPort port : ports) {
            until(port::isUp, ports);
        }
    }

    /** Appends a packet whose bytes are a function of a seed. */
    static void fill(final PacketBurst burst, final int length, final long seed) {
        final long place = burst.place();
        for (int i = 0; i < length; i++) {
            burst.bytes().set(ValueLayout.JAVA_BYTE, place + i, (byte) (seed * 31 + i * 7L + (i >> 8)));
        }
        burst.add(length);
    }

    /** Checks that a packet has the bytes of a seed. */
    static void verify(final PacketBurst burst, final int packet, final int length, final long seed) {
        assertEquals(length, burst.length(packet), "packet " + packet);
        for (int i = 0; i < length; i++) {
            final byte found = burst.bytes().get(ValueLayout.JAVA_BYTE, burst.offset(packet) + i);
            if (found != (byte) (seed * 31 + i * 7L + (i >> 8))) {
                fail("packet " + packet + " byte " + i + " seed " + seed + " is " + found);
            }
        }
    }

    /**
     * Descriptors of this process for sockets, memory files and events, as number and target, once they have been
     * steady for a while. Another thread may still close descriptors of the test before.
     */
    private static Set<String> descriptors() {
        Set<String> last = readDescriptors();
        int same = 0;
        for (int reading = 0; reading < MOST_READINGS; reading++) {
            LockSupport.parkNanos(READING_NS);
            final Set<String> now = readDescriptors();
            same = now.equals(last) ? same + 1 : 0;
            if (same == STEADY_READINGS) {
                return now;
            }
            last = now;
        }
        return fail("descriptors come and go, something else is still at work: " + last);
    }

    private static Set<String> readDescriptors() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            final Set<String> open = new TreeSet<>();
            all.forEach(fd -> {
                try {
                    final String target = Files.readSymbolicLink(fd).toString();
                    if (target.startsWith("socket:") || target.contains("memfd") || target.contains("event")) {
                        open.add(fd.getFileName() + " " + target);
                    }
                } catch (final IOException e) {
                    // The descriptor was closed meanwhile, as is the listing's own.
                }
            });
            return open;
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long mappings() {
        try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
            return all.filter(line -> line.contains("memfd:")).count();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Checks that a test leaks no descriptor and no mapping of a memory file, and closes none of another owner. */
    static final class NothingLeft implements BeforeEachCallback, AfterEachCallback {
        private Set<String> descriptors;
        private long mappings;

        @Override
        public void beforeEach(final ExtensionContext context) {
            descriptors = descriptors();
            mappings = mappings();
        }

        @Override
        public void afterEach(final ExtensionContext context) {
            assertEquals(descriptors, readDescriptors(), "descriptors");
            assertEquals(mappings, mappings(), "mappings");
        }
    }
}
