package dev.skerry.tools.traffic;

import static dev.skerry.tools.traffic.PoissonArrivalsTest.assertRefused;
import static dev.skerry.tools.traffic.PoissonArrivalsTest.flow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.traffic.Workload.Permutation;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;

class PermutationTest {
    private static final Permutation ENDLESS = new Permutation(Permutation.ENDLESS_BYTES);

    private static String receivers(final FlowSet flows) {
        final StringBuilder receivers = new StringBuilder();
        for (int i = 0; i < flows.size(); i++) {
            receivers.append(flows.destination(i)).append(' ');
        }
        return receivers.toString();
    }

    @Test
    void shouldNeverChange() {
        assertEquals("5 4 1 10 9 2 15 6 13 0 8 12 7 3 11 14 ", receivers(ENDLESS.generate(16, 244, 0, 1)));
    }

    @Test
    void shouldBeAPermutationWithoutFixedPoints() {
        for (long seed = -500; seed < 500; seed++) {
            for (final int nodes : new int[] {2, 3, 4, 16, 81}) {
                final FlowSet flows = ENDLESS.generate(nodes, 244, 0, seed);
                final boolean[] receives = new boolean[nodes];
                assertEquals(nodes, flows.size());
                for (int i = 0; i < nodes; i++) {
                    final String where = "seed=" + seed + " nodes=" + nodes + " flow=" + flow(flows, i);
                    assertEquals(i, flows.id(i), where);
                    assertEquals(i, flows.source(i), where);
                    assertNotEquals(i, flows.destination(i), where);
                    assertFalse(receives[flows.destination(i)], where);
                    receives[flows.destination(i)] = true;
                    assertEquals(0, flows.startSlot(i), where);
                    assertEquals(FlowSet.ENDLESS, flows.cells(i), where);
                    assertEquals(Long.MAX_VALUE, flows.bytes(i), where);
                }
            }
        }
    }

    /** Five nodes have 44 permutations without fixed points; chi squared has mean 43 and variance 86. */
    @Test
    void shouldDrawThemUniformly() {
        final Map<String, Integer> counts = new HashMap<>();
        final int samples = 44_000;
        for (long seed = 0; seed < samples; seed++) {
            counts.merge(receivers(ENDLESS.generate(5, 244, 0, seed)), 1, Integer::sum);
        }
        assertEquals(44, counts.size());
        final double chiSquared = counts.values().stream().mapToDouble(n -> (n - 1000.0) * (n - 1000.0) / 1000).sum();
        assertEquals(43, chiSquared, 4 * Math.sqrt(86));
    }

    @Test
    void shouldRepeatASeedAndOnlyIt() {
        final String receivers = receivers(ENDLESS.generate(256, 244, 0, 7));
        assertEquals(receivers, receivers(ENDLESS.generate(256, 56, 9, 7)));
        assertNotEquals(receivers, receivers(ENDLESS.generate(256, 244, 0, 8)));
    }

    @Test
    void shouldEndFlowsOfGivenBytes() {
        final FlowSet flows = new Permutation(4_880_001).generate(16, 244, 0, 1);
        assertEquals("3,3,10,4880001,20001,0", flow(flows, 3));
    }

    @Test
    void shouldRefuseWhatMakesNoFlow() {
        assertRefused("--flow-bytes: 0: a flow has at least one byte, give 1 or more", () -> new Permutation(0));
        assertRefused("--nodes: 1: a flow needs two working nodes, give at least 2",
            () -> ENDLESS.generate(1, 244, 0, 1));
        assertRefused("--flow-bytes: 523986009625: makes a flow of 2147483647 cells, give at most 523986009624",
            () -> new Permutation(523_986_009_625L).generate(4, 244, 0, 1));
        assertEquals(2147483646, new Permutation(523_986_009_624L).generate(4, 244, 0, 1).cells(0));
    }
}
