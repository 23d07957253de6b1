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
import dev.skerry.tools.resources.MeasuredHost;
import dev.skerry.tools.resources.ShaleMemory;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.Permutation;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What grows with the fabric, and what is left of it with failed nodes: Shale Figures 7, 12 and 13 (docs/spec/shale.md
 * §9.5, §10.3).
 */
public final class ShaleScale {
    /** What grows with the fabric: Shale Figure 13, r^4 nodes, short flows, hbh+spray (docs/spec/shale.md §10.3). */
    public static final Figure FIG13 = new Figure("shale-fig13", "Figure 13",
        "active buckets, queues and tail from 4,096 to 50,625 nodes", 110, 1.3,
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleScale::scale);
    /**
     * Memory on the chip of an end host for twice what runs held at most, beside that of Shoal: Shale §4.3, Figure 7
     * (docs/spec/shale.md §9.5).
     */
    public static final Figure FIG7 = new Figure("shale-fig7", "Figure 7",
        "memory on the chip of an end host, for twice the maxima of runs of 4,096 and 10,000 nodes", 0.01, 0.01,
        ShaleScale::hostMemory);
    /**
     * Throughput while some of the nodes are down: Shale §5.4 and Figure 12, ten overlaid permutations of the others,
     * endless flows (docs/spec/shale.md §8.6, §10.3, §10.4).
     */
    public static final Figure FIG12 = new Figure("shale-fig12", "Figure 12, section 5.4",
        "throughput with 0 to 8 % of the nodes down", 420, 1.5,
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleScale::failures);

    private static final int SEEDS = 5;
    private static final int SCALE_QUICK_SLOTS = 40_000;
    private static final int SCALE_SLOTS = 300_000;
    private static final int[] WHOLE = {8, 10, 12, 15};
    private static final int[] QUICK = {4, 5, 6};
    private static final double BITS_PER_MEGABYTE = 8e6;
    /** Orders of magnitude: two at least. */
    private static final double ORDERS = 100;
    private static final int PERMUTATIONS = 10;
    private static final int[] PERCENT = {0, 2, 4, 6, 8};
    /** What the authors' simulator was run with at 1,296 nodes. */
    private static final int[] QUICK_PERCENT = {0, 4, 8};
    private static final int FAILURES_QUICK_SLOTS = 15_000;
    private static final int FAILURES_SLOTS = 2_000_000;
    /** By phases (2, 4): cells per good node and slot of the authors' simulator. */
    private static final double[][] SIMULATOR = {{0.2509, 0.2407, 0.2304}, {0.1342, 0.1259, 0.1185}};
    /** Without failures a run of 15,000 slots has its start in it. */
    private static final double RAMP_UP = 0.005;
    /** Of roughly in proportion. */
    private static final double ROUGHLY = 0.06;

    /** What is measured, by its place among the numbers of a run; then 99.9 % of the first bins of flows. */
    private enum Value {
        BUCKETS("buckets", "active buckets", "Max active buckets"),
        QUEUE("queue", "longest queue (cells)", "Max PIEO queue length"),
        TAIL("tail", "size-normalized FCT, 99.9 % of all flows", "99.9 % FCT");

        private final String id;
        private final String words;
        private final String title;

        Value(final String id, final String words, final String title) {
            this.id = id;
            this.words = words;
            this.title = title;
        }
    }

    private ShaleScale() {
    }

    private static Findings scale(final Effort effort) {
        final int[] roots = effort.quick() ? QUICK : WHOLE;
        final Findings found = new Findings();
        final double[] nodes = Arrays.stream(roots).mapToDouble(root -> Math.pow(root, 4)).toArray();
        final Plot[] plots = Arrays.stream(Value.values()).map(value -> new Plot(value.id, value.title, "nodes",
            Plot.Scale.LOGARITHMIC, value.words, Plot.Scale.LINEAR)).toArray(Plot[]::new);
        final int[] all = ShaleRuns.phases(effort);
        for (int row = 0; row < all.length; row++) {
            final int h = all[row];
            final Effort ofRow = effort.turn(row, all.length);
            final Sample[][] values = new Sample[Value.values().length][roots.length];
            for (int i = 0; i < roots.length; i++) {
                final int root = roots[i];
                final Sample[] of = Sample.of(effort.either(SEEDS, 1), ofRow.turn(i, nodes),
                    seeded -> numbers(h, root, seeded));
                for (final Value value : Value.values()) {
                    values[value.ordinal()][i] = of[value.ordinal()];
                    found.reported((value == Value.BUCKETS ? "h = " + h + ", " + (int) nodes[i] + " nodes: " : "  ")
                        + value.words, "", of[value.ordinal()]);
                }
            }
            growth(found, h, values);
            for (final Value value : Value.values()) {
                Sample.draw(plots[value.ordinal()], "h = " + h, nodes, values[value.ordinal()]);
            }
        }
        Arrays.stream(plots).forEach(found::add);
        return found.remark(effort.quick() ? "256 to 1,296 nodes, a factor of 5 where the paper has 12; "
            + effort.slots(SCALE_QUICK_SLOTS, 0) + " slots from an empty fabric, " + SEEDS + " seeds."
            : effort.beside("2 M", SCALE_SLOTS));
    }

