package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Quantiles;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Flows of 20 KB between two nodes at regular intervals, while all others send to each other: Shoal Figure 14. The
 * 2^age rule on and off, each queue told of once and twice, and the basic mechanism, while every other node has 1, 4 or
 * 16 endless flows.
 */
public final class ShoalYoungFlows {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig14", "Figure 14",
        "flows of 20 KB beside others: what the 2^age rule, the ready queues and a second report bring", 90, 0.5,
        ShoalYoungFlows::measure);

    private static final double SLOT_NS = 5.632;
    private static final int PAYLOAD = 56;
    private static final int CELLS = Math.ceilDiv(20 * 1024, PAYLOAD);
    private static final int[] OTHERS = {1, 4, 16};
    /** Share of the whole work that is done before each group of runs; 1 at the end. Measured with 512 nodes. */
    private static final double[] WORK = {0, 0.08, 0.42, 1};
    private static final Variant[] VARIANTS = {
        new Variant("exact, 2^age on", ReleaseRule.EXACT, true),
        new Variant("exact, 2^age off", ReleaseRule.EXACT, false),
        new Variant("told once, 2^age on", ReleaseRule.PAPER_ONE_REPORT, true),
        new Variant("told twice, 2^age on", ReleaseRule.PAPER_LITERAL, true),
        new Variant("basic, 2^age off", ReleaseRule.BASIC, false)};
    private static final int TO = 1;
    private static final double FAR_SMALLER = 0.5;
    /** Epochs from a young flow to the next: longer than one takes. */
    private static final int APART = 200;

    private record Variant(String name, ReleaseRule rule, boolean ageRule) {
    }

    private ShoalYoungFlows() {
    }

    private static Findings measure(final Effort effort) {
        final int nodes = effort.either(64, 512);
        final Findings found = new Findings();
        final Plot plot = new Plot("fct", "CDF of FCT of 20 KB, each other node with 16 flows, N = " + nodes,
            "flow completion time (us)", "share of flows");
        for (int row = 0; row < OTHERS.length; row++) {
            final double[][] us = new double[VARIANTS.length][];
            final String of = OTHERS[row] + (OTHERS[row] == 1 ? " flow" : " flows") + " of each other node, ";
            // The last variant, the basic mechanism, takes as long as two others.
            final double part = (WORK[row + 1] - WORK[row]) / (VARIANTS.length + 1);
            for (int i = 0; i < VARIANTS.length; i++) {
                final double begun = WORK[row] + i * part;
                us[i] = young(VARIANTS[i], nodes, OTHERS[row],
                    effort.part(begun, i < VARIANTS.length - 1 ? begun + part : WORK[row + 1]));
                found.reported(of + VARIANTS[i].name + ": mean, us", "", mean(us[i]));
                found.reported("  99 %, us", "", Quantiles.of(us[i], 0.99));
                if (OTHERS[row] == OTHERS[OTHERS.length - 1]) {
                    plot.addShares(VARIANTS[i].name, us[i]);
                }
            }
            final boolean most = row == OTHERS.length - 1;
            found.atMost(of + "mean with both optimisations over that of basic", most ? "far smaller" : "smaller",
                most ? FAR_SMALLER : 1, mean(us[0]) / mean(us[VARIANTS.length - 1]));
        }
        return found.add(plot).remark("The paper does not print its background; here the others send to each other "
            + "without end, N = " + nodes + ".");
    }

    private static double mean(final double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }

    private static double[] young(final Variant variant, final int nodes, final int others, final Effort effort) {
        final int count = effort.either(16, 30);
        final long apart = (long) APART * (nodes - 1);
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 1), variant.rule, variant.ageRule, 0);
        final FlowSet flows = flows(nodes, count, apart, others, effort.seed());
        final Outcome outcome = CircuitRuns.run(shoal, flows, (count + 1) * apart, effort);
        return IntStream.range(0, outcome.completed().length)
            .mapToDouble(i -> (outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i])) * SLOT_NS / 1e3)
            .sorted().toArray();
    }

    /** Node 0 sends to the last node from the second interval on; the others to each other from the start. */
    private static FlowSet flows(final int nodes, final int count, final long apart, final int others,
        final long seed) {
        final FlowSet flows = new FlowSet();
        final long key = CounterRandom.mix(seed);
        for (int from = 1; from < nodes - 1; from++) {
            for (int i = 0; i < others; i++) {
                final int other = 1 + CounterRandom.below(CounterRandom.bits(key, from, i, TO), nodes - 3);
                CircuitRuns.endless(flows, from, other < from ? other : other + 1);
            }
        }
        for (int i = 1; i <= count; i++) {
            flows.add(flows.size(), 0, nodes - 1, (long) PAYLOAD * CELLS, CELLS, i * apart);
        }
        return flows;
    }
}
