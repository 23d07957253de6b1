package dev.skerry.tools.roofline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.CacheLines;
import org.junit.jupiter.api.Test;

final class LineProbeTest {
    private static final int LINES = 256;
    private static final long BYTES = LINES * 64L;

    /** A line holds its number plus its number of touches; a read returns the value after the touch. */
    @Test
    void shouldTouchTheStreamedLinesInOrder() {
        try (LineProbe probe = new LineProbe(BYTES, new CacheLines(16, 0))) {
            assertEquals(sum(0, 64, 1), probe.touch(64));
            assertEquals(sum(64, 192, 1), probe.touch(128));
            assertEquals(sum(192, 256, 1), probe.touch(64));
            assertEquals(sum(0, 64, 2), probe.touch(64));
        }
    }

    @Test
    void shouldTouchScatteredLinesWithinItsMemory() {
        try (LineProbe probe = new LineProbe(BYTES, new CacheLines(8, 24))) {
            long last = probe.touch(64);
            for (int round = 0; round < 1_000; round++) {
                final long now = probe.touch(64);
                assertTrue(now > 0 && last > 0, "round=" + round);
                last = now;
            }
            // 1,001 blocks of 32 + 96 touches over 256 lines: about 500 touches per line, on top of its number.
            assertEquals(128 * (127.5 + 500.5), last, 128 * 100);
        }
    }

    @Test
    void shouldSayWhatALineCosts() {
        final LineCost cost = LineProbe.cost(1 << 20);
        assertTrue(cost.streamedNs() > 0 && cost.streamedNs() < 10_000, cost.toString());
        assertTrue(cost.scatteredNs() > 0 && cost.scatteredNs() < 10_000, cost.toString());
    }

    private static long sum(final int from, final int to, final int touches) {
        return (long) (from + to - 1) * (to - from) / 2 + (long) (to - from) * touches;
    }
}
