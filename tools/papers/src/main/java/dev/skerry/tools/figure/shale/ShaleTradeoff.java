package dev.skerry.tools.figure.shale;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.Permutation;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.stream.IntStream;

/**
 * Latency against throughput by the number of phases: Shale §3.1 and Figure 1, measured at 256 nodes without
 * propagation delay: single cells across an empty fabric, and a permutation of endless flows (docs/spec/shale.md
 * §10.3).
 */
public final class ShaleTradeoff {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig1", "Figure 1",
        "throughput and intrinsic latency by h, measured at 256 nodes", 1, 0.3, ShaleTradeoff::measure);

    private static final int NODES = 256;
    private static final int[] PHASES = {1, 2, 4, 8};
    private static final int[] RADIX = {256, 16, 4, 2};
    private static final double PAPER_NODES = 100_000;
    private static final double SLOT_US = 5.632e-3;
    private static final int SEEDS = 5;
    /** Some thousand cells meet nearly the longest way, but need not meet the very longest. */
    private static final double NEARLY = 0.75;

    private ShaleTradeoff() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Sample[] throughput = new Sample[PHASES.length];
        final double[] latencyUs = new double[PHASES.length];
        for (int i = 0; i < PHASES.length; i++) {
            final int phases = PHASES[i];
            final int radix = RADIX[i];
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, PHASES.length),
                seeded -> new double[] {longest(phases, radix, seeded),
                    rate(phases, radix, seeded)});
            final int epochs = 2 * phases * (radix - 1);
            final int bound = phases == 1 ? NODES : epochs;
            found.between("h = " + phases + ": longest way of a cell, slots", bound + " at most, 2 epochs",
                NEARLY * bound, bound, of[0]);
            // The start of a run is in it.
            found.atLeast("  cells per node and slot of a permutation", "1/(2h) at least", 0.99 * 0.5 / phases, of[1]);
            throughput[i] = of[1];
            latencyUs[i] = of[0].mean() * SLOT_US;
        }
        final Plot plot = new Plot("tradeoff", "Throughput and intrinsic latency by h", "intrinsic latency (us)",
            Plot.Scale.LOGARITHMIC, "throughput (share of line rate)", Plot.Scale.LINEAR);
        Sample.draw(plot, "measured, " + NODES + " nodes, h = 8 to 1", reversed(latencyUs), reversed(throughput));
        final double[] all = IntStream.of(8, 7, 6, 5, 4, 3, 2, 1).mapToDouble(h -> h).toArray();
        final double[] us = new double[all.length];
        final double[] guaranteed = new double[all.length];
        for (int i = 0; i < all.length; i++) {
            us[i] = SLOT_US * 2 * all[i] * (Math.pow(PAPER_NODES, 1 / all[i]) - 1);
            guaranteed[i] = 0.5 / all[i];
        }
        return found.add(plot.add("2h(N^(1/h) - 1) slots and 1/(2h), 100,000 nodes", Plot.Style.BOUND, us, guaranteed))
            .remark("The formulas of 100,000 nodes are drawn beside, not checked. With one token for first hops h = 1 "
                + "stays below its guarantee, with two it does not (--first-hop-tokens 2).");
    }

    private static double[] reversed(final double[] values) {
        return IntStream.range(0, values.length).mapToDouble(i -> values[values.length - 1 - i]).toArray();
    }

    private static Sample[] reversed(final Sample[] values) {
        return IntStream.range(0, values.length).mapToObj(i -> values[values.length - 1 - i]).toArray(Sample[]::new);
    }

    private static Shale shale(final int phases, final int radix, final long seed) {
        return ShaleRuns.fabric(phases, radix, 0, Mechanisms.HBH_SPRAY, 1, 0, seed);
    }

    /** Slots that the slowest of some single cells took, each alone in the fabric. */
    private static double longest(final int phases, final int radix, final Effort effort) {
        final int apart = 2 * phases * (radix - 1) + 1;
        final FlowSet drawn = ShaleRuns.flows(SizeDistribution.SHORT, 0.5 / phases, NODES, 100_000, effort.seed());
        final int count = Math.min(drawn.size(), effort.either(500, 2_000));
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < count; flow++) {
            flows.add(flow, drawn.source(flow), drawn.destination(flow), ShaleRuns.PAYLOAD, 1,
                (long) flow * (2L * apart + 1));
        }
        final Outcome outcome = CircuitRuns.run(shale(phases, radix, effort.seed()), flows, 0, effort.silent());
        return IntStream.range(0, outcome.completed().length)
            .mapToDouble(i -> outcome.completedIn()[i] + 1.0 - flows.startSlot(outcome.completed()[i])).max()
            .orElseThrow();
    }

    private static double rate(final int phases, final int radix, final Effort effort) {
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(NODES, ShaleRuns.PAYLOAD, 1,
            effort.seed());
        final int slots = effort.either(20_000, 100_000);
        return CircuitRuns.steady(shale(phases, radix, effort.seed()), flows, slots / 4, slots, effort)
            .rate(NODES);
    }
}
