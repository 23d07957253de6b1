package dev.skerry.tools.figure.shale;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Throughput while some of the nodes are down: Shale §5.4 and Figure 12, ten overlaid permutations of the others,
 * endless flows (docs/spec/shale.md §8.6, §10.3, §10.4).
 */
public final class ShaleFailures {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig12", "Figure 12, section 5.4",
        "throughput with 0 to 8 % of the nodes down", 420, 1.5,
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleFailures::measure);

    private static final int PERMUTATIONS = 10;
    private static final int SEEDS = 5;
    private static final int[] PERCENT = {0, 2, 4, 6, 8};
    /** What the authors' simulator was run with at 1,296 nodes. */
    private static final int[] QUICK_PERCENT = {0, 4, 8};
    private static final int QUICK_SLOTS = 15_000;
    private static final int SLOTS = 2_000_000;
    /** By phases (2, 4): cells per good node and slot of the authors' simulator. */
    private static final double[][] SIMULATOR = {{0.2509, 0.2407, 0.2304}, {0.1342, 0.1259, 0.1185}};
    /** Without failures a run of 15,000 slots has its start in it. */
    private static final double RAMP_UP = 0.005;
    /** Of roughly in proportion. */
    private static final double ROUGHLY = 0.06;

    private ShaleFailures() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final int[] percent = effort.quick() ? QUICK_PERCENT : PERCENT;
        final double[] x = Arrays.stream(percent).asDoubleStream().toArray();
        final Plot plot = new Plot("failures", "Throughput with failed nodes", "failed nodes (%)",
            "cells per good node and slot");
        final int[] all = ShaleRuns.phases(effort);
        for (int row = 0; row < all.length; row++) {
            final int h = all[row];
            final Effort ofRow = effort.turn(row, all.length);
            final Sample[] rates = new Sample[percent.length];
            for (int f = 0; f < percent.length; f++) {
                final int failed = percent[f];
                rates[f] = Sample.of(effort.either(SEEDS, 1), ofRow.turn(f, percent.length),
                    seeded -> new double[] {rate(h, failed, seeded)})[0];
            }
            checks(found, h, percent, rates, effort);
            Sample.draw(plot, "h = " + h, x, rates);
            plot.add("h = " + h + ", lower bound without failures", Plot.Style.BOUND, x,
                Arrays.stream(x).map(at -> 0.5 / h).toArray());
            if (effort.quick()) {
                plot.addPublished("h = " + h, "authors' simulator", x, SIMULATOR[h / 2 - 1]);
            }
        }
        return effort.quick() ? found.add(plot) : found.add(plot).remark(effort.beside("2 M", SLOTS));
    }

    private static void checks(final Findings found, final int phases, final int[] percent, final Sample[] rates,
        final Effort effort) {
        final double bound = 0.5 / phases;
        final String of = "h = " + phases + ": ";
        found.atLeast(of + "none down, cells per node and slot", "at least " + Check.text(bound),
            effort.quick() ? bound * (1 - RAMP_UP) : bound, rates[0]);
        for (int f = 1; f < rates.length; f++) {
            final double share = 1 - percent[f] / 100.0;
            found.between("  " + percent[f] + " % down, of that with none", "roughly " + Check.text(share),
                share - ROUGHLY, share + ROUGHLY, rates[f].over(rates[0]));
            found.atMost("  the same, of that with " + percent[f - 1] + " % down", "it falls", 1,
                rates[f].over(rates[f - 1]));
        }
        for (int f = 0; effort.quick() && f < percent.length; f++) {
            found.near("  " + percent[f] + " % down, the authors' simulator", SIMULATOR[phases / 2 - 1][f], 0.02,
                rates[f].mean());
        }
    }

    /** Cells that a good node is delivered in a slot. */
    private static double rate(final int phases, final int percent, final Effort effort) {
        final int radix = effort.quick() ? phases == 2 ? 36 : 6 : phases == 2 ? 100 : 10;
        final int nodes = (int) Math.round(Math.pow(radix, phases));
        final int failed = nodes * percent / 100;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, failed, Mechanisms.HBH_SPRAY, 1, delay,
            effort.seed());
        final FlowSet flows = new FlowSet();
        for (int permutation = 0; permutation < PERMUTATIONS; permutation++) {
            final FlowSet one = new Permutation(Permutation.ENDLESS_BYTES).generate(nodes - failed, ShaleRuns.PAYLOAD,
                1, effort.seed() + (long) permutation * SEEDS);
            for (int flow = 0; flow < one.size(); flow++) {
                CircuitRuns.endless(flows, one.source(flow), one.destination(flow));
            }
        }
        final int slots = effort.slots(QUICK_SLOTS, SLOTS);
        final Outcome outcome = CircuitRuns.run(shale, flows, slots, effort);
        return outcome.count(NicCounter.CELLS_DELIVERED) / ((double) (nodes - failed) * slots);
    }
}
