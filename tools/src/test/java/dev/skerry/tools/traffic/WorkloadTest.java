package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.AllToAll;
import dev.skerry.tools.traffic.Workload.Incast;
import dev.skerry.tools.traffic.Workload.Permutation;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;
import dev.skerry.tools.traffic.Workload.WorkloadChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class WorkloadTest {
    static final List<String> NAMES = Workload.NAMES;

    private static final Permutation ENDLESS = new Permutation(Permutation.ENDLESS_BYTES);
    private static final int NODES = 64;
    private static final int PAYLOAD_BYTES = 244;
    private static final long SEED = 42;

    private static Workload named(final String name, final double load, final int channels, final Integer senders,
        final Long bytes) {
        return new WorkloadChoice(name, null, senders, bytes).workload(load, channels);
    }

    private static FlowSet incast(final int senders, final int nodes, final long seed) {
        return new Incast(senders, 1000).generate(nodes, PAYLOAD_BYTES, 0, seed);
    }

    private static FlowSet shortFlows(final double load, final long slots, final long seed) {
        return new PoissonArrivals(SizeDistribution.SHORT, load).generate(NODES, PAYLOAD_BYTES, slots, seed);
    }

    static String flow(final FlowSet flows, final int flow) {
        return flows.id(flow) + "," + flows.source(flow) + "," + flows.destination(flow) + "," + flows.bytes(flow) + ","
            + flows.cells(flow) + "," + flows.startSlot(flow);
    }

    static List<String> rows(final FlowSet flows) {
        return IntStream.range(0, flows.size()).mapToObj(flow -> flow(flows, flow)).toList();
    }

    private static String receivers(final FlowSet flows) {
        return IntStream.range(0, flows.size()).mapToObj(flow -> Integer.toString(flows.destination(flow)))
            .collect(Collectors.joining(" "));
    }

    private static void refuses(final String message, final Runnable action) {
        assertEquals("skerry: " + message, assertThrows(InputException.class, action::run).getMessage());
    }

    @Test
    void shouldKnowTheNamesOfTheCommandLine() {
        assertEquals(new Permutation(Long.MAX_VALUE), named("permutation", .24, 1, null, null));
        assertEquals(new Permutation(9), named("permutation", .24, 1, null, 9L));
        assertEquals(new PoissonArrivals(SizeDistribution.SHORT, .24),
            named("short", .24, 1, null, null));
        assertEquals(new PoissonArrivals(SizeDistribution.HEAVY, 1, 4),
            named("heavy", 1, 4, null, null));
        assertEquals(new PoissonArrivals(SizeDistribution.WEB, .1), named("web", .1, 1, null, null));
        assertEquals(new Incast(null, 24_400), named("incast", .24, 1, null, null));
        assertEquals(new Incast(3, 9),
            named("incast", .24, 1, 3, 9L));
        assertEquals(new AllToAll(2440), named("all-to-all", .24, 1, null, null));
        assertEquals(new AllToAll(9), named("all-to-all", .24, 1, null, 9L));
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void shouldMakeFlowsOnTheSmallestFabric(final String name) {
        final FlowSet flows = named(name, .5, 1, null, null).generate(2, 244, 1_000_000, 1);
        assertTrue(flows.size() > 0);
        for (int i = 0; i < flows.size(); i++) {
            assertEquals(1 - flows.source(i), flows.destination(i));
        }
    }

    @Test
    void shouldRefuseWhatMakesNoFlows() {
        refuses("--workload: long: there is no such workload, use one of permutation, short, heavy, web, incast,"
            + " all-to-all, ring-allreduce, tree-allreduce, moe, incast-rounds, each-to-each or file:PATH",
            () -> named("long", .24, 1, null, null));
        refuses("--load: 2.5: a node sends at most one cell per slot, give more than 0 and at most 1",
            () -> named("web", 2.5, 1, null, null));
        refuses("--incast-senders: 4: the workload is 'short', leave it out or add --workload incast",
            () -> named("short", .24, 1, 4, null));
        refuses("--flow-bytes: 9: the workload 'short' draws its sizes from a table, leave it out or add"
            + " --workload permutation, incast or all-to-all",
            () -> named("short", .24, 1, null, 9L));
        for (final Runnable noBytes : List.<Runnable>of(() -> new AllToAll(0), () -> new Permutation(0),
            () -> named("incast", .24, 1, null, 0L))) {
            refuses("--flow-bytes: 0: a flow has at least one byte, give 1 or more", noBytes);
        }
        refuses("--flow-bytes: -1: a flow has at least one byte, give 1 or more", () -> new Incast(null, -1));
        for (final Workload alone : List.of(new AllToAll(500), ENDLESS,
            new PoissonArrivals(SizeDistribution.SHORT, .24))) {
            refuses("--nodes: 1: a flow needs two working nodes, give at least 2", () -> alone.generate(1, 244, 1, 1));
        }
        refuses("--incast-senders: 0: an incast needs a sender, give 1 or more", () -> incast(0, 16, 1));
        refuses("--slots: 0: flows arrive for as long as the run lasts, give 1 or more",
            () -> shortFlows(.24, 0, SEED));
        assertThrows(IllegalArgumentException.class, () -> new AllToAll(500).generate(4, 0, 0, 1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.1, 2.5, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldRefuseALoadNoNodeCanSend(final double load) {
        refuses("--load: " + load + ": a node sends at most one cell per slot, give more than 0 and at most 1",
            () -> new PoissonArrivals(SizeDistribution.SHORT, load));
    }

    @Test
    void shouldRefuseTooMuch() {
        refuses("--nodes: 11586: all-to-all would have 134223810 flows, give at most 11585",
            () -> new AllToAll(500).generate(11_586, 244, 0, 1));
        refuses("--incast-senders: 16: there are 16 working nodes and one receives, give at most 15",
            () -> incast(16, 16, 1));
        assertEquals(15, incast(15, 16, 1).size());
        refuses("--flow-bytes: 523986009625: makes a flow of 2147483647 cells, give at most 523986009624",
            () -> new Permutation(523_986_009_625L).generate(4, 244, 0, 1));
        assertEquals(2147483646, new Permutation(523_986_009_624L).generate(4, 244, 0, 1).cells(0));
        final long most = (long) (Workload.MAX_FLOWS
            / (NODES * 1.0 / SizeDistribution.SHORT.meanCells(PAYLOAD_BYTES)));
        refuses("--slots: 1000000000000: more than 134217728 flows would arrive, give at most " + most
            + " or a smaller --load", () -> shortFlows(1, 1_000_000_000_000L, SEED));
    }

    /** The arrivals are those of a second implementation, in another language: a seed means the same for ever. */
    @Test
    void shouldNeverChange() {
        assertEquals(List.of("0,3,5,1000,5,0", "1,6,5,1000,5,0", "2,9,5,1000,5,0", "3,11,5,1000,5,0",
            "4,12,5,1000,5,0"), rows(incast(5, 16, 1)));
        assertEquals("5 4 1 10 9 2 15 6 13 0 8 12 7 3 11 14", receivers(ENDLESS.generate(16, 244, 0, 1)));
        final List<String> arrivals = rows(
            new PoissonArrivals(SizeDistribution.SHORT, .24).generate(256, 244, 100_000, 1));
        assertEquals(7764, arrivals.size());
        assertEquals(List.of("0,144,255,4380,18,5", "1,204,142,8760,36,11", "2,22,40,1460,6,38", "3,128,67,1460,6,39"),
            arrivals.subList(0, 4));
        assertEquals("7763,14,116,1460,6,99992", arrivals.getLast());
    }

    @Test
    void shouldRepeatASeedAndOnlyIt() {
        assertEquals(rows(incast(20, 100, 5)), rows(incast(20, 100, 5)));
        assertNotEquals(rows(incast(20, 100, 5)), rows(incast(20, 100, 6)));
        final String receivers = receivers(ENDLESS.generate(256, 244, 0, 7));
        assertEquals(receivers, receivers(ENDLESS.generate(256, 56, 9, 7)));
        assertNotEquals(receivers, receivers(ENDLESS.generate(256, 244, 0, 8)));
        final List<String> arrivals = rows(shortFlows(.24, 100_000, SEED));
        assertEquals(arrivals, rows(shortFlows(.24, 100_000, SEED)));
        final List<String> others = rows(shortFlows(.24, 100_000, SEED + 1));
        assertFalse(arrivals.isEmpty());
        assertTrue(IntStream.range(0, Math.min(arrivals.size(), others.size()))
            .noneMatch(i -> arrivals.get(i).equals(others.get(i))));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 16, 50})
    void shouldHaveEveryOrderedPairOnceAndTurnTheReceivers(final int nodes) {
        final FlowSet flows = new AllToAll(500).generate(nodes, 244, 0, 1);
        assertEquals(nodes * (nodes - 1), flows.size());
        final boolean[][] seen = new boolean[nodes][nodes];
        boolean[] receives = new boolean[nodes];
        for (int i = 0; i < flows.size(); i++) {
            receives = i % nodes == 0 ? new boolean[nodes] : receives;
            final int destination = flows.destination(i);
            assertFalse(seen[i % nodes][destination] || receives[destination], flow(flows, i));
            seen[i % nodes][destination] = true;
            receives[destination] = true;
            assertEquals(i + "," + i % nodes + "," + destination + ",500,3,0", flow(flows, i));
        }
    }

    @Test
    void shouldSendFromDistinctNodesToOne() {
        for (long seed = 0; seed < 300; seed++) {
            for (int senders = 1; senders < 9; senders++) {
                final FlowSet flows = incast(senders, 9, seed);
                final String where = "seed=" + seed + " flows=" + rows(flows);
                assertEquals(senders, flows.size(), where);
                for (int i = 0; i < senders; i++) {
                    assertNotEquals(flows.destination(0), flows.source(i), where);
                    assertTrue(flows.source(i) > (i == 0 ? -1 : flows.source(i - 1)) && flows.source(i) < 9, where);
                    assertEquals(i + "," + flows.source(i) + "," + flows.destination(0) + ",1000,5,0", flow(flows, i),
                        where);
                }
            }
        }
    }

    /** Nine nodes, three senders: over many seeds each node receives 1/9 and sends 3/9 of the time. */
    @Test
    void shouldChooseTheEndsOfAnIncastEvenly() {
        final int samples = 9000;
        final int[] receives = new int[9];
        final int[] sends = new int[9];
        for (long seed = 0; seed < samples; seed++) {
            final FlowSet flows = incast(3, 9, seed);
            receives[flows.destination(0)]++;
            for (int i = 0; i < 3; i++) {
                sends[flows.source(i)]++;
            }
        }
        for (int node = 0; node < 9; node++) {
            assertEquals(1000, receives[node], 4 * Math.sqrt(samples * (1 / 9.0) * (8 / 9.0)), "node=" + node);
            assertEquals(3000, sends[node], 4 * Math.sqrt(samples * (1 / 3.0) * (2 / 3.0)), "node=" + node);
        }
    }

    @Test
    void shouldTakeAsManySendersAsThereAreByDefault() {
        final Incast incast = new Incast(null, Incast.DEFAULT_FLOW_BYTES);
        assertEquals(15, incast.generate(16, 244, 0, 1).size());
        assertEquals(32, incast.generate(256, 244, 0, 1).size());
        assertEquals(100, incast.generate(256, 244, 0, 1).cells(0));
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
                    assertNotEquals(i, flows.destination(i), where);
                    assertFalse(receives[flows.destination(i)], where);
                    receives[flows.destination(i)] = true;
                    assertEquals(i + "," + i + "," + flows.destination(i) + "," + Long.MAX_VALUE + ","
                        + FlowSet.ENDLESS + ",0", flow(flows, i), where);
                }
            }
        }
        assertEquals("3,3,10,4880001,20001,0", flow(new Permutation(4_880_001).generate(16, 244, 0, 1), 3));
    }

    /** Five nodes have 44 permutations without fixed points; chi squared has mean 43 and variance 86. */
    @Test
    void shouldDrawPermutationsUniformly() {
        final Map<String, Integer> counts = new HashMap<>();
        final int samples = 44_000;
        for (long seed = 0; seed < samples; seed++) {
            counts.merge(receivers(ENDLESS.generate(5, 244, 0, seed)), 1, Integer::sum);
        }
        assertEquals(44, counts.size());
        assertUniform(counts.values().stream().mapToInt(Integer::intValue).toArray(), samples, "permutations");
    }

    @Test
    void shouldMakeSoundArrivals() {
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
        final double expected = .5 * 1000 / SizeDistribution.WEB.meanCells(56) * 1_000_000;
        assertEquals(expected, new PoissonArrivals(SizeDistribution.WEB, .5).generate(1000, 56, 1_000_000, SEED).size(),
            4 * Math.sqrt(expected), "other nodes and cells");
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
    void shouldArriveWithoutMemoryAtUniformEnds() {
        final int[] windows = new int[2000];
        final FlowSet flows = shortFlows(.96, 1000L * windows.length, SEED);
        final int[] sources = new int[NODES];
        final int[] destinations = new int[NODES];
        final int[] pairs = new int[NODES * (NODES - 1)];
        for (int i = 0; i < flows.size(); i++) {
            final int source = flows.source(i);
            final int destination = flows.destination(i);
            windows[(int) (flows.startSlot(i) / 1000)]++;
            sources[source]++;
            destinations[destination]++;
            pairs[source * (NODES - 1) + (destination < source ? destination : destination - 1)]++;
        }
        assertUniform(windows, flows.size(), "windows");
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
    void shouldOnlyAddArrivalsWhenTheRunIsLonger() {
        final List<String> flows = rows(shortFlows(.24, 50_000, SEED));
        final FlowSet longer = shortFlows(.24, 100_000, SEED);
        assertTrue(longer.size() > flows.size());
        assertEquals(flows, rows(longer).subList(0, flows.size()));
        assertTrue(longer.startSlot(flows.size()) >= 50_000);
    }
}
