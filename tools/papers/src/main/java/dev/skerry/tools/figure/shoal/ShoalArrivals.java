package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shoal.ParetoRuns.Value;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;

/**
 * Pareto flows between random nodes of 512 by load: Shoal §7.3, Figures 15 and 16, beside our model of DCTCP over
 * packet switches and what the authors' simulator had for 30,000 flows (docs/spec/shoal.md §9.1, §9.3).
 */
public final class ShoalArrivals {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shoal-fig15", "Figures 15, 16",
        "completion times, goodput, queues and reordering of 512 nodes by load, beside DCTCP over packet switches", 10,
        0.5, ShoalArrivals::measure);

    private static final double[] LOADS = {0.2, 0.4, 0.6, 0.8, 1};
    /** One run of the authors' simulator at the highest load: mean, 99 % and 99.9 % of short flows in us. */
    private static final double[] AUTHORS = {8.4, 24.0, 34.5};
    private static final int LONGEST = 11;
    private static final int HELD = 336;
    private static final int REORDERED = 200_000 / 64;
    /** Part of the work that is not packet switches. */
    private static final double OURS = 0.8;
    private static final double GOODPUT = 1.7;

    private ShoalArrivals() {
    }

    private static Findings measure(final Effort effort) {
        final int count = effort.either(2_500, 30_000);
        final Findings found = new Findings();
        final Sample[][] ours = new Sample[Value.values().length][LOADS.length];
        final Sample[][] dctcp = new Sample[3][LOADS.length];
        for (int i = 0; i < LOADS.length; i++) {
            final Effort part = effort.turn(i, LOADS.length);
            final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), ParetoFlows.Pairs.UNIFORM, count, 0, part.part(0, OURS));
            for (final Value value : Value.values()) {
                ours[value.ordinal()][i] = run.get(value);
            }
            final Sample[] peers = RackOfSwitches.dctcp(LOADS[i], count, part.part(OURS, 1));
            for (int number = 0; number < peers.length; number++) {
                dctcp[number][i] = peers[number];
            }
            add(found, i, run, peers);
        }
        plots(found, ours, dctcp);
        return found.remark(count + " flows where the paper has 1 M, every one waited for, " + ParetoRuns.SEEDS
            + " seeds; the tail of Pareto sizes converges slowly. Of DCQCN and NDP over packet switches there is no "
            + "point: the paper prints ratios only, and we have no NDP for packet switches.");
    }

    private static void add(final Findings found, final int row, final ParetoRuns run, final Sample[] dctcp) {
        final boolean highest = row == LOADS.length - 1;
        found.reported("L = " + LOADS[row] + ": flows up to 100 KB, mean, us", highest ? of(0) : "",
            run.get(Value.MEAN_US));
        found.reported("  99 %, us", highest ? of(1) : "", run.get(Value.P99_US));
        found.reported("  99.9 %, us", highest ? of(2) : "", run.get(Value.TAIL_US));
        found.atMost("  longest queue, cells", "11 at most", LONGEST, run.get(Value.QUEUE).most());
        found.atMost("  most cells at a node", "336 at most", HELD, run.get(Value.HELD).most());
        found.atMost("  reordering, cells", "200 KB at most", REORDERED, run.get(Value.REORDERED).most());
        final Sample tail = dctcp[1].over(run.get(Value.TAIL_US));
        if (row == 0) {
            found.atLeast("  DCTCP over it, 99.9 %", "3 at low load", 3, tail);
        } else if (highest) {
            found.atLeast("  DCTCP over it, 99.9 %", "2 at high load", 2, tail);
        } else {
            found.reported("  DCTCP over it, 99.9 %", "3 to 2", tail);
        }
        found.atLeast("  goodput of flows from 1 MB on over DCTCP's", "1.7", GOODPUT,
            run.get(Value.GOODPUT_GBPS).over(dctcp[2]).known());
    }

    private static String of(final int number) {
        return "authors' simulator " + AUTHORS[number];
    }

    private static void plots(final Findings found, final Sample[][] ours, final Sample[][] dctcp) {
        final double[] last = {LOADS[LOADS.length - 1]};
        final String load = "network load L";
        final Plot fct = new Plot("fct", "Figure 15a: FCT, flows up to 100 KB", load, Plot.Scale.LINEAR,
            "us", Plot.Scale.LOGARITHMIC);
        Sample.draw(fct, "Shoal, average", LOADS, ours[Value.MEAN_US.ordinal()]);
        Sample.draw(fct, "Shoal, 99.9 %", LOADS, ours[Value.TAIL_US.ordinal()]);
        Sample.draw(fct, "DCTCP (our model), average", LOADS, dctcp[0]);
        Sample.draw(fct, "DCTCP (our model), 99.9 %", LOADS, dctcp[1]);
        fct.addPublished("Shoal, average", "authors' simulator", last, new double[] {AUTHORS[0]})
            .addPublished("Shoal, 99.9 %", "authors' simulator", last, new double[] {AUTHORS[2]});
        final Plot goodput = new Plot("goodput", "Figure 15b: average goodput, flows from 1 MB on", load, "Gb/s");
        Sample.draw(goodput, "Shoal", LOADS, ours[Value.GOODPUT_GBPS.ordinal()]);
        Sample.draw(goodput, "DCTCP (our model)", LOADS, dctcp[2]);
        final Plot queues = new Plot("queues", "Figure 16: max queue size", load, Plot.Scale.LINEAR, "cells",
            Plot.Scale.LOGARITHMIC);
        Sample.draw(queues, "queue", LOADS, ours[Value.QUEUE.ordinal()]);
        Sample.draw(queues, "aggregate queue of a node", LOADS, ours[Value.HELD.ordinal()]);
        final Plot order = new Plot("reordering", "Figure 16: max cell reordering", load, "cells");
        Sample.draw(order, "Shoal", LOADS, ours[Value.REORDERED.ordinal()]);
        found.add(fct).add(goodput)
            .add(queues.add("queue, printed: at most " + LONGEST, Plot.Style.BOUND, LOADS, all(LONGEST))
                .add("aggregate, printed: at most " + HELD, Plot.Style.BOUND, LOADS, all(HELD)))
            .add(order.add("printed: at most " + REORDERED, Plot.Style.BOUND, LOADS, all(REORDERED)));
    }

    private static double[] all(final double value) {
        final double[] values = new double[LOADS.length];
        Arrays.fill(values, value);
        return values;
    }
}
