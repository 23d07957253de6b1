package dev.skerry.tools.traffic;

import static dev.skerry.tools.traffic.PoissonArrivalsTest.assertRefused;
import static dev.skerry.tools.traffic.PoissonArrivalsTest.flow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.traffic.Workload.AllToAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllToAllTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 16, 50})
    void shouldHaveEveryOrderedPairOnce(final int nodes) {
        final FlowSet flows = new AllToAll(500).generate(nodes, 244, 0, 1);
        assertEquals(nodes * (nodes - 1), flows.size());
        final boolean[][] seen = new boolean[nodes][nodes];
        for (int i = 0; i < flows.size(); i++) {
            final int source = flows.source(i);
            final int destination = flows.destination(i);
            assertFalse(seen[source][destination], flow(flows, i));
            seen[source][destination] = true;
            assertEquals(i + "," + source + "," + destination + ",500,3,0", flow(flows, i));
        }
    }

    @Test
    void shouldTurnTheReceivers() {
        final int nodes = 7;
        final FlowSet flows = new AllToAll(500).generate(nodes, 244, 0, 1);
        for (int turn = 0; turn < nodes - 1; turn++) {
            final boolean[] receives = new boolean[nodes];
            for (int i = 0; i < nodes; i++) {
                final int flow = turn * nodes + i;
                assertEquals(i, flows.source(flow));
                assertFalse(receives[flows.destination(flow)], flow(flows, flow));
                receives[flows.destination(flow)] = true;
            }
        }
    }

    @Test
    void shouldRefuseWhatIsTooLargeOrNone() {
        assertRefused("--nodes: 11586: all-to-all would have 134223810 flows, give at most 11585",
            () -> new AllToAll(500).generate(11_586, 244, 0, 1));
        assertRefused("--nodes: 1: a flow needs two working nodes, give at least 2",
            () -> new AllToAll(500).generate(1, 244, 0, 1));
        assertRefused("--flow-bytes: 0: a flow has at least one byte, give 1 or more", () -> new AllToAll(0));
        assertThrows(IllegalArgumentException.class, () -> new AllToAll(500).generate(4, 0, 0, 1));
    }
}