    private static double[] numbers(final int phases, final int root, final Effort effort) {
        final int radix = phases == 2 ? root * root : root;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, 0, Mechanisms.HBH_SPRAY, 1, delay, effort.seed());
        final int slots = effort.slots(SCALE_QUICK_SLOTS, SCALE_SLOTS);
        final ShaleRuns.Loaded run = ShaleRuns.loaded(shale, SizeDistribution.SHORT, slots, slots, effort);
        return new double[] {run.summary().result().totals().maxActiveBuckets(), run.longestQueue(),
            run.summary().allFlows().p999()};
    }

    /** The sentences of §5.5 about the smallest and the largest fabric. */
    private static void growth(final Findings found, final int phases, final Sample[][] values) {
        final Sample[] grown = Arrays.stream(values).map(value -> value[value.length - 1].over(value[0]))
            .toArray(Sample[]::new);
        final boolean two = phases == 2;
        found.atMost("  active buckets grow by", two ? "2.5" : "nearly flat", two ? 2.5 * 1.2 : 1.25,
            grown[Value.BUCKETS.ordinal()]);
        found.atMost("  longest queue grows by", two ? "a plateau" : "around 1.5", two ? 1.25 : 1.6,
            grown[Value.QUEUE.ordinal()]);
        found.atMost("  99.9 % of all flows grows by", two ? "at most 2" : "almost the same", two ? 2 : 1.25,
            grown[Value.TAIL.ordinal()]);
    }

    private static Findings hostMemory(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = new Plot("memory", "On-chip memory of an end host", "nodes", Plot.Scale.LOGARITHMIC,
            "on-chip memory (MB)",
            Plot.Scale.LOGARITHMIC);
        for (int phases = 2; phases <= 4; phases += 2) {
            final int h = phases;
            final List<ShaleMemory> hosts = MeasuredHost.FIGURE_13.stream().map(MeasuredHost::memory)
                .filter(host -> host.phases() == h).toList();
            for (final ShaleMemory host : hosts) {
                found.reported("h = " + h + ", " + host.nodes() + " nodes: MB on the chip", "",
                    host.onChipBits() / BITS_PER_MEGABYTE);
                found.atLeast("  Shoal's over it", "orders of magnitude", ORDERS,
                    (double) ShaleMemory.shoalBits(host.nodes()) / host.onChipBits());
                found.atLeast("  cells of a store without sharing over those of active buckets", "dramatically reduced",
                    ORDERS, (double) host.naiveCells() / host.activeCells());
            }
            final double[] x = hosts.stream().mapToDouble(ShaleMemory::nodes).toArray();
            if (h == 2) {
                plot.add("Shoal", Plot.Style.DOTS, x, hosts.stream()
                    .mapToDouble(host -> ShaleMemory.shoalBits(host.nodes()) / BITS_PER_MEGABYTE).toArray());
            }
            plot.add("Shale, h = " + h, Plot.Style.DOTS, x,
                hosts.stream().mapToDouble(host -> host.onChipBits() / BITS_PER_MEGABYTE).toArray());
        }
        return found.add(plot).remark("Maxima of runs of 2026-11-23, 20,000 to 40,000 slots from an empty fabric "
            + "(bench/results/2026-11-23-shale-limits.md); widths of fields are ours, the paper prints none.");
    }

    private static Findings failures(final Effort effort) {
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
            plot.addBound("h = " + h + ", lower bound without failures", x, 0.5 / h);
            if (effort.quick()) {
                plot.addPublished("h = " + h, "authors' simulator", x, SIMULATOR[h / 2 - 1]);
            }
        }
        return effort.quick() ? found.add(plot) : found.add(plot).remark(effort.beside("2 M", FAILURES_SLOTS));
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
        final int slots = effort.slots(FAILURES_QUICK_SLOTS, FAILURES_SLOTS);
        final Outcome outcome = CircuitRuns.run(shale, flows, slots, effort);
        return outcome.count(NicCounter.CELLS_DELIVERED) / ((double) (nodes - failed) * slots);
    }
}
