package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoissonArrivalsTest {
    private static final int NODES = 64;
    private static final int PAYLOAD_BYTES = 244;
    private static final long SEED = 42;

    private static FlowSet shortFlows(final double load, final long slots, final long seed) {
        return new PoissonArrivals(SizeDistribution.SHORT, load).generate(NODES, PAYLOAD_BYTES, slots, seed);
    }

    static String flow(final FlowSet flows, final int flow) {
        return flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + "," + flows.bytes(flow) + ","
            + flows.cells(flow) + "," + flows.startSlot(flow);
    }

    /** The flows of a second implementation, in another language: a seed means the same for ever. */
    @Test
    void shouldNeverChange() {
        final FlowSet flows = new PoissonArrivals(SizeDistribution.SHORT, .24).generate(256, 244, 100_000, 1);
        assertEquals(7764, flows.size());
        assertEquals("0,144,255,4380,18,5", flow(flows, 0));
        assertEquals("1,204,142,8760,36,11", flow(flows, 1));
        assertEquals("2,22,40,1460,6,38", flow(flows, 2));
        assertEquals("3,128,67,1460,6,39", flow(flows, 3));
        assertEquals("7763,14,116,1460,6,99992", flow(flows, 7763));
    }

    @Test
    void shouldMakeSoundFlows() {
        final FlowSet flows = shortFlows(.9, 200_000, SEED);
        for (int i = 0; i < flows.size(); i++) {
            final String flow = flow(flows, i);
            assertEquals(i, flows.id(i), flow);
            assertTrue(flows.source(i) >= 0 && flows.source(i) < NODES, flow);
            assertTrue(flows.destination(i) >= 0 && flows.destination(i) < NODES, flow);
            assertTrue(flows.startSlot(i) < 200_000, flow);
            assertEquals(0, flows.bytes(i) % 1460, flow);
            assertEquals((flows.bytes(i) + PAYLOAD_BYTES - 1) / PAYLOAD_BYTES, flows.cells(i), flow);
        }
    }

    /** The count is Poisson: its variance is its mean. */
    @Test
    void shouldArriveAtTheRateOfTheLoad() {
        for (final double load : new double[] {.06, .24, .96}) {
            final double expected = load * NODES / SizeDistribution.SHORT.meanCells(PAYLOAD_BYTES) * 2_000_000;
            assertEquals(expected, shortFlows(load, 2_000_000, SEED).size(), 4 * Math.sqrt(expected), "load=" + load);
        }
    }

    @Test
    void shouldScaleTheRateWithNodesAndCells() {
        final PoissonArrivals workload = new PoissonArrivals(SizeDistribution.WEB, .5);
        final double expected = .5 * 1000 / SizeDistribution.WEB.meanCells(56) * 1_000_000;
        assertEquals(expected, workload.generate(1000, 56, 1_000_000, SEED).size(), 4 * Math.sqrt(expected));
    }

    @Test
    void shouldOfferTheLoad() {
        final int slots = 4_000_000;
        final FlowSet flows = shortFlows(.24, slots, SEED);
        double cells = 0;
        double squares = 0;
        for (int i = 0; i < flows.size(); i++) {
            cells += flows.cells(i);
            squares += (double) flows.cells(i) * flows.cells(i);
        }
        // A compound Poisson sum: its variance is the sum of the squares.
        assertEquals(.24, cells / NODES / slots, 4 * Math.sqrt(squares) / NODES / slots);
    }

    /** Gaps are exponential: windows of equal length hold counts whose variance is their mean. */
    @Test
    void shouldArriveWithoutMemory() {
        final int windows = 2000;
        final int window = 1000;
        final FlowSet flows = shortFlows(.96, (long) windows * window, SEED);
        final int[] counts = new int[windows];
        for (int i = 0; i < flows.size(); i++) {
            counts[(int) (flows.startSlot(i) / window)]++;
        }
        assertUniform(counts, flows.size(), "windows");
    }

    @Test
    void shouldChooseEndsUniformly() {
        final FlowSet flows = shortFlows(.96, 2_000_000, SEED);
        final int[] sources = new int[NODES];
        final int[] destinations = new int[NODES];
        final int[] pairs = new int[NODES * (NODES - 1)];
        for (int i = 0; i < flows.size(); i++) {
            final int source = flows.source(i);
            final int destination = flows.destination(i);
            sources[source]++;
            destinations[destination]++;
            pairs[source * (NODES - 1) + (destination < source ? destination : destination - 1)]++;
        }
        assertUniform(sources, flows.size(), "sources");
        assertUniform(destinations, flows.size(), "destinations");
        assertUniform(pairs, flows.size(), "pairs");
    }

    /** Chi squared has mean d and variance 2d with d degrees of freedom; too even is as wrong as too uneven. */
    private static void assertUniform(final int[] counts, final int total, final String what) {
        final double expected = (double) total / counts.length;
        double chiSquared = 0;
        for (final int count : counts) {
            chiSquared += (count - expected) * (count - expected) / expected;
        }
        final int freedom = counts.length - 1;
        assertEquals(freedom, chiSquared, 4 * Math.sqrt(2.0 * freedom), what + " seed=" + SEED);
    }

    @Test
    void shouldRepeatASeedAndOnlyIt() {
        final FlowSet flows = shortFlows(.24, 100_000, SEED);
        final FlowSet again = shortFlows(.24, 100_000, SEED);
        final FlowSet other = shortFlows(.24, 100_000, SEED + 1);
        assertEquals(flows.size(), again.size());
        int equal = 0;
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(flow(flows, i), flow(again, i));
            equal += i < other.size() && flow(flows, i).equals(flow(other, i)) ? 1 : 0;
        }
        assertNotEquals(0, flows.size());
        assertEquals(0, equal);
    }

    @Test
    void shouldOnlyAddFlowsWhenTheRunIsLonger() {
        final FlowSet flows = shortFlows(.24, 50_000, SEED);
        final FlowSet longer = shortFlows(.24, 100_000, SEED);
        assertTrue(longer.size() > flows.size());
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(flow(flows, i), flow(longer, i));
        }
        assertTrue(longer.startSlot(flows.size()) >= 50_000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 2.5, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldRefuseALoadNoNodeCanSend(final double load) {
        assertRefused("--load: " + load + ": a node sends up to one cell a slot, give more than 0 and at most 1",
            () -> new PoissonArrivals(SizeDistribution.SHORT, load));
    }

    @Test
    void shouldRefuseRunsWithoutArrivalsOrWithTooMany() {
        assertRefused("--slots: 0: flows arrive for as long as the run lasts, give 1 or more",
            () -> shortFlows(.24, 0, SEED));
        assertRefused("--nodes: 1: a flow needs two working nodes, give at least 2",
            () -> new PoissonArrivals(SizeDistribution.SHORT, .24).generate(1, PAYLOAD_BYTES, 1, SEED));
        final long most = (long) (Workload.MAX_FLOWS
            / (NODES * 1.0 / SizeDistribution.SHORT.meanCells(PAYLOAD_BYTES)));
        assertRefused("--slots: 1000000000000: more than 134217728 flows would arrive, give at most " + most
            + " or a smaller --load", () -> shortFlows(1, 1_000_000_000_000L, SEED));
    }

    static void assertRefused(final String message, final Runnable action) {
        assertEquals("skerry: " + message, assertThrows(InputException.class, action::run).getMessage());
    }
}
