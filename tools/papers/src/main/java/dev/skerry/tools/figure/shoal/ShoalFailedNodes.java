package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shoal.ParetoRuns.Value;
import dev.skerry.tools.plot.Plot;

/**
 * Up to half of the nodes down from the start, L = 1: Shoal §7.3, Figure 17. Flows that touch failed nodes are left out
 * (docs/spec/shoal.md §9.3).
 */
public final class ShoalFailedNodes {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig17", "Figure 17",
        "completion times and goodput with 0 to 50 % of 512 nodes down", 5, 0.3, ShoalFailedNodes::measure);

    private static final int[] PERCENT = {0, 10, 20, 30, 40, 50};
    /** How far a printed factor may be off, as its share. */
    private static final double ABOUT = 0.2;

    private ShoalFailedNodes() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final ParetoFlows flows = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS);
        final double[] x = new double[PERCENT.length];
        final Sample[] tail = new Sample[PERCENT.length];
        final Sample[] goodput = new Sample[PERCENT.length];
        for (int i = 0; i < PERCENT.length; i++) {
            final ParetoRuns run = ParetoRuns.of(flows, ParetoFlows.Pairs.UNIFORM, effort.either(2_500, 30_000),
                ParetoRuns.NODES * PERCENT[i] / 100, effort.turn(i, PERCENT.length));
            x[i] = PERCENT[i];
            tail[i] = run.get(Value.TAIL_US);
            goodput[i] = run.get(Value.GOODPUT_GBPS).known();
            found.reported(PERCENT[i] + " % down: flows up to 100 KB, 99.9 %, us", "", tail[i]);
            found.reported("  goodput of flows from 1 MB on, Gb/s", "", goodput[i]);
        }
        found.near("99.9 % with 20 % down over that with none", 1.2, ABOUT, tail[2].over(tail[0]));
        found.near("99.9 % with 40 % down over that with none", 1.5, ABOUT, tail[4].over(tail[0]));
        final double half = goodput[5].mean() / goodput[0].mean();
        found.near("goodput with 50 % down over that with none", 0.5, ABOUT, half);
        final double middle = (goodput[2].mean() + goodput[3].mean()) / 2 / goodput[0].mean();
        found.near("goodput with 25 % down, of a line from none to 50 %", 1, ABOUT, middle / ((1 + half) / 2));
        final Plot fct = new Plot("fct", "Figure 17: 99.9p FCT, flows up to 100 KB", "failed nodes (%)", "us");
        Sample.draw(fct, "Shoal", x, tail);
        final Plot rate = new Plot("goodput", "Figure 17: average goodput, flows from 1 MB on", "failed nodes (%)",
            "Gb/s");
        Sample.draw(rate, "Shoal", x, goodput);
        final double none = tail[0].mean();
        return found.add(fct.addPublished("Shoal", "as printed over our 0 %", new double[] {20, 40},
                new double[] {1.2 * none, 1.5 * none}))
            .add(rate.addPublished("Shoal", "as printed over our 0 %", new double[] {50},
                new double[] {goodput[0].mean() / 2}));
    }
}
