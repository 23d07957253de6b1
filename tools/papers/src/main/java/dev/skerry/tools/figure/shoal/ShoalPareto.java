package dev.skerry.tools.figure.shoal;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shoal.ParetoRuns.ParetoFlows;
import dev.skerry.tools.figure.shoal.ParetoRuns.RackOfSwitches;
import dev.skerry.tools.figure.shoal.ParetoRuns.Value;
import dev.skerry.tools.plot.Plot;

/**
 * Pareto flows between random nodes of 512: Shoal §7.3 and §7.4, Figures 15 to 18 (docs/spec/shoal.md §9.1, §9.3), over
 * runs of {@link ParetoRuns}.
 */
public final class ShoalPareto {
    /**
     * Pareto flows between random nodes of 512 by load: Shoal §7.3, Figures 15 and 16, beside our model of DCTCP over
     * packet switches and what the authors' simulator had for 30,000 flows (docs/spec/shoal.md §9.1, §9.3).
     */
    public static final Figure FIG15 = new Figure("shoal-fig15", "Figures 15, 16",
        "completion times, goodput, queues and reordering of 512 nodes by load, beside DCTCP over packet switches", 10,
        0.5, ShoalPareto::arrivals);
    /**
     * Up to half of the nodes down from the start, L = 1: Shoal §7.3, Figure 17. Flows that touch failed nodes are left
     * out (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG17 = new Figure("shoal-fig17", "Figure 17",
        "completion times and goodput with 0 to 50 % of 512 nodes down", 5, 0.3, ShoalPareto::failedNodes);
    /**
     * Epochs twice as long: half as many channels, each twice as fast, and twice as many nodes; Shoal §7.3
     * (docs/spec/shoal.md §9.3).
     */
    public static final Figure EPOCH = new Figure("shoal-epoch", "Section 7.3",
        "completion times with epochs twice as long", 5, 0.8, ShoalPareto::epochLength);
    /**
     * Flows of which 84 % are among a third of the nodes, one every 12.65 ns: Shoal §7.4, Figure 18. The traces of the
     * paper are not public: the skew is theirs, sizes are those of §7.3 (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG18 = new Figure("shoal-fig18", "Figure 18",
        "queues under flows of which 84 % are among a third of 512 nodes", 2, 0.1, ShoalPareto::skew);

    private static final double[] ARRIVALS_LOADS = {0.2, 0.4, 0.6, 0.8, 1};
    /** One run of the authors' simulator at the highest load: mean, 99 % and 99.9 % of short flows in us. */
    private static final double[] AUTHORS = {8.4, 24.0, 34.5};
    private static final int ARRIVALS_LONGEST = 11;
    private static final int HELD = 336;
    private static final int REORDERED = 200_000 / 64;
    /** Part of the work that is not packet switches. */
    private static final double OURS = 0.8;
    private static final double GOODPUT = 1.7;
    private static final int[] PERCENT = {0, 10, 20, 30, 40, 50};
    /** How far a printed factor may be off, as its share. */
    private static final double FAILED_NODES_ABOUT = 0.2;
    private static final double[] EPOCH_LENGTH_LOADS = {0.2, 1};
    private static final String[] NAMES = {"low load", "high load"};
    private static final double[] CHANNELS = {1.26, 1.15};
    private static final double[] NODES = {1.28, 1.2};
    /** How far a printed factor may be off, as its share. */
    private static final double EPOCH_LENGTH_ABOUT = 0.15;
    private static final int HEADER = 8;
    private static final double AMONG_A_THIRD = 0.84;
    private static final double GAP_NS = 12.65;
    private static final int SKEW_LONGEST = 10;

    private ShoalPareto() {
    }

