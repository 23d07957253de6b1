package dev.skerry.nic.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

final class FlowStartsTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldActivateOneFlowOfANodeInASlot(final long seed) {
        final Phased schedule = new Phased(2, 4);
        // With a hole, an endpoint's number differs from its node id.
        final Population population = Population.of(schedule, 14, 0);
        final FlowSet flows = Flows.random(seed, 14, 300, 80, 5);
        final NodeRange range = new NodeRange(3, 16);
        final List<Deque<Integer>> waiting = new ArrayList<>();
        for (int node = 0; node < 16; node++) {
            waiting.add(new ArrayDeque<>());
        }
        int expected = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            waiting.get(population.nodeOf(flows.source(flow))).add(flow);
            expected += population.nodeOf(flows.source(flow)) >= 3 ? 1 : 0;
        }
        final FlowStarts arrivals = new FlowStarts(flows, population, range, SlotShare.ALL);
        assertEquals(expected, arrivals.size());
        int polled = 0;
        for (long slot = 0; slot < 500; slot++) {
            final boolean[] had = new boolean[16];
            for (int i = arrivals.poll(slot); i != -1; i = arrivals.poll(slot)) {
                final String where = "seed=" + seed + " slot=" + slot;
                final int node = arrivals.node(i);
                assertTrue(!had[node], where);
                had[node] = true;
                assertEquals(waiting.get(node).remove(), arrivals.flow(i), where);
                assertTrue(flows.startSlot(arrivals.flow(i)) <= slot, where);
                polled++;
            }
            for (int node = 3; node < 16; node++) {
                assertTrue(had[node] || waiting.get(node).isEmpty()
                    || flows.startSlot(waiting.get(node).peek()) > slot, "late: seed=" + seed + " slot=" + slot);
            }
        }
        assertEquals(expected, polled);
    }
}
