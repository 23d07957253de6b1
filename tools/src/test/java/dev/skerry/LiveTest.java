package dev.skerry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class LiveTest {
    private static final int THREADS = 3;
    private static final int PACKETS = 4_000;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @TempDir
    static Path folder;

    private static Stream<FabricBuilder<?>> fabrics() {
        return Stream.of(Shale.nodes(9), Shoal.nodes(8), Stardust.nodes(16));
    }

    private static <B extends FabricBuilder<B>> B quick(final FabricBuilder<B> fabric) {
        return fabric.threads(1).set("warm-up", 0).set("dir", folder);
    }

    /** Packets of three threads cross a port of 64 packets; each thread's arrive whole and in their order. */
    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldCarryPacketsOfSeveralThreads(final FabricBuilder<?> fabric) throws InterruptedException {
        try (QueuePort in = new QueuePort(0, 64, 256); QueuePort out = new QueuePort(5, 64, 256);
            Live live = quick(fabric).set("map", "0:5,5:0").live(in, out)) {
            final Thread[] senders = IntStream.range(0, THREADS).mapToObj(thread -> new Thread(() -> {
                for (int packet = 0; packet < PACKETS; packet++) {
                    final byte[] frame = new byte[64 + (packet + thread) % 192];
                    frame[14] = (byte) thread;
                    frame[15] = (byte) (packet >> 8);
                    frame[16] = (byte) packet;
                    while (!in.offer(frame, 0, frame.length)) {
                        Thread.yield();
                    }
                }
            })).toArray(Thread[]::new);
            Stream.of(senders).forEach(Thread::start);
            final int[] next = new int[THREADS];
            int received = 0;
            while (received < THREADS * PACKETS) {
                final int some = out.poll((bytes, offset, length) -> {
                    final int thread = bytes.get(ValueLayout.JAVA_BYTE, offset + 14);
                    final int packet = (bytes.get(ValueLayout.JAVA_BYTE, offset + 15) & 0xff) << 8
                        | bytes.get(ValueLayout.JAVA_BYTE, offset + 16) & 0xff;
                    assertEquals(next[thread]++, packet);
                    assertEquals(64 + (packet + thread) % 192, length);
                }, 16);
                received += some;
                if (some == 0) {
                    Thread.yield();
                }
            }
            for (final Thread sender : senders) {
                sender.join();
            }
            assertTrue(live.isRunning());
            assertEquals(0, out.poll(new byte[256]));
            assertTrue(live.stop().contains("packets in + copies = packets out + dropped + lost + 0 held: yes"));
            assertFalse(live.isRunning());
        }
    }

    @Test
    void shouldEndWithItsPorts() throws InterruptedException {
        try (QueuePort in = new QueuePort(2); QueuePort out = new QueuePort(3);
            Live live = quick(Shoal.nodes(8)).set("map", "2:3,3:2").live(in, out)) {
            assertTrue(in.offer(new byte[60], 0, 60));
            in.end();
            out.end();
            while (live.isRunning()) {
                Thread.sleep(1);
            }
            assertEquals(60, out.poll(new byte[60]));
            assertTrue(live.stop().contains("0 held: yes"));
        }
    }

    /** A port that nobody polls fills up, and so does the one that sends to it, without a loss. */
    @Test
    void shouldHoldBackSenders() {
        try (QueuePort in = new QueuePort(0, 8, 64); QueuePort out = new QueuePort(1, 8, 64);
            Live live = quick(Shoal.nodes(8)).set("map", "0:1,1:0").set("stall-ms", 1e9).live(in, out)) {
            long offered = 0;
            long fullSince = System.nanoTime();
            while (offered < 100 || System.nanoTime() - fullSince < 100_000_000) {
                final byte[] frame = new byte[64];
                MemorySegment.ofArray(frame).set(LONG, 20, offered);
                if (in.offer(frame, 0, 64)) {
                    offered++;
                    fullSince = System.nanoTime();
                }
            }
            final long[] next = new long[1];
            while (next[0] < offered) {
                out.poll((bytes, offset, length) -> assertEquals(next[0]++, bytes.get(LONG, offset + 20)), 100);
            }
            assertTrue(live.stop().contains("0 held: yes"));
        }
    }

    @Test
    void shouldRefuseWrongSettings() {
        try (QueuePort in = new QueuePort(0); QueuePort other = new QueuePort(0); QueuePort out = new QueuePort(9)) {
            assertTrue(refused(() -> quick(Shoal.nodes(8)).live(in, out)).contains("there is no node 9"));
            assertTrue(refused(() -> quick(Shoal.nodes(8)).live(in, other)).contains("node 0 already has a port"));
            assertTrue(refused(() -> quick(Shoal.nodes(10)).set("mtu", 5).live(in, out)).startsWith("skerry: --mtu"));
            assertTrue(refused(() -> in.offer(new byte[2000], 0, 2000)).contains("length"));
        }
        assertTrue(refused(() -> new QueuePort(0, 7, 64)).contains("packets=7"));
    }

    private static String refused(final Runnable action) {
        return assertThrows(IllegalArgumentException.class, action::run).getMessage();
    }
}
