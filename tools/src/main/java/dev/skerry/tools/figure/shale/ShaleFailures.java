package dev.skerry.tools.figure.shale;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.traffic.Permutation;

/**
 * Throughput while some of the nodes are down: Shale Figure 12, ten overlaid permutations of the others, endless flows
 * (docs/spec/shale.md §8.6, §10.3, §10.4).
 */
public final class ShaleFailures implements Figure {
    private static final int PERMUTATIONS = 10;
    private static final int[] PERCENT = {0, 2, 4, 6, 8};
    private static final int QUICK_SLOTS = 15_000;
    private static final int SLOTS = 2_000_000;
    /** By phases (2, 4), of the authors' simulator at 1,296 nodes with 0, 4 and 8 % down: cells per good node, slot. */
    private static final double[][] QUICK = {{0.2509, 0.2407, 0.2304}, {0.1342, 0.1259, 0.1185}};
    /** Without failures a run of 15,000 slots has its start in it. */
    private static final double RAMP_UP = 0.005;

    @Override
    public About about() {
        return new About("shale-fig12", "Shale", "Figure 12", "throughput with 0 to 8 % of the nodes down", 700, 0.6);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final Plot plot = new Plot("failures", "Throughput by share of nodes that are down", "% of the nodes",
            "cells per good node and slot");
        for (int i = 0; i < QUICK.length; i++) {
            final int phases = 2 * (i + 1);
            final double[] x = new double[PERCENT.length];
            final double[] y = new double[PERCENT.length];
            for (int f = 0; f < PERCENT.length; f++) {
                final double share = (f + i * PERCENT.length) / (2.0 * PERCENT.length);
                x[f] = PERCENT[f];
                y[f] = rate(phases, PERCENT[f], effort, progress.part(share, share + 0.5 / PERCENT.length));
            }
            checks(found, phases, y, effort);
            plot.add("h = " + phases, Plot.Style.DOTS, x, y);
        }
        return found.add(plot);
    }

    private static void checks(final Findings found, final int phases, final double[] rates, final Effort effort) {
        final double bound = 0.5 / phases;
        final String of = "h = " + phases + ": ";
        found.atLeast(of + "none down, cells per node and slot", "at least " + Check.text(bound),
            effort.quick() ? bound * (1 - RAMP_UP) : bound, rates[0]);
        double rise = Double.NEGATIVE_INFINITY;
        for (int f = 1; f < rates.length; f++) {
            rise = Math.max(rise, rates[f] / rates[f - 1] - 1);
            found.reported("  " + PERCENT[f] + " % down, of that with none", "about "
                + Check.text(1 - PERCENT[f] / 100.0), rates[f] / rates[0]);
        }
        found.atMost("  most that it rises with more down, %", "it falls", 0, 100 * rise);
        for (int f = 0; effort.quick() && f < PERCENT.length; f += 2) {
            found.near("  " + PERCENT[f] + " % down, the authors' simulator", QUICK[phases / 2 - 1][f / 2],
                0.02, rates[f]);
        }
    }

    /** Cells that a good node is delivered in a slot. */
    private static double rate(final int phases, final int percent, final Effort effort,
        final FigureProgress progress) {
        final int radix = effort.quick() ? phases == 2 ? 36 : 6 : phases == 2 ? 100 : 10;
        final int nodes = (int) Math.round(Math.pow(radix, phases));
        final int failed = nodes * percent / 100;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, failed, Mechanisms.HBH_SPRAY, 1, delay,
            effort.seed());
        final FlowSet flows = new FlowSet();
        for (int permutation = 0; permutation < PERMUTATIONS; permutation++) {
            final FlowSet one = new Permutation(Permutation.ENDLESS_BYTES).generate(nodes - failed, ShaleRuns.PAYLOAD,
                1, effort.seed() + permutation);
            for (int flow = 0; flow < one.size(); flow++) {
                CircuitRuns.endless(flows, one.source(flow), one.destination(flow));
            }
        }
        final int slots = effort.either(QUICK_SLOTS, SLOTS);
        final Outcome outcome = CircuitRuns.run(shale, flows, slots, effort, progress);
        return outcome.count(NicCounter.CELLS_DELIVERED) / ((double) (nodes - failed) * slots);
    }
}
