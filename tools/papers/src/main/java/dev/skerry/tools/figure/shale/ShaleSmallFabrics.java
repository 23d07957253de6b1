package dev.skerry.tools.figure.shale;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.Permutation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Shale fabrics of some hundred nodes: Figures 1, 4 and 8 (docs/spec/shale.md §10.3). */
public final class ShaleSmallFabrics {
    /**
     * Latency against throughput by the number of phases: Shale §3.1 and Figure 1, measured at 256 nodes without
     * propagation delay: single cells across an empty fabric, and a permutation of endless flows (docs/spec/shale.md
     * §10.3).
     */
    public static final Figure FIG1 = new Figure("shale-fig1", "Figure 1",
        "throughput and intrinsic latency by h, measured at 256 nodes", 1, 0.3, ShaleSmallFabrics::tradeoff);
    /**
     * The heavy-tailed workload on 576 nodes with h = 1: Shale §3.2.1, Figure 4, beside what the paper prints of Opera
     * (docs/spec/shale.md §10.3). Every flow is waited for.
     */
    public static final Figure FIG4 = new Figure("shale-fig4", "Figure 4",
        "completion times of 576 nodes with h = 1, beside what is printed of Opera", 30, 1,
        ShaleSmallFabrics::besideOpera);
    /**
     * The 16 nodes of the prototype, each sending to the next: Shale §5.1, Figure 8, with the throughput and queues of
     * the authors' simulator beside ours (docs/spec/shale.md §10.3).
     */
    public static final Figure FIG8 = new Figure("shale-fig8", "Figure 8",
        "throughput and queues of the prototype of 16 nodes", 0.5, 0.2, ShaleSmallFabrics::prototype);

    private static final int TRADEOFF_NODES = 256;
    private static final int[] PHASES = {1, 2, 4, 8};
    private static final int[] RADIX = {256, 16, 4, 2};
    private static final double PAPER_NODES = 100_000;
    private static final double SLOT_US = 5.632e-3;
    private static final int SEEDS = 5;
    /** Some thousand cells meet nearly the longest way, but need not meet the very longest. */
    private static final double NEARLY = 0.75;
    private static final int BESIDE_OPERA_NODES = 576;
    /** Printed: the tail of bulk flows under Opera is nearly 400 times that of line rate. */
    private static final double OPERA = 400;
    private static final long BULK_BYTES = 15_000_000;
    private static final long LONG_BYTES = 128_000_000;
    /** The first bin of nothing but bulk flows. */
    private static final int BULK_BIN = 7;
    private static final int PROTOTYPE_NODES = 16;
    private static final int PROPAGATION_SLOTS = 6;
    private static final double CELL_GBPS = 9.412;
    private static final int SLOTS = 100_000;
    /** By phases (2, 4), then tokens (1, 2): what the authors' simulator delivered, and its longest queue. */
    private static final double[][] DELIVERED = {{0.276, 0.321}, {0.194, 0.216}};
    private static final int[][] LONGEST = {{5, 7}, {5, 6}};

    private ShaleSmallFabrics() {
    }

