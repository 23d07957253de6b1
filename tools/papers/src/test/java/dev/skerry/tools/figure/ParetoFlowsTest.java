package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.tools.figure.ShoalPareto.FlowTimes;
import dev.skerry.tools.figure.ShoalPareto.ParetoFlows;
import dev.skerry.tools.figure.ShoalRates.MaxMin;
import org.junit.jupiter.api.Test;

/** Flows of Shoal's rack, how long they take and what is fair. */
final class ParetoFlowsTest {
    private static final int COUNT = 20_000;
    private static final ParetoFlows FLOWS = new ParetoFlows(512, 1, 100e3, 56, 5.632);

    /** 31.25 ns apart at L = 1, half of them up to 4.76 KB times 2^(1/1.05). */
    @Test
    void shouldArriveAsThePaperSays() {
        assertEquals(31.25, FLOWS.gapNs(), 1e-9);
        final FlowSet flows = FLOWS.draw(COUNT, 0, ParetoFlows.UNIFORM, 1);
        assertEquals(COUNT, flows.size());
        assertEquals(31.25, flows.startSlot(COUNT - 1) * 5.632 / COUNT, 0.6);
        int half = 0;
        for (int flow = 0; flow < COUNT; flow++) {
            assertTrue(flows.bytes(flow) >= 4761 && flows.source(flow) != flows.destination(flow), "flow " + flow);
            half += flows.bytes(flow) <= 9_216 ? 1 : 0;
        }
        assertEquals(0.5, (double) half / COUNT, 0.02);
    }

    /** Each at 40 Gb/s from its start to the last arrival, 20 draws: 1 % of chance. */
    @Test
    void shouldKnowWhatRunsCarry() {
        double share = 0;
        for (int seed = 1; seed <= 20; seed++) {
            final FlowSet flows = FLOWS.draw(COUNT, 0, ParetoFlows.UNIFORM, seed);
            final double last = 5.632 * flows.startSlot(COUNT - 1);
            double bytes = 0;
            for (int flow = 0; flow < COUNT; flow++) {
                bytes += Math.min(flows.bytes(flow), 40.0 / 8 * (last - 5.632 * flows.startSlot(flow)));
            }
            share += 8 * bytes / (50 * 512 * last) / 20;
        }
        assertEquals(FLOWS.carried(COUNT, 40), share, 0.005);
    }

    /** 84 % of the flows have both ends in a third of the nodes, the others none. */
    @Test
    void shouldBeAmongAThirdOfTheNodes() {
        final FlowSet flows = FLOWS.draw(COUNT, 0, 0.84, 1);
        int inside = 0;
        for (int flow = 0; flow < COUNT; flow++) {
            assertEquals(flows.source(flow) < 170, flows.destination(flow) < 170, "flow " + flow);
            assertTrue(flows.source(flow) != flows.destination(flow) && flows.destination(flow) < 512, "flow " + flow);
            inside += flows.source(flow) < 170 ? 1 : 0;
        }
        assertEquals(0.84, (double) inside / COUNT, 0.02);
    }

    @Test
    void shouldLeaveOutFlowsOfFailedNodes() {
        final FlowSet flows = FLOWS.draw(COUNT, 256, ParetoFlows.UNIFORM, 1);
        assertEquals(0.25, (double) flows.size() / COUNT, 0.02);
        for (int flow = 0; flow < flows.size(); flow++) {
            assertTrue(flows.source(flow) >= 256 && flows.destination(flow) >= 256, "flow " + flow);
        }
    }

    /**
     * As Shoal's authors count: two short flows, one of which is open, and two long ones
     * of 1 MB, one of which has received half.
     */
    @Test
    void shouldCountOpenLongFlowsByWhatTheyReceived() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1_000, 20, 0);
        flows.add(1, 0, 2, 1_000, 20, 0);
        flows.add(2, 0, 3, 1_000_000, 20_000, 0);
        flows.add(3, 0, 4, 1_000_000, 20_000, 1_000);
        final FlowTimes times = new FlowTimes(10, flows, new long[] {500, FlowTimes.OPEN, 8_000, FlowTimes.OPEN},
            new long[] {0, 10, 0, 500_000}, 250_000);
        assertArrayEquals(new double[] {5}, times.shortUs());
        // 8 Mbit in 80 us, and 4 Mbit in the 80 us up to the end of the run.
        assertEquals(75, times.goodputGbps(), 1e-9);
        // 2 Mbit in the 10 us up to the last arrival, of the 400 Gb/s of eight nodes.
        assertEquals(0.5, times.carried(8), 1e-9);
    }

    /** A kilobyte, and one 100 us later: what comes after the last arrival, or the time it takes, says nothing. */
    @Test
    void shouldCarryWhatCameByTheLastArrival() {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, 1_008, 18, 0);
        flows.add(1, 2, 3, 1_008, 18, 20_000);
        final double[] numbers = ShoalPareto.numbers(ShoalRates.shoal(8, ReleaseRule.EXACT, true),
            new ParetoFlows(8, 1, 100e3, 56, 5), flows, new Effort(true, 1, 1));
        assertEquals(1_008 * 8 / (100e3 * 50 * 8), numbers[3], 1e-12);
    }

    @Test
    void shouldShareVirtualLinksFairly() {
        final FlowSet flows = Runs.endless(new FlowSet(), 0, 1);
        assertEquals(3, new MaxMin(flows, 4).rates()[0], 1e-9);
        Runs.endless(flows, 0, 2);
        assertEquals(1.5, new MaxMin(flows, 4).rates()[1], 1e-9);
        for (final double rate : new MaxMin(Runs.endless(8, node -> (node + 3) % 8), 8).rates()) {
            assertEquals(4, rate, 1e-9);
        }
    }
}
