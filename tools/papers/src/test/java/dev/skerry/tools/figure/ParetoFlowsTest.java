package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.ShoalPareto.ParetoFlows;
import org.junit.jupiter.api.Test;

/** Flows of the rack's workloads. */
final class ParetoFlowsTest {
    private static final int COUNT = 20_000;
    private static final ParetoFlows FLOWS = new ParetoFlows(512, 1, 56, 5.632);

    /** 31.25 ns apart at L = 1, half of them up to 4.76 KB times 2^(1/1.05). */
    @Test
    void shouldArriveAsThePaperSays() {
        assertEquals(31.25, FLOWS.gapNs(), 1e-9);
        final FlowSet flows = FLOWS.draw(COUNT, 0, ParetoFlows.Pairs.UNIFORM, 1);
        assertEquals(COUNT, flows.size());
        assertEquals(31.25, flows.startSlot(COUNT - 1) * 5.632 / COUNT, 0.6);
        int half = 0;
        for (int flow = 0; flow < COUNT; flow++) {
            assertTrue(flows.bytes(flow) >= 4761 && flows.source(flow) != flows.destination(flow), "flow " + flow);
            half += flows.bytes(flow) <= 9_216 ? 1 : 0;
        }
        assertEquals(0.5, (double) half / COUNT, 0.02);
    }

    @Test
    void shouldBeAmongAThirdOfTheNodes() {
        final FlowSet flows = FLOWS.draw(COUNT, 0, ParetoFlows.Pairs.skewed(0.84), 1);
        int inside = 0;
        for (int flow = 0; flow < COUNT; flow++) {
            inside += flows.source(flow) < 170 && flows.destination(flow) <= 170 ? 1 : 0;
        }
        assertEquals(0.84, (double) inside / COUNT, 0.02);
    }

    @Test
    void shouldLeaveOutFlowsOfFailedNodes() {
        final FlowSet flows = FLOWS.draw(COUNT, 256, ParetoFlows.Pairs.UNIFORM, 1);
        assertEquals(0.25, (double) flows.size() / COUNT, 0.02);
        for (int flow = 0; flow < flows.size(); flow++) {
            assertTrue(flows.source(flow) >= 256 && flows.destination(flow) >= 256, "flow " + flow);
        }
    }
}