    private static Findings tradeoff(final Effort effort) {
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
            final int bound = phases == 1 ? TRADEOFF_NODES : epochs;
            found.between("h = " + phases + ": longest way of a cell, slots", bound + " at most, 2 epochs",
                NEARLY * bound, bound, of[0]);
            // The start of a run is in it.
            found.atLeast("  cells per node and slot of a permutation", "1/(2h) at least", 0.99 * 0.5 / phases, of[1]);
            throughput[i] = of[1];
            latencyUs[i] = of[0].mean() * SLOT_US;
        }
        final Plot plot = new Plot("tradeoff", "Throughput and intrinsic latency by h", "intrinsic latency (us)",
            Plot.Scale.LOGARITHMIC, "throughput (share of line rate)", Plot.Scale.LINEAR);
        Sample.draw(plot, "measured, " + TRADEOFF_NODES + " nodes, h = 8 to 1", reversed(latencyUs),
            reversed(throughput));
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
        final FlowSet drawn = ShaleRuns.flows(SizeDistribution.SHORT, 0.5 / phases, TRADEOFF_NODES, 100_000,
            effort.seed());
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
        final FlowSet flows = new Permutation(Permutation.ENDLESS_BYTES).generate(TRADEOFF_NODES, ShaleRuns.PAYLOAD, 1,
            effort.seed());
        final int slots = effort.either(20_000, 100_000);
        return CircuitRuns.steady(shale(phases, radix, effort.seed()), flows, slots / 4, slots, effort)
            .rate(TRADEOFF_NODES);
    }

    private static Findings besideOpera(final Effort effort) {
        final int bins = ShaleRuns.BINS.size();
        final Sample[] values = Sample.of(SEEDS, effort, ShaleSmallFabrics::numbers);
        final Findings found = new Findings();
        found.reported("flows under 4 kB, largest normalised time", "", values[0]);
        found.atMost("bulk flows, from 15 MB on, largest normalised time", "Opera's tail is nearly 400", OPERA,
            values[bins].known());
        found.atMost("flows from 128 MB on, largest normalised time", "below Opera's least", OPERA,
            values[bins + 1].known());
        found.exactly("flows that did not end", 0, values[bins + 2].most());
        final Plot plot = new Plot("fct", "Tail FCT of 576 nodes", "flow size (bytes)", ShaleRuns.BINS,
            "size-normalized FCT, largest of a bin", Plot.Scale.LOGARITHMIC);
        Sample.draw(plot, "Shale, h = 1", Arrays.copyOf(values, bins));
        final double[] x = IntStream.range(BULK_BIN, bins).asDoubleStream().toArray();
        return found.add(plot.addBound("Opera, tail of bulk flows, as printed", x, OPERA))
            .remark("Flows arrive for " + slots(effort) + " slots at 96 % of the guarantee, and the run goes on until "
                + "all have ended; the paper prints neither Opera's other points nor the load.");
    }

    private static int slots(final Effort effort) {
        return effort.either(20_000, 2_000_000);
    }

    /** Largest normalised time by bin, of bulk flows and of very long ones; flows that did not end. */
    private static double[] numbers(final Effort effort) {
        final Shale shale = ShaleRuns.fabric(1, BESIDE_OPERA_NODES, 0, Mechanisms.HBH_SPRAY, 1,
            ShaleRuns.PROPAGATION_SLOTS, effort.seed());
        final FlowSet flows = ShaleRuns.flows(SizeDistribution.HEAVY, shale.guarantee(), BESIDE_OPERA_NODES,
            slots(effort), effort.seed());
        final ShaleRuns.Loaded run = ShaleRuns.loaded(shale, flows, slots(effort), 0, effort);
        final int bins = ShaleRuns.BINS.size();
        final double[] numbers = new double[bins + 3];
        Arrays.fill(numbers, Double.NaN);
        for (int bin = 0; bin < Math.min(bins, run.summary().bins().size()); bin++) {
            final SizeBin of = run.summary().bins().get(bin);
            numbers[bin] = of.flows() > 0 ? of.max() : Double.NaN;
        }
        numbers[bins] = largest(run, BULK_BYTES);
        numbers[bins + 1] = largest(run, LONG_BYTES);
        numbers[bins + 2] = flows.size() - run.outcome().completed().length;
        return numbers;
    }

    private static double largest(final ShaleRuns.Loaded run, final long bytes) {
        final int[] done = run.outcome().completed();
        return IntStream.range(0, done.length).filter(i -> run.flows().bytes(done[i]) >= bytes)
            .mapToDouble(i -> (run.outcome().completedIn()[i] + 1 - run.flows().startSlot(done[i]))
                / ((double) run.flows().cells(done[i]) + ShaleRuns.PROPAGATION_SLOTS)).max().orElse(Double.NaN);
    }

    private static Findings prototype(final Effort effort) {
        final Findings found = new Findings();
        final List<String> names = new ArrayList<>();
        final Sample[][] values = new Sample[2][4];
        for (int i = 0; i < values[0].length; i++) {
            final int phases = 2 * (i / 2 + 1);
            final int tokens = i % 2 + 1;
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, values[0].length), seeded -> {
                final CircuitRuns.Steady steady = run(phases, tokens, seeded);
                return new double[] {steady.rate(PROTOTYPE_NODES),
                    CircuitRuns.max(steady.outcome().nodes().queueLength())};
            });
            add(found, phases, tokens, of[0], of[1]);
            names.add("h = " + phases + ", T = " + tokens);
            values[0][i] = new Sample(Arrays.stream(of[0].values()).map(rate -> rate * CELL_GBPS).toArray());
            values[1][i] = of[1];
        }
        final Plot rate = new Plot("throughput", "Throughput of 16 nodes", "schedule and tokens", names, "Gb/s",
            Plot.Scale.LINEAR);
        Sample.drawBars(rate, "throughput", values[0]);
        final Plot queue = new Plot("queues", "Maximum queue length of 16 nodes", "schedule and tokens", names, "cells",
            Plot.Scale.LINEAR);
        Sample.drawBars(queue, "longest queue", values[1]);
        final double[] x = IntStream.range(0, names.size()).asDoubleStream().toArray();
        return found.add(rate
            .addPublished("throughput", "authors' simulator", x, Arrays.stream(DELIVERED)
                .flatMapToDouble(Arrays::stream).map(each -> each * CELL_GBPS).toArray())
            .add("guarantee of h = 2, as printed", Plot.Style.BOUND, Arrays.copyOf(x, 2), new double[] {2.353, 2.353})
            .add("guarantee of h = 4, as printed", Plot.Style.BOUND, Arrays.copyOfRange(x, 2, 4),
                new double[] {1.176, 1.176}))
            .add(queue.addPublished("longest queue", "authors' simulator", x, Arrays.stream(LONGEST)
                .flatMapToInt(Arrays::stream).asDoubleStream().toArray()))
            .remark("Expected cells per slot and queues: the authors' simulator; its runs differ by chance.");
    }

    private static void add(final Findings found, final int phases, final int tokens, final Sample rate,
        final Sample queue) {
        final String of = "h = " + phases + ", T = " + tokens;
        final double expected = DELIVERED[phases / 2 - 1][tokens - 1];
        final int longest = LONGEST[phases / 2 - 1][tokens - 1];
        found.atLeast(of + ": cells per node and slot, the guarantee", Check.text(0.5 / phases), 0.5 / phases, rate);
        found.between("  the same, the authors' simulator", Check.text(expected), 0.99 * expected, 1.01 * expected,
            rate);
        found.between("  longest queue, cells", Integer.toString(longest), longest - 1, longest + 1, queue);
    }

    private static CircuitRuns.Steady run(final int phases, final int tokens, final Effort effort) {
        final Shale shale = ShaleRuns.fabric(phases, phases == 2 ? 4 : 2, 0, Mechanisms.HBH_SPRAY, tokens,
            PROPAGATION_SLOTS, effort.seed());
        final FlowSet flows = CircuitRuns.endless(PROTOTYPE_NODES, node -> (node + 1) % PROTOTYPE_NODES);
        return CircuitRuns.steady(shale, flows, SLOTS / 10, SLOTS, effort);
    }
}
