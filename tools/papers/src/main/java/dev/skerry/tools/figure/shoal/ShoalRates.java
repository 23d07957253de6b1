package dev.skerry.tools.figure.shoal;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.util.ArrayList;
import java.util.List;

/**
 * Rates of endless flows in Shoal: one flow, permutations, and pairs of some nodes as in Figure 12 (docs/spec/shoal.md
 * §9.2 G1 to G3, §9.3).
 */
public final class ShoalRates {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-rates", "Figure 12, section 3.3.1 (G1 to G3)",
        "rate of one flow, of permutations, and of p pairs", 4, 0.3, ShoalRates::measure);

    private static final double USABLE_GBPS = 100 / 1.1;
    private static final int WARM_EPOCHS = 60;
    private static final int[] PERMUTED = {7, 8, 9, 16, 64, 512};
    private static final double[] PERCENT = {58.3, 57.1, 56.3, 53.3, 50.8, 50.1};
    private static final int[] PAIRS = {2, 16, 64, 128, 256, 384, 512};

    private ShoalRates() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int nodes = effort.either(64, 512);
        found.exactly("one flow, N = " + nodes + ", % of the usable rate", 100,
            100 * oneFlow(nodes, effort.part(0, 0.2)));
        for (int i = 0; i < PERMUTED.length; i++) {
            if (PERMUTED[i] <= nodes) {
                permutation(found, i, effort.part(0.2 + 0.2 * i / PERMUTED.length,
                    0.2 + 0.2 * (i + 1) / PERMUTED.length));
            }
        }
        pairs(found, nodes, effort.part(0.4, 1));
        return found;
    }

    private static double rate(final FlowSet flows, final int nodes, final int senders, final Effort effort) {
        return steady(flows, nodes, effort).rate(senders);
    }

    private static CircuitRuns.Steady steady(final FlowSet flows, final int nodes, final Effort effort) {
        final Shoal shoal = Shoal.of(RoundRobin.plain(nodes, 1), ReleaseRule.EXACT, true, 0);
        final long epoch = nodes - 1;
        return CircuitRuns.steady(shoal, flows, WARM_EPOCHS * epoch, effort.either(40, 100) * epoch, effort);
    }

    private static double oneFlow(final int nodes, final Effort effort) {
        final FlowSet flows = new FlowSet();
        CircuitRuns.endless(flows, nodes / 3, nodes - 1);
        return rate(flows, nodes, 1, effort);
    }

    private static void permutation(final Findings found, final int index, final Effort effort) {
        final int nodes = PERMUTED[index];
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(nodes, 56, 1, effort.seed());
        final CircuitRuns.Steady steady = steady(flows, nodes, effort);
        found.within("permutation, N = " + nodes + ", % of the usable rate", PERCENT[index], 0.1,
            100 * steady.rate(nodes));
        found.atMost("its longest queue, cells", "2", 2, CircuitRuns.max(steady.outcome().nodes().queueLength()));
    }

    /** G3: p nodes that send and receive one flow each have (N - p/2)/(N - 1) of the usable rate. */
    private static void pairs(final Findings found, final int nodes, final Effort effort) {
        final List<double[]> points = new ArrayList<>();
        double before = Double.POSITIVE_INFINITY;
        double rise = 0;
        for (int i = 0; i < PAIRS.length; i++) {
            final int pairs = PAIRS[i];
            if (pairs <= nodes) {
                final FlowSet flows = new FlowSet();
                for (int from = 0; from < pairs; from++) {
                    CircuitRuns.endless(flows, from, (from + 1) % pairs);
                }
                final double gbps = USABLE_GBPS * rate(flows, nodes, pairs, effort.turn(i, PAIRS.length));
                final double expected = USABLE_GBPS * (nodes - pairs / 2.0) / (nodes - 1);
                found.near("p = " + pairs + " of N = " + nodes + ", Gb/s", expected, 0.005, gbps);
                rise = Math.max(rise, gbps - before);
                before = gbps;
                points.add(new double[] {pairs, gbps, expected});
            }
        }
        found.atMost("most that more pairs gain, Gb/s", "none: it falls to half", 0, rise);
        final double[] x = points.stream().mapToDouble(p -> p[0]).toArray();
        found.add(new Plot("pairs", "Average destination throughput, N = " + nodes,
            "nodes p that send and receive a flow", "Gb/s")
            .add("measured", Plot.Style.DOTS, x, points.stream().mapToDouble(p -> p[1]).toArray())
            .add("G3: (N - p/2)/(N - 1) of the usable rate", Plot.Style.BOUND, x,
                points.stream().mapToDouble(p -> p[2]).toArray()));
    }
}
