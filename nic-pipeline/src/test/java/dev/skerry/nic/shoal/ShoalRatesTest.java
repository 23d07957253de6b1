package dev.skerry.nic.shoal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Random;

/** Rates of endless flows, exact to the cell: checks G1, G2 and G3 of docs/spec/shoal.md §9.2. */
@Sampled
final class ShoalRatesTest {
    private static final int WARM_EPOCHS = 60;
    private static final int EPOCHS = 40;

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
}
