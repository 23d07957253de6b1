package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.report.Quantiles;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Flows of 20 KB between two nodes at regular intervals, while all others send to each other: Shoal Figure 14. The
 * 2^age rule on and off, each queue told of once and twice, and the basic mechanism, at three loads of the others.
 */
public final class ShoalYoungFlows implements Figure {
    private static final double SLOT_NS = 5.632;
    private static final int PAYLOAD = 56;
    private static final int CELLS = Math.ceilDiv(20 * 1024, PAYLOAD);
    private static final int[] PERCENT = {25, 50, 90};
    private static final Variant[] VARIANTS = {
        new Variant("exact, 2^age on", ReleaseRule.EXACT, true),
        new Variant("exact, 2^age off", ReleaseRule.EXACT, false),
        new Variant("told once, 2^age on", ReleaseRule.PAPER_ONE_REPORT, true),
        new Variant("told twice, 2^age on", ReleaseRule.PAPER_LITERAL, true),
        new Variant("basic, 2^age off", ReleaseRule.BASIC, false)};
    private static final int TO = 1;
    private static final int GAP = 2;
    /** Background flows are of 100 cells, and a node begins them so that it sends a share of its rate. */
    private static final int OTHER_CELLS = 100;

    private record Variant(String name, ReleaseRule rule, boolean ageRule) {
    }

    @Override
    public About about() {
        return new About("shoal-fig14", "Shoal", "Figure 14", "flows of 20 KB beside others: what the 2^age rule, the "
            + "ready queues and a second report bring", 6, 0.5);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int nodes = effort.either(64, 256);
        final Findings found = new Findings();
        final Plot plot = new Plot("fct", "Completion of 20 KB beside others at 50 %", "us", Plot.Scale.LOGARITHMIC,
            "share of flows", Plot.Scale.LINEAR);
        for (int load = 0; load < PERCENT.length; load++) {
            final double[][] us = new double[VARIANTS.length][];
            for (int i = 0; i < VARIANTS.length; i++) {
                final double part = VARIANTS.length * PERCENT.length;
                final int done = load * VARIANTS.length + i;
                us[i] = young(VARIANTS[i], nodes, PERCENT[load] / 200.0, effort,
                    progress.part(done / part, (done + 1) / part));
                final String of = "others at " + PERCENT[load] + " %, " + VARIANTS[i].name;
                found.reported(of + ": mean, us", "", Arrays.stream(us[i]).average().orElseThrow());
                found.reported("  99 %, us", "", Quantiles.of(us[i], 0.99));
                if (PERCENT[load] == 50) {
                    plot.addShares(VARIANTS[i].name, us[i]);
                }
            }
            found.atMost("others at " + PERCENT[load] + " %, mean with both optimisations over that of basic",
                "far smaller", 1, mean(us[0]) / mean(us[VARIANTS.length - 1]));
        }
        return found.add(plot).remark("The load is the share of the guaranteed half that the others offer, in flows of "
            + OTHER_CELLS + " cells, N = " + nodes + ".");
    }

    private static double mean(final double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }

    private static double[] young(final Variant variant, final int nodes, final double load, final Effort effort,
        final FigureProgress progress) {
        final int count = effort.either(60, 200);
        final long apart = 20L * nodes;
        final FlowSet flows = flows(nodes, count, apart, load, effort.seed());
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 1), variant.rule, variant.ageRule, 0);
        final Outcome outcome = CircuitRuns.run(shoal, flows, (count + 20) * apart, effort, progress);
        return IntStream.range(0, outcome.completed().length).filter(i -> flows.source(outcome.completed()[i]) == 0)
            .mapToDouble(i -> (outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i])) * SLOT_NS / 1e3)
            .sorted().toArray();
    }

    /** Node 0 sends to the last node; the others to each other. */
    private static FlowSet flows(final int nodes, final int count, final long apart, final double load,
        final long seed) {
        final List<long[]> starts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            starts.add(new long[] {i * apart, 0, nodes - 1, CELLS});
        }
        final long key = CounterRandom.mix(seed);
        for (int from = 1; from < nodes - 1; from++) {
            double clock = 0;
            for (int i = 0; clock < count * apart; i++) {
                clock -= Math.log(((CounterRandom.bits(key, from, i, GAP) >>> 11) + 1) * 0x1p-53) * OTHER_CELLS / load;
                final int other = 1 + CounterRandom.below(CounterRandom.bits(key, from, i, TO), nodes - 3);
                starts.add(new long[] {(long) clock, from, other < from ? other : other + 1, OTHER_CELLS});
            }
        }
        starts.sort(Comparator.comparingLong(start -> start[0]));
        final FlowSet flows = new FlowSet();
        for (final long[] start : starts) {
            flows.add(flows.size(), (int) start[1], (int) start[2], PAYLOAD * start[3], (int) start[3], start[0]);
        }
        return flows;
    }
}
