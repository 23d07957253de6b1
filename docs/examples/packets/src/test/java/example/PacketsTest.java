package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.Live;
import dev.skerry.QueuePort;
import dev.skerry.Shoal;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Packets of a program across a Shoal fabric of eight nodes: one thread sends them, and receives them in order. */
final class PacketsTest {
    private static final int PACKETS = 2_000_000;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;

    private long received;

    @Test
    void shouldCarryPacketsInOrder() {
        try (QueuePort from = new QueuePort(0); QueuePort to = new QueuePort(5); Arena arena = Arena.ofConfined();
            // A packet of 64 bytes and its length need two cells of 64 bytes, and a port sends one cell per slot.
            Live live = Shoal.nodes(8).cellBytes(128).set("map", "0:5,5:0").live(from, to)) {
            final MemorySegment frame = arena.allocate(64);
            final long start = System.nanoTime();
            long sent = 0;
            while (received < PACKETS) {
                frame.set(NUMBER, 14, sent);
                if (sent < PACKETS && from.offer(frame, 0, 64)) {
                    sent++;
                } else if (to.poll(this::onPacket, 64) == 0) {
                    Thread.onSpinWait();
                }
            }
            System.out.printf("%,.0f packets a second%n", PACKETS * 1e9 / (System.nanoTime() - start));
            assertTrue(live.stop().contains("0 held: yes"));
        }
    }

    private void onPacket(final MemorySegment bytes, final long offset, final int length) {
        assertEquals(received++, bytes.get(NUMBER, offset + 14));
    }
}
