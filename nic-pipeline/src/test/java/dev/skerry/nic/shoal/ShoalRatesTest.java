package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Rates of endless flows and times of incasts, exact to the cell: checks G1 to G6 of docs/spec/shoal.md §9.2.
 *
 * <p>G5, random endless flows beside max-min fairness over the virtual links, has in the spec 99 of 100 flows within a
 * tenth, all of 30, 93 to 98 % of 128 and 61 % of 300 at N = 64. These are shares of single draws of flows, and differ
 * from draw to draw however long one measures: the network soon repeats itself, so the same flows miss by the same
 * amount whether one begins after 10 epochs or 60 and counts 300 or 5,000. Flows between all pairs of distinct nodes
 * alike, 20 draws (in the second and third column 10 of 300 flows), mean share and extremes:
 *
 * <pre>
 *   flows   exact                 authors' simulator    exact, told once more only in the very next turn
 *     30    99.7 %, 97 to 100     98.2 %, 93 to 100     99.3 %, 97 to 100
 *    100    97.5 %, 94 to 100     96.8 %, 94 to 100     95.4 %, 92 to 99
 *    128    94.3 %, 91 to 99      95.0 %, 90 to 98      91.6 %, 85 to 98
 *    300    55.5 %, 49 to 67      57.5 %, 52 to 70      51.2 %, 44 to 65
 * </pre>
 *
 * So 99 % is a good draw, also of the authors' simulator, whose results ours equals, and not the mean: over 60 draws of
 * 100 flows it is 97.3 % (92 to 100; 19 of the draws reach 99) against 97.0 % (12 of them). At N = 512, 3 draws each:
 * 50 to 200 flows 100 %, 400 98.3 %, 600 98.1 %, 800 98.0 %, 1,024 94.4 %.
 *
 * <p>What is left is in the mechanism: a subflow is sent once in a whole number of epochs. Of the 163 flows out of
 * 6,000 that miss, 139 get too little, and 130 of these are of two or three from their source and of one or two to
 * their destination. The 2^age rule plays no part, nor do starts one by one. Flows spread evenly over the sources and
 * destinations do worse (94 %), first come first served among the ready flows too (92 %), and so it is if the second
 * report may only shorten a wait (87 %); if it may only lengthen it, nothing changes (97.2 %).
 */
final class ShoalRatesTest {
    private static final int WARM_EPOCHS = 60;
    private static final int EPOCHS = 40;
    /** Of the check of fairness. */
    private static final int NODES = 64;
    private static final int DRAWS = 10;
    private static final int WARM_EPOCHS_OF_DRAW = 20;
    private static final int EPOCHS_OF_DRAW = 150;
    private static final double NEAR = 0.1;
    private static final Map<String, double[]> FOUND = new HashMap<>();

    /** What the nodes receive in a number of epochs once the flows run evenly, and the longest queue of all. */
    private record Steady(long delivered, int maxQueue) {
    }

    private static Steady run(final Shoal shoal, final FlowSet flows, final boolean check) {
        try (LockStep fabric = new LockStep(Parts.of(shoal), flows, 1, check)) {
            final long epoch = shoal.schedule().epochSlots();
            fabric.advance(WARM_EPOCHS * epoch);
            final long before = fabric.count(NicCounter.CELLS_DELIVERED);
            fabric.advance(EPOCHS * epoch);
            return new Steady(fabric.count(NicCounter.CELLS_DELIVERED) - before,
                Arrays.stream(fabric.outcome().nodes().queueLength()).max().orElseThrow());
        }
    }

    private static Shoal shoal(final int nodes, final ReleaseRule rule, final boolean ageRule) {
        return Shoal.of(RoundRobin.plain(nodes, 1), rule, ageRule, 0);
    }

