package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;

/** Every bucket of small fabrics, reasons added and removed at random, against the hashed form. */
final class CountedActiveBucketsModelTest {
    private static final int STEPS = 20_000;

    @ParameterizedTest
    @CsvSource({"1, 1, 40", "2, 2, 8", "3, 3, 4", "4, 5, 2", "5, 8, 2"})
    void shouldCountAsTheHashedFormDoes(final long seed, final int phases, final int radix) {
        final Random random = new Random(seed);
        final Phased schedule = new Phased(phases, radix);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), CongestionControl.HBH, 1, 1, 0, seed);
        final int[][] reasons = new int[nodes][nodes * 8];
        try (Arena arena = Arena.ofConfined()) {
            final ActiveBuckets counted = new CountedActiveBuckets(arena, shale, nodes);
            final ActiveBuckets hashed = new HashedActiveBuckets(arena, nodes, 16);
            for (int step = 0; step < STEPS; step++) {
                final int node = random.nextInt(nodes);
                final int bucket = Route.bucket(random.nextInt(nodes), random.nextInt(phases));
                if (reasons[node][bucket] > 0 && random.nextBoolean()) {
                    reasons[node][bucket]--;
                    counted.remove(node, bucket);
                    hashed.remove(node, bucket);
                } else {
                    reasons[node][bucket]++;
                    counted.add(node, bucket, 1);
                    hashed.add(node, bucket, 1);
                }
                final String where = "seed=" + seed + " step=" + step;
                assertEquals(hashed.active(node), counted.active(node), where);
                assertEquals(hashed.maxActive(node), counted.maxActive(node), where);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "3, 2"})
    void shouldCountOnPastAByte(final long seed, final int how) {
        final Random random = new Random(seed);
        final Phased schedule = new Phased(2, 4);
        final int nodes = schedule.nodes();
        final Shale shale = new Shale(schedule, Population.complete(schedule), CongestionControl.HBH, 1, 1, 0, seed);
        final int[][] reasons = new int[nodes][nodes * 8];
        try (Arena arena = Arena.ofConfined()) {
            final ActiveBuckets counted = new CountedActiveBuckets(arena, shale, nodes);
            for (int step = 0; step < 1_000; step++) {
                final int[] buckets = new int[CellBatch.CELLS];
                for (int node = 0; node < nodes; node++) {
                    buckets[node] = Route.bucket(random.nextInt(3), 1);
                    reasons[node][buckets[node]]++;
                }
                add(counted, how, nodes, buckets);
                assertActive(reasons, counted, "seed=" + seed + " step=" + step);
            }
            // A count cut to a byte would be inactive too early or too late.
            for (int bucket = 0; bucket < reasons[0].length; bucket++) {
                final int[] buckets = new int[CellBatch.CELLS];
                Arrays.fill(buckets, bucket);
                for (long which = having(reasons, bucket); which != 0; which = having(reasons, bucket)) {
                    counted.remove(0, which, buckets);
                    for (long rest = which; rest != 0; rest &= rest - 1) {
                        reasons[Long.numberOfTrailingZeros(rest)][bucket]--;
                    }
                    assertActive(reasons, counted, "seed=" + seed + " bucket=" + bucket);
                }
            }
            assertEquals(3, counted.maxActive(0), "seed=" + seed);
        }
    }

    private static void add(final ActiveBuckets counted, final int how, final int nodes, final int[] buckets) {
        if (how == 0) {
            for (int node = 0; node < nodes; node++) {
                counted.add(node, buckets[node], 1);
            }
        } else if (how == 1) {
            counted.add(0, -1L >>> -nodes, buckets);
        } else {
            final CellBatch joined = new CellBatch();
            for (int node = 0; node < nodes; node++) {
                joined.add(node, 0, 0, buckets[node]);
            }
            counted.add(joined);
        }
    }

    private static long having(final int[][] reasons, final int bucket) {
        long having = 0;
        for (int node = 0; node < reasons.length; node++) {
            having |= (reasons[node][bucket] > 0 ? 1L : 0) << node;
        }
        return having;
    }

    private static void assertActive(final int[][] reasons, final ActiveBuckets counted, final String where) {
        for (int node = 0; node < reasons.length; node++) {
            assertEquals(Arrays.stream(reasons[node]).filter(count -> count > 0).count(), counted.active(node), where);
        }
    }
}
