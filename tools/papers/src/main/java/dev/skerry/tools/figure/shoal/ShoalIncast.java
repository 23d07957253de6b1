package dev.skerry.tools.figure.shoal;

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

import java.util.Arrays;

/**
 * Many to one in Shoal: all others at once as in Figure 10 (docs/spec/shoal.md §9.2 G4), and some of 511 with 130 KB
 * each as in Figure 13 (G6).
 */
public final class ShoalIncast {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-incast", "Figures 10, 13 (G4, G6)",
        "completion of many to one, and its queue", 2, 0.4, ShoalIncast::measure);

    private static final int PAYLOAD = 56;
    private static final int[] ALL = {8, 16, 64};
    private static final long[] SLOWEST = {49, 225, 3969};
    private static final long[] FASTEST = {43, 211, 3907};
    private static final int CELLS = 2378;
    private static final int NODES = 512;

    private ShoalIncast() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < ALL.length; i++) {
            final FlowSet flows = senders(ALL[i] - 1, ALL[i] - 1, ALL[i] - 1);
            final Outcome outcome = run(ALL[i], flows, effort.silent());
            found.exactly("N = " + ALL[i] + ", N-1 cells each, slowest, slots", SLOWEST[i], slowest(outcome));
            found.exactly("the same, fastest, slots", FASTEST[i], fastest(outcome));
            if (ALL[i] == 8) {
                found.atMost("Figure 10, longest queue, cells", "7", 7, CircuitRuns.max(outcome.nodes().queueLength()));
            }
        }
        some(found, effort);
        return found.remark("Without delay; shoal-prototype has Figure 10 with the latencies of the prototype.");
    }

    private static void some(final Findings found, final Effort effort) {
        final int[] counts = {10, 20, 30, 40, 50};
        final double[] x = new double[counts.length];
        final double[] slow = new double[counts.length];
        final double[] mean = new double[counts.length];
        final double[] best = new double[counts.length];
        final double us = 5.632e-3;
        for (int i = 0; i < counts.length; i++) {
            final Outcome outcome = run(NODES, senders(counts[i], CELLS, NODES - 1), effort.turn(i, counts.length));
            final double optimal = (double) counts[i] * CELLS;
            x[i] = counts[i];
            slow[i] = us * slowest(outcome);
            mean[i] = us * mean(outcome);
            best[i] = us * optimal;
            found.between(counts[i] + " senders of 130 KB, slowest over the optimum", "1, linear in s", 1,
                1.1, slowest(outcome) / optimal);
            found.atLeast("the same, mean over slowest", "about 1", 0.9, mean(outcome) / slowest(outcome));
            found.atMost("the same, longest queue, cells", "s + 1", counts[i] + 1,
                CircuitRuns.max(outcome.nodes().queueLength()));
        }
        found.add(new Plot("senders", "FCT of 130 KB from each of s senders, N = " + NODES, "senders s", "us")
            .add("slowest flow", Plot.Style.DOTS, x, slow).add("mean", Plot.Style.DOTS, x, mean)
            .add("optimum", Plot.Style.BOUND, x, best));
    }

    private static FlowSet senders(final int count, final int cells, final int receiver) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < count; from++) {
            flows.add(from, from, receiver, (long) PAYLOAD * cells, cells, 0);
        }
        return flows;
    }

    private static Outcome run(final int nodes, final FlowSet flows, final Effort effort) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 1), ReleaseRule.EXACT, false, 0);
        return CircuitRuns.run(shoal, flows, 0, effort);
    }

    private static long slowest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).max().orElseThrow() + 1;
    }

    private static long fastest(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).min().orElseThrow() + 1;
    }

    private static double mean(final Outcome outcome) {
        return Arrays.stream(outcome.completedIn()).average().orElseThrow() + 1;
    }
}