    private static void endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
    }

    /** G1: one flow fills every slot of its source, whatever the distance. */
    @Sampled
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 7, 8, 9, 16, 17, 64})
    void shouldGiveOneFlowTheWholeRate(final int nodes) {
        for (int by = 1; by < nodes; by += Math.max(1, nodes / 5)) {
            final FlowSet flows = new FlowSet();
            endless(flows, nodes / 3, (nodes / 3 + by) % nodes);
            for (final boolean ageRule : new boolean[] {false, true}) {
                final Steady steady = run(shoal(nodes, ReleaseRule.EXACT, ageRule), flows, nodes <= 9);
                assertEquals((long) EPOCHS * (nodes - 1), steady.delivered(), "by=" + by + " ageRule=" + ageRule);
            }
        }
    }

    /**
     * Without the services that a report has aged by, a flow stands idle (docs/spec/shoal.md §4.3: 97 % become 73 %).
     */
    @Sampled
    @ParameterizedTest
    @CsvSource({"PAPER_LITERAL, 0.70, 0.76", "PAPER_ONE_REPORT, 0.70, 0.76", "BASIC, 0.999, 1.001",
        "AUTHORS_SIMULATOR, 0.966, 0.968"})
    void shouldCostTheOtherRulesWhatTheyCost(final ReleaseRule rule, final double from, final double to) {
        final int nodes = 16;
        long delivered = 0;
        for (int by = 1; by < nodes; by++) {
            final FlowSet flows = new FlowSet();
            endless(flows, 0, by);
            // The authors' defect shows where a relay lies half-way.
            delivered += rule == ReleaseRule.AUTHORS_SIMULATOR && by != 8 ? 0
                : run(shoal(nodes, rule, false), flows, false).delivered();
        }
        final double share = delivered / (double) EPOCHS / (nodes - 1)
            / (rule == ReleaseRule.AUTHORS_SIMULATOR ? 1 : nodes - 1);
        assertTrue(share > from && share < to, rule + ": " + share);
    }

    /** G2: a full permutation gets N/(2(N-1)) and queues of two. */
    @Sampled
    @ParameterizedTest
    @ValueSource(ints = {7, 8, 9, 16, 64})
    void shouldGiveAPermutationHalf(final int nodes) {
        for (long seed = 1; seed <= 2; seed++) {
            final int[] to = derangement(nodes, new Random(seed));
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < nodes; from++) {
                endless(flows, from, to[from]);
            }
            final Steady steady = run(shoal(nodes, ReleaseRule.EXACT, true), flows, nodes <= 9);
            assertEquals((long) EPOCHS * nodes * nodes / 2, steady.delivered(), nodes / 2.0, "seed=" + seed);
            assertEquals(2, steady.maxQueue(), "seed=" + seed);
        }
    }

    /** G3: p nodes of N that send and receive one flow each get (N - p/2)/(N-1). */
    @Sampled
    @ParameterizedTest
    @CsvSource({"64, 2, EXACT", "64, 8, EXACT", "64, 32, EXACT", "64, 48, EXACT", "64, 32, AUTHORS_SIMULATOR",
        "96, 24, EXACT"})
    void shouldGiveSomePairsMore(final int nodes, final int pairs, final ReleaseRule rule) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < pairs; from++) {
            endless(flows, from, (from + 1) % pairs);
        }
        final double each = run(shoal(nodes, rule, true), flows, false).delivered() / (double) pairs;
        assertEquals(EPOCHS * (nodes - pairs / 2.0), each, pairs / 2.0);
    }

    private static int[] derangement(final int nodes, final Random random) {
        final int[] to = new int[nodes];
        boolean fixed = true;
        while (fixed) {
            Arrays.setAll(to, i -> i);
            fixed = false;
            for (int i = nodes - 1; i >= 0; i--) {
                final int j = random.nextInt(i + 1);
                final int chosen = to[j];
                to[j] = to[i];
                to[i] = chosen;
                fixed |= chosen == i;
            }
        }
        return to;
    }

    private static Outcome incast(final int nodes, final ReleaseRule rule, final FlowSet flows, final boolean check) {
        return Outcomes.lockStep(shoal(nodes, rule, false), flows, 1, check, 0);
    }

    private static long slowest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).max().orElseThrow() + 1;
    }

    private static long fastest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).min().orElseThrow() + 1;
    }

    /** G4: all others send N-1 cells each; the receiver's link is never idle, and all end within an epoch. */
    @ParameterizedTest
    @CsvSource({"8, 49, 43, EXACT", "16, 225, 211, EXACT", "64, 3969, 3907, EXACT", "8, 49, 43, PAPER_LITERAL",
        "8, 49, 43, AUTHORS_SIMULATOR", "16, 225, 211, AUTHORS_SIMULATOR"})
    void shouldServeAllOthersAtTheRateOfTheReceiver(final int nodes, final long slowest, final long fastest,
        final ReleaseRule rule) {
        for (final int receiver : new int[] {0, nodes / 3, nodes - 1}) {
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < nodes; from++) {
                if (from != receiver) {
                    Flows.add(flows, from, receiver, nodes - 1, 0);
                }
            }
            final Outcome outcome = incast(nodes, rule, flows, nodes <= 16);
            assertEquals(slowest, slowest(outcome), "receiver=" + receiver);
            assertEquals(fastest, fastest(outcome), "receiver=" + receiver);
        }
    }

    /**
     * G6: 10 of 511 send 2378 cells each. At best that takes 23,780 slots; the last bound is that of docs/spec/shoal.md
     * §9.3.
     */
    @Test
    void shouldServeAFewSendersCloseToTheOptimum() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 10; from++) {
            Flows.add(flows, from, 511, 2378, 0);
        }
        final Outcome outcome = incast(512, ReleaseRule.EXACT, flows, false);
        final int queue = Arrays.stream(outcome.nodes().queueLength()).max().orElseThrow();
        assertEquals(10, queue);
        assertTrue(slowest(outcome) >= 23_780 && slowest(outcome) <= 26_158, "slowest " + slowest(outcome));
        assertTrue(fastest(outcome) >= 0.9 * slowest(outcome), "fastest " + fastest(outcome));
    }

    /** Every node sends to all others: without ready queues the local cells wait in the queues too (Eq. 3, Eq. 5). */
    @Test
    void shouldHaveLongerQueuesWithoutReadyQueues() {
        final int nodes = 16;
        final FlowSet flows = Flows.allToAll(nodes, 40);
        final Outcome exact = incast(nodes, ReleaseRule.EXACT, flows, true);
        final Outcome basic = incast(nodes, ReleaseRule.BASIC, flows, true);
        assertEquals(List.of(14, 29, 6, 28), List.of(exact.sampled().longest(), basic.sampled().longest(),
            exact.sampled().quantile(0.9), basic.sampled().quantile(0.9)));
    }

    private static double[] shares(final int count, final ReleaseRule rule) {
        return FOUND.computeIfAbsent(rule + " " + count, key -> measure(count, rule));
    }

    /** By draw, the share of the flows within a tenth of their fair rate; no flow may get less than half of that. */
    private static double[] measure(final int count, final ReleaseRule rule) {
        final double[] shares = new double[DRAWS];
        for (int draw = 0; draw < DRAWS; draw++) {
            final FlowSet flows = draw(count, draw + 1);
            final double[] fair = new Fair(flows).rates();
            final double[] rates = rates(flows, rule);
            for (int flow = 0; flow < count; flow++) {
                shares[draw] += Math.abs(rates[flow] - fair[flow]) <= NEAR * fair[flow] ? 1.0 / count : 0;
                assertTrue(rates[flow] >= fair[flow] / 2, rule + " seed=" + (draw + 1) + " flow=" + flow);
            }
        }
        return shares;
    }

    private static FlowSet draw(final int count, final long seed) {
        final Random random = new Random(seed);
        final FlowSet flows = new FlowSet();
        final Set<Integer> pairs = new HashSet<>();
        while (flows.size() < count) {
            final int from = random.nextInt(NODES);
            final int to = random.nextInt(NODES);
            if (from != to && pairs.add(from * NODES + to)) {
                endless(flows, from, to);
            }
        }
        return flows;
    }

    /** Cells per epoch of each flow. */
    private static double[] rates(final FlowSet flows, final ReleaseRule rule) {
        final Shoal shoal = shoal(NODES, rule, true);
        final double[] rates = new double[flows.size()];
        try (HandSteppedShoal fabric = new HandSteppedShoal(shoal, flows)) {
            fabric.stepTo((long) WARM_EPOCHS_OF_DRAW * (NODES - 1));
            final long[] before = fabric.received();
            fabric.stepTo((long) (WARM_EPOCHS_OF_DRAW + EPOCHS_OF_DRAW) * (NODES - 1));
            final long[] after = fabric.received();
            Arrays.setAll(rates, flow -> (after[flow] - before[flow]) / (double) EPOCHS_OF_DRAW);
        }
        return rates;
    }

    private static double mean(final double[] shares) {
        return Arrays.stream(shares).average().orElseThrow();
    }

    /** What was found with one draw of flows is what a draw gives: within two standard deviations of the mean. */
    @ParameterizedTest
    @CsvSource({"30, 1.00, EXACT", "30, 1.00, AUTHORS_SIMULATOR"})
    void shouldShareFairly(final int count, final double found, final ReleaseRule rule) {
        final double[] shares = shares(count, rule);
        final double mean = mean(shares);
        final double variance = Arrays.stream(shares).map(share -> (share - mean) * (share - mean)).sum() / (DRAWS - 1);
        assertTrue(Math.abs(found - mean) <= 2 * Math.sqrt(variance), rule + ": " + Arrays.toString(shares));
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"100, 0.99, EXACT", "100, 0.99, AUTHORS_SIMULATOR", "128, 0.955, EXACT"})
    void shouldShareFairlyAmongMore(final int count, final double found, final ReleaseRule rule) {
        shouldShareFairly(count, found, rule);
    }

    /** One value with each cell that fits the header does as well as the two of the authors' simulator. */
    @Test
    void shouldBeAsFairAsTheSimulator() {
        compare(30);
    }

    @Tag("long")
    @Test
    void shouldBeAsFairAsTheSimulatorAmongMore() {
        compare(100);
    }

    private static void compare(final int count) {
        final double[] exact = shares(count, ReleaseRule.EXACT);
        final double[] authors = shares(count, ReleaseRule.AUTHORS_SIMULATOR);
        assertTrue(mean(exact) >= mean(authors), count + ": " + Arrays.toString(exact) + " "
            + Arrays.toString(authors));
    }

    /**
     * Max-min rates of subflows: all grow alike until a virtual link that they cross is full; a flow's rate is the sum
     * (docs/spec/shoal.md §9.3).
     */
    private static final class Fair {
        private static final double FULL = 1e-9;

        private final double[] rates;
        /** Links a subflow crosses, of every flow over every relay; the one without is not there. */
        private final int[][] crossed;
        private final double[] room = new double[NODES * NODES];

        Fair(final FlowSet flows) {
            this.rates = new double[flows.size()];
            this.crossed = new int[flows.size() * NODES][];
            for (int flow = 0; flow < flows.size(); flow++) {
                final int from = flows.source(flow);
                final int to = flows.destination(flow);
                for (int relay = 0; relay < NODES; relay++) {
                    crossed[flow * NODES + relay] = relay == from ? null
                        : relay == to ? new int[] {from * NODES + to}
                        : new int[] {from * NODES + relay, relay * NODES + to};
                }
            }
            Arrays.fill(room, 1);
        }

        double[] rates() {
            while (Arrays.stream(crossed).anyMatch(links -> links != null)) {
                grow();
            }
            return rates;
        }

        private void grow() {
            final int[] users = new int[room.length];
            for (final int[] links : crossed) {
                for (int i = 0; links != null && i < links.length; i++) {
                    users[links[i]]++;
                }
            }
            double least = 1;
            for (int link = 0; link < room.length; link++) {
                least = users[link] > 0 ? Math.min(least, room[link] / users[link]) : least;
            }
            for (int link = 0; link < room.length; link++) {
                room[link] -= least * users[link];
            }
            for (int subflow = 0; subflow < crossed.length; subflow++) {
                if (crossed[subflow] != null) {
                    rates[subflow / NODES] += least;
                    if (Arrays.stream(crossed[subflow]).anyMatch(link -> room[link] < FULL)) {
                        crossed[subflow] = null;
                    }
                }
            }
        }
    }
}