    private static Findings arrivals(final Effort effort) {
        final int count = effort.either(2_500, 30_000);
        final Findings found = new Findings();
        final Sample[][] ours = new Sample[Value.values().length][ARRIVALS_LOADS.length];
        final Sample[][] dctcp = new Sample[3][ARRIVALS_LOADS.length];
        for (int i = 0; i < ARRIVALS_LOADS.length; i++) {
            final Effort part = effort.turn(i, ARRIVALS_LOADS.length);
            final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, ARRIVALS_LOADS[i],
                ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS), ParetoFlows.Pairs.UNIFORM, count, 0, part.part(0, OURS));
            for (final Value value : Value.values()) {
                ours[value.ordinal()][i] = run.get(value);
            }
            final Sample[] peers = RackOfSwitches.dctcp(ARRIVALS_LOADS[i], count, part.part(OURS, 1));
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
        final boolean highest = row == ARRIVALS_LOADS.length - 1;
        found.reported("L = " + ARRIVALS_LOADS[row] + ": flows up to 100 KB, mean, us", highest ? of(0) : "",
            run.get(Value.MEAN_US));
        found.reported("  99 %, us", highest ? of(1) : "", run.get(Value.P99_US));
        found.reported("  99.9 %, us", highest ? of(2) : "", run.get(Value.TAIL_US));
        found.atMost("  longest queue, cells", "11 at most", ARRIVALS_LONGEST, run.get(Value.QUEUE).most());
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
        final double[] last = {ARRIVALS_LOADS[ARRIVALS_LOADS.length - 1]};
        final String load = "network load L";
        final Plot fct = new Plot("fct", "Figure 15a: FCT, flows up to 100 KB", load, Plot.Scale.LINEAR,
            "us", Plot.Scale.LOGARITHMIC);
        Sample.draw(fct, "Shoal, average", ARRIVALS_LOADS, ours[Value.MEAN_US.ordinal()]);
        Sample.draw(fct, "Shoal, 99.9 %", ARRIVALS_LOADS, ours[Value.TAIL_US.ordinal()]);
        Sample.draw(fct, "DCTCP (our model), average", ARRIVALS_LOADS, dctcp[0]);
        Sample.draw(fct, "DCTCP (our model), 99.9 %", ARRIVALS_LOADS, dctcp[1]);
        fct.addPublished("Shoal, average", "authors' simulator", last, new double[] {AUTHORS[0]})
            .addPublished("Shoal, 99.9 %", "authors' simulator", last, new double[] {AUTHORS[2]});
        final Plot goodput = new Plot("goodput", "Figure 15b: average goodput, flows from 1 MB on", load, "Gb/s");
        Sample.draw(goodput, "Shoal", ARRIVALS_LOADS, ours[Value.GOODPUT_GBPS.ordinal()]);
        Sample.draw(goodput, "DCTCP (our model)", ARRIVALS_LOADS, dctcp[2]);
        final Plot queues = new Plot("queues", "Figure 16: max queue size", load, Plot.Scale.LINEAR, "cells",
            Plot.Scale.LOGARITHMIC);
        Sample.draw(queues, "queue", ARRIVALS_LOADS, ours[Value.QUEUE.ordinal()]);
        Sample.draw(queues, "aggregate queue of a node", ARRIVALS_LOADS, ours[Value.HELD.ordinal()]);
        final Plot order = new Plot("reordering", "Figure 16: max cell reordering", load, "cells");
        Sample.draw(order, "Shoal", ARRIVALS_LOADS, ours[Value.REORDERED.ordinal()]);
        found.add(fct).add(goodput)
            .add(queues.addBound("queue, printed: at most " + ARRIVALS_LONGEST, ARRIVALS_LOADS, ARRIVALS_LONGEST)
                .addBound("aggregate, printed: at most " + HELD, ARRIVALS_LOADS, HELD))
            .add(order.addBound("printed: at most " + REORDERED, ARRIVALS_LOADS, REORDERED));
    }

    private static Findings failedNodes(final Effort effort) {
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
        found.near("99.9 % with 20 % down over that with none", 1.2, FAILED_NODES_ABOUT, tail[2].over(tail[0]));
        found.near("99.9 % with 40 % down over that with none", 1.5, FAILED_NODES_ABOUT, tail[4].over(tail[0]));
        final double half = goodput[5].mean() / goodput[0].mean();
        found.near("goodput with 50 % down over that with none", 0.5, FAILED_NODES_ABOUT, half);
        final double middle = (goodput[2].mean() + goodput[3].mean()) / 2 / goodput[0].mean();
        found.near("goodput with 25 % down, of a line from none to 50 %", 1, FAILED_NODES_ABOUT,
            middle / ((1 + half) / 2));
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

    private static Findings epochLength(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < EPOCH_LENGTH_LOADS.length; i++) {
            final Effort part = effort.turn(i, EPOCH_LENGTH_LOADS.length);
            final Sample base = tail(new ParetoFlows(ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(0, 3));
            final Sample channels = tail(new ParetoFlows(ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i],
                2 * (ParetoRuns.PAYLOAD + HEADER) - HEADER, 2 * ParetoRuns.SLOT_NS), part.turn(1, 3));
            final Sample nodes = tail(new ParetoFlows(2 * ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(2, 3));
            found.reported(NAMES[i] + ": flows up to 100 KB, 99.9 %, us", "", base);
            found.near("  with 2x50 Gb/s over that with 4x25 Gb/s", CHANNELS[i], EPOCH_LENGTH_ABOUT,
                channels.over(base));
            found.near("  with 1,024 nodes over that with 512", NODES[i], EPOCH_LENGTH_ABOUT, nodes.over(base));
        }
        return found.remark("Half the channels: cells of 128 bytes in slots twice as long, as one channel of the "
            + "authors' simulator stands for four.");
    }

    private static Sample tail(final ParetoFlows flows, final Effort effort) {
        return ParetoRuns.of(flows, ParetoFlows.Pairs.UNIFORM,
            effort.either(2_500, 30_000) * flows.nodes() / ParetoRuns.NODES, 0, effort).get(Value.TAIL_US);
    }

    private static Findings skew(final Effort effort) {
        final double load = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS).gapNs()
            / GAP_NS;
        final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, load, ParetoRuns.PAYLOAD,
            ParetoRuns.SLOT_NS), ParetoFlows.Pairs.skewed(AMONG_A_THIRD), effort.either(2_500, 30_000), 0, effort);
        return new Findings().atMost("longest queue, cells", "10 at most", SKEW_LONGEST, run.get(Value.QUEUE).most())
            .reported("flows up to 100 KB, mean, us", "", run.get(Value.MEAN_US))
            .reported("  99.9 %, us", "", run.get(Value.TAIL_US))
            .reported("goodput of flows from 1 MB on, Gb/s", "", run.get(Value.GOODPUT_GBPS).known())
            .remark("One workload in place of six: the traces are not public.");
    }
}
