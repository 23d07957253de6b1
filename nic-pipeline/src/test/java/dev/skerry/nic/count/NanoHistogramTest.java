package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.TreeMap;

final class NanoHistogramTest {
    @Test
    void shouldBeExactBelowItsLimitAndNearAboveItUpToTheLargestLong() {
        final Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            final long ns = i < 600 ? i : i == 600 ? Long.MAX_VALUE : random.nextLong() >>> 1 + random.nextInt(63);
            final NanoHistogram histogram = new NanoHistogram();
            histogram.record(ns);
            final long shown = shown(histogram).firstKey();
            assertTrue(Math.abs(shown - ns) <= (ns < 512 ? 0 : ns / 256), "seed 3 ns=" + ns + " shown=" + shown);
        }
    }

    /** Against a map that keeps the same values: readings at random moments add up to all that was counted. */
    @Test
    void shouldGiveEachDurationToOneInterval() {
        for (long seed = 0; seed < 20; seed++) {
            final Random random = new Random(seed);
            final NanoHistogram counted = new NanoHistogram();
            final NanoHistogram before = new NanoHistogram();
            final NanoHistogram added = new NanoHistogram();
            NanoHistogram between = new NanoHistogram();
            for (int i = 0; i < 2_000; i++) {
                final long ns = random.nextLong() >>> 1 + random.nextInt(63);
                counted.record(ns);
                between.record(ns);
                if (random.nextInt(50) == 0 || i == 1_999) {
                    final NanoHistogram one = new NanoHistogram();
                    final NanoHistogram.Interval interval = counted.since(before);
                    one.add(interval);
                    added.add(interval);
                    assertEquals(shown(between), shown(one), "seed " + seed);
                    between = new NanoHistogram();
                }
            }
            assertEquals(shown(counted), shown(added), "seed " + seed);
            assertEquals(2_000, shown(added).values().stream().mapToLong(count -> count).sum(), "seed " + seed);
        }
    }

    /** Against a sorted list, within a step; what is taken away again leaves no trace. */
    @Test
    void shouldFindQuantiles() {
        for (long seed = 0; seed < 20; seed++) {
            final Random random = new Random(seed);
            final long[] all = random.longs(1_000, 0, 1L << 1 + random.nextInt(40)).sorted().toArray();
            final NanoHistogram histogram = new NanoHistogram();
            final NanoHistogram more = new NanoHistogram();
            for (final long ns : all) {
                histogram.record(ns);
                more.record(ns / 3);
            }
            final NanoHistogram.Interval interval = more.since(new NanoHistogram());
            histogram.add(interval);
            histogram.subtract(interval);
            for (final double share : new double[] {0.001, 0.5, 0.99, 1}) {
                final long exact = all[(int) Math.ceil(share * all.length) - 1];
                final long shown = histogram.valueAt(share);
                assertTrue(Math.abs(shown - exact) <= exact / 256, "seed " + seed + " share=" + share
                    + " exact=" + exact + " shown=" + shown);
            }
        }
        assertEquals(0, new NanoHistogram().valueAt(1));
    }

    private static TreeMap<Long, Long> shown(final NanoHistogram histogram) {
        final TreeMap<Long, Long> shown = new TreeMap<>();
        histogram.forEach((ns, count) -> {
            assertTrue(shown.isEmpty() || shown.lastKey() < ns, "ascending");
            shown.put(ns, count);
        });
        return shown;
    }
}
