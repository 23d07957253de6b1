package dev.skerry.nic.fabric.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Reasons added and removed at random, against a {@link HashMap} for each node; the tables grow on the way. */
final class ActiveBucketsModelTest {
    private static final int STEPS = 20_000;
    private static final int NODES = 3;
    private static final int LARGEST = (1 << 23) - 2;

    @ParameterizedTest
    @CsvSource({"1, 1, 10", "2, 1, 14", "3, 8, 60", "4, 1, 400", "5, 256, 1000", "6, 16, 12", "7, 1, 2", "8, 8, 3"})
    void shouldCountActiveBuckets(final long seed, final int initial, final int used) {
        final Random random = new Random(seed);
        final int[] buckets = random.ints(0, LARGEST).distinct().limit(used).toArray();
        buckets[0] = 0;
        buckets[1] = LARGEST;
        final List<Map<Integer, Integer>> model = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            model.add(new HashMap<>());
        }
        final int[] most = new int[NODES];
        try (Arena arena = Arena.ofConfined()) {
            final ActiveBuckets active = new HashedActiveBuckets(arena, NODES, initial);
            for (int step = 0; step < STEPS; step++) {
                final String where = "seed=" + seed + " step=" + step;
                final int node = random.nextInt(NODES);
                final Map<Integer, Integer> reasons = model.get(node);
                final int bucket = buckets[random.nextInt(used)];
                final boolean growing = step / 4000 % 2 == 0;
                if (random.nextInt(4) == 0 ? !growing : growing) {
                    active.add(node, bucket, 0);
                    active.add(node, bucket, 1);
                    reasons.merge(bucket, 1, Integer::sum);
                    most[node] = Math.max(most[node], reasons.size());
                } else if (reasons.containsKey(bucket)) {
                    active.remove(node, bucket);
                    reasons.computeIfPresent(bucket, (b, n) -> n == 1 ? null : n - 1);
                } else {
                    assertThrows(AssertionError.class, () -> active.remove(node, bucket), where);
                }
                assertEquals(reasons.size(), active.active(node), where);
                assertEquals(most[node], active.maxActive(node), where);
            }
            drain(active, model, "seed=" + seed);
        }
    }

    /** Every reason must still be found, and none more. */
    private static void drain(final ActiveBuckets active, final List<Map<Integer, Integer>> model, final String where) {
        for (int node = 0; node < NODES; node++) {
            final int at = node;
            for (final Map.Entry<Integer, Integer> entry : model.get(node).entrySet()) {
                for (int reason = 0; reason < entry.getValue(); reason++) {
                    active.remove(node, entry.getKey());
                }
                assertThrows(AssertionError.class, () -> active.remove(at, entry.getKey()), where);
            }
            assertEquals(0, active.active(node), where);
        }
    }
}
