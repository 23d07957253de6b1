package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
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
}
