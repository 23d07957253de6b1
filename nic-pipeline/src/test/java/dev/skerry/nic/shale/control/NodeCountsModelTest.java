package dev.skerry.nic.shale.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.nic.shale.control.LimitedControl.NodeCounts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Counts of nodes against maps: keys that collide, tables that grow, gaps that close. */
final class NodeCountsModelTest {
    private static final int STEPS = 60_000;

    @ParameterizedTest
    @CsvSource({"1, 20, 1", "3, 25, 8", "2, 700, 64", "5, 90, 4096"})
    void shouldCountAsMapsDo(final int nodes, final int keys, final int stride) {
        final SplittableRandom random = new SplittableRandom(nodes * 31L + keys);
        final NodeCounts counts = new NodeCounts(nodes);
        final List<Map<Integer, Integer>> model = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            model.add(new HashMap<>());
        }
        for (int step = 0; step < STEPS; step++) {
            final int node = random.nextInt(nodes);
            final int key = random.nextInt(keys) * stride;
            final Map<Integer, Integer> of = model.get(node);
            final String at = "nodes=" + nodes + " keys=" + keys + " step=" + step;
            // Fills up in the first half of every quarter, and empties in the second.
            if (random.nextInt(8) < (step / (STEPS / 8) % 2 == 0 ? 6 : 2)) {
                assertEquals(of.merge(key, 1, Integer::sum), counts.add(node, key), at);
            } else if (of.containsKey(key)) {
                final Integer left = of.computeIfPresent(key, (k, count) -> count == 1 ? null : count - 1);
                assertEquals(left == null ? 0 : left, counts.remove(node, key), at);
            } else {
                assertThrows(IllegalStateException.class, () -> counts.remove(node, key), at);
            }
            final int other = random.nextInt(keys) * stride;
            assertEquals(of.getOrDefault(other, 0), counts.get(node, other), at);
            assertEquals(of.size(), counts.size(node), at);
        }
    }
}
