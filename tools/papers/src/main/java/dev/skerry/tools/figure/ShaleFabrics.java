package dev.skerry.tools.figure;

import static dev.skerry.tools.plot.Plot.Scale.LINEAR;
import static dev.skerry.tools.plot.Plot.Scale.LOGARITHMIC;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.resources.MeasuredHost;
import dev.skerry.tools.resources.ShaleMemory;
import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * Shale fabrics that run hbh+spray, by their phases, sizes, failed nodes and interleaved schedules: Figures 1, 4, 7 to
 * 9, 12 and 13 (docs/spec/shale.md §9.5, §10.3).
 */
public final class ShaleFabrics {
    /**
     * Latency and throughput by the number of phases: Shale §3.1 and Figure 1, measured at 256 nodes without
     * propagation delay: single cells across an empty fabric, and a permutation of endless flows with one token for
     * first hops and, according to Appendix D, with two (docs/spec/shale.md §5.7, §10.3).
     */
    public static final Figure FIG1 = Figure.of("shale-fig1", ShaleFabrics::tradeoff);
    /**
     * The heavy-tailed workload on 576 nodes with h = 1, compared with the printed values of Opera: Shale §3.2.1,
     * Figure 4 (docs/spec/shale.md §10.3). The run lasts until every flow is complete.
     */
    public static final Figure FIG4 = Figure.of("shale-fig4", ShaleFabrics::besideOpera);
    /**
     * On-chip memory of an end host for twice the maxima of the runs, compared with that of Shoal: Shale §4.3, Figure 7
     * (docs/spec/shale.md §9.5).
     */
    public static final Figure FIG7 = Figure.of("shale-fig7", ShaleFabrics::hostMemory);
    /**
     * The 16 nodes of the prototype, each sending to the next, compared with the throughput and queues of the authors'
     * simulator: Shale §5.1, Figure 8 (docs/spec/shale.md §10.3).
     */
    public static final Figure FIG8 = Figure.of("shale-fig8", ShaleFabrics::prototype);
    /**
     * The heavy-tailed workload on two schedules that share the slots, short flows on the schedule of h = 4: Shale
     * §5.2, Figure 9 (docs/spec/shale.md §2.4, §10.3). The short version has 256 nodes, five seeds and
     * {@link ShaleRuns.TenthOfHeavy}.
     */
    public static final Figure FIG9 = Figure.of("shale-fig9",
        Map.of(Choice.SLOTS, List.of(), Choice.NODES, ShaleRuns.SIZES), ShaleFabrics::interleaving);
    /**
     * Throughput while some of the nodes are down: Shale §5.4 and Figure 12, with ten overlaid permutations of endless
     * flows between the other nodes (docs/spec/shale.md §8.6, §10.3, §10.4).
     */
    public static final Figure FIG12 = Figure.of("shale-fig12",
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleFabrics::failures);
    /**
     * Values that grow with the fabric: Shale Figure 13, r^4 nodes, short flows, hbh+spray (docs/spec/shale.md §10.3).
     */
    public static final Figure FIG13 = Figure.of("shale-fig13",
        Map.of(Choice.SLOTS, List.of(), Choice.PHASES, List.of("2", "4")), ShaleFabrics::scale);

    /** Nodes of Figure 1. */
    private static final int TRADEOFF_NODES = 256;
    private static final double SLOT_US = 5.632e-3;
    /** As printed: under Opera the tail of bulk flows is nearly 400 times that at line rate. */
    private static final double OPERA = 400;
    /** First bin that has only bulk flows. */
    private static final int BULK_BIN = 7;
    private static final int PROTOTYPE_NODES = 16;
    private static final double CELL_GBPS = 9.412;
    /** By phases (2, 4), then tokens (1, 2): the throughput of the authors' simulator, and its longest queue. */
    private static final double[] DELIVERED = {0.276, 0.321, 0.194, 0.216};
    private static final double[] LONGEST = {5, 7, 5, 6};
    /** Figure 9: the larger h, and the slots in ten that its schedule has. */
    private static final int MOST = 4;
    private static final int TENTHS = 10;
    private static final int[] SHARES = {0, 2, 4, 5, 6, 8, TENTHS};
    private static final int STEPS = 1 << 16;
    /**
     * By phases (2, 4): cells per working node and slot of the authors' simulator at 1,296 nodes, with 0, 4 and 8 %
     * down.
     */
    private static final double[][] SIMULATOR = {{0.2509, 0.2407, 0.2304}, {0.1342, 0.1259, 0.1185}};
    private static final double BITS_PER_MEGABYTE = 8e6;
    private static final int GROWN_SEEDS = 3;
    /** A value that is stated to be nearly flat, or equal, changes by less than this factor. */
    private static final double LEVEL = 1.2;
    /** Figure 13, in the order of the numbers of a run: the name of a plot, its content, and the name in the paper. */
    private static final String[][] GROWING = {{"buckets", "active buckets", "Max active buckets"},
        {"queue", "longest queue (cells)", "Max PIEO queue length"},
        {"tail", "size-normalized FCT, 99.9 % of all flows", "99.9 % FCT"}};

    private ShaleFabrics() {
    }

    private static void tradeoff(final Effort effort, final Findings found) {
        final int[] phases = {8, 4, 2, 1};
        final Sample[][] of = effort.sweep(phases, (h, seeded) -> new double[] {longest(h, seeded),
            rate(h, 1, seeded), rate(h, 2, seeded)});
        for (int i = phases.length - 1; i >= 0; i--) {
            final int h = phases[i];
            final int bound = h == 1 ? TRADEOFF_NODES : epochs(h);
            found.atMost("h = " + h + ": longest way of a cell, slots", "2 epochs, " + bound, bound, of[0][i]);
            for (int tokens = 1; tokens <= 2; tokens++) {
                ShaleRuns.stated(found, "  cells per node and slot of a permutation, T_F = " + tokens, "1/(2h)",
                    0.5 / h, Double.POSITIVE_INFINITY, of[tokens][i]);
            }
        }
        final double[] latency = Arrays.stream(of[0]).mapToDouble(slots -> slots.mean() * SLOT_US).toArray();
        found.add(new Plot("tradeoff", "Throughput and intrinsic latency by h", "intrinsic latency (us)",
                LOGARITHMIC, "throughput (share of line rate)", LINEAR)
                .add(Sample.line("measured, " + TRADEOFF_NODES + " nodes, h = 8 to 1, T_F = 1", latency, of[1]),
                    Sample.line("the same, T_F = 2", latency, of[2]))
                .add("2h(N^(1/h) - 1) slots and 1/(2h), " + TRADEOFF_NODES + " nodes", Plot.Style.BOUND,
                    formula(TRADEOFF_NODES, phases))
                .add("the same, 100,000 nodes", Plot.Style.BOUND, formula(100_000, 8, 7, 6, 5, 4, 3, 2, 1)));
    }

    /** Returns latency in us and throughput by h, by the formulas of the paper. */
    private static List<double[]> formula(final int nodes, final int... phases) {
        return IntStream.of(phases).mapToObj(h -> new double[] {
            SLOT_US * 2 * h * (Math.pow(nodes, 1.0 / h) - 1), 0.5 / h}).toList();
    }

    private static Shale tradeoff(final int phases, final int firstHopTokens, final long seed) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, TRADEOFF_NODES));
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, firstHopTokens, 0, seed);
    }

    /** Returns the slots of two epochs. */
    private static int epochs(final int phases) {
        return 2 * phases * (Population.radixFor(phases, TRADEOFF_NODES) - 1);
    }

    /** Returns the slots that the slowest of some single cells took, each alone in the fabric. */
    private static double longest(final int phases, final Effort effort) {
        final FlowSet drawn = ShaleRuns.flows(SizeDistribution.SHORT, 0.5 / phases, TRADEOFF_NODES, 100_000,
            effort.seed());
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < Math.min(drawn.size(), effort.either(500, 2_000)); flow++) {
            flows.add(flow, drawn.source(flow), drawn.destination(flow), ShaleRuns.PAYLOAD, 1,
                flow * (2L * epochs(phases) + 3));
        }
        return Runs.took(Runs.run(tradeoff(phases, 1, effort.seed()), flows, 0, effort.silent()), flows).max()
            .orElseThrow();
    }

    private static double rate(final int phases, final int firstHopTokens, final Effort effort) {
        final int slots = effort.either(20_000, 100_000);
        return Runs.steady(tradeoff(phases, firstHopTokens, effort.seed()), Runs.permutation(TRADEOFF_NODES,
            ShaleRuns.PAYLOAD, effort.seed()), slots / 4, slots, effort).rate(TRADEOFF_NODES);
    }

    private static void besideOpera(final Effort effort, final Findings found) {
        final int bins = ShaleRuns.BINS.size();
        final int slots = effort.either(20_000, 2_000_000);
        final Sample[] values = effort.sample(seeded -> besideOpera(slots, seeded));
        found.reported("flows under 4 kB, largest normalised time", values[0])
            .reported("bulk flows, from 15 MB on, largest normalised time", "Opera, quoted: nearly 400",
                values[bins].known())
            .reported("flows from 128 MB on, largest normalised time", "below Opera's least", values[bins + 1].known())
            .exactly("flows that did not end", 0, values[bins + 2].most())
            .add(new Plot("fct", "Tail FCT of 576 nodes", "flow size (bytes)", ShaleRuns.BINS,
                "size-normalized FCT, largest of a bin", LOGARITHMIC)
                .add(Sample.line("Shale, h = 1", Arrays.copyOf(values, bins))).addBound(
                "Opera, tail of bulk flows, quoted", IntStream.range(BULK_BIN, bins).asDoubleStream().toArray(),
                OPERA))
            .remark("Flows arrive for " + slots + " slots at 96 % of the guarantee, and the run goes on until "
                + "all have ended. Opera was not simulated: 400 is the paper's value. The paper prints neither its "
                + "other points nor the load, so no rule compares with it.");
    }

    /**
     * Returns the largest normalised time by bin, of bulk flows and of very long ones, and the flows that did not
     * complete.
     */
    private static double[] besideOpera(final int slots, final Effort effort) {
        final Shale shale = ShaleRuns.fabric(1, 576, 0, 1, ShaleRuns.PROPAGATION_SLOTS, effort.seed());
        final FlowSet flows = ShaleRuns.flows(SizeDistribution.HEAVY, shale.guarantee(), shale.nodes(), slots,
            effort.seed());
        final ShaleRuns.Loaded run = ShaleRuns.loaded(shale, flows, slots, 0, effort);
        final int bins = ShaleRuns.BINS.size();
        final double[] numbers = new double[bins + 3];
        ShaleRuns.put(numbers, 0, run.summary().bins(), SizeBin::max);
        numbers[bins] = largest(run, 15_000_000);
        numbers[bins + 1] = largest(run, 128_000_000);
        numbers[bins + 2] = flows.size() - run.outcome().completed().length;
        return numbers;
    }

    private static double largest(final ShaleRuns.Loaded run, final long bytes) {
        final long[] end = Runs.ends(run.outcome(), run.flows(), 0);
        return IntStream.of(run.outcome().completed()).filter(flow -> run.flows().bytes(flow) >= bytes)
            .mapToDouble(flow -> (end[flow] - run.flows().startSlot(flow))
                / ((double) run.flows().cells(flow) + ShaleRuns.PROPAGATION_SLOTS)).max().orElse(Double.NaN);
    }

    private static void hostMemory(final Effort effort, final Findings found) {
        final Plot plot = new Plot("memory", "On-chip memory of an end host", "nodes", LOGARITHMIC,
            "on-chip memory (MB)", LOGARITHMIC);
        for (final int h : new int[] {2, 4}) {
            final List<ShaleMemory> hosts = MeasuredHost.FIGURE_13.stream().map(MeasuredHost::memory)
                .filter(host -> host.phases() == h).toList();
            // The statement is "orders of magnitude", at least two.
            hosts.forEach(host -> found.reported("h = " + h + ", " + host.nodes() + " nodes: MB on the chip",
                    host.onChipBits() / BITS_PER_MEGABYTE)
                .atLeast("  Shoal's over it", "orders of magnitude", 100,
                    (double) ShaleMemory.shoalBits(host.nodes()) / host.onChipBits()).planted(80.0)
                .atLeast("  cells of a store without sharing over those of active buckets", "dramatically reduced",
                    100, (double) host.naiveCells() / host.activeCells()).planted(80.0));
            if (h == 2) {
                plot.add("Shoal", Plot.Style.DOTS, hosts.stream().map(host -> new double[] {host.nodes(),
                    ShaleMemory.shoalBits(host.nodes()) / BITS_PER_MEGABYTE}).toList());
            }
            plot.add("Shale, h = " + h, Plot.Style.DOTS, hosts.stream().map(host -> new double[] {host.nodes(),
                host.onChipBits() / BITS_PER_MEGABYTE}).toList());
        }
        found.add(plot).remark("Queues are from runs of 100,000 slots of 2026-11-26, other maxima from runs of "
            + "20,000 to 40,000 slots of 2026-11-23 (bench/results); the paper runs 2 M slots. The widths of fields "
            + "are ours, because the paper prints none.");
    }

    private static void prototype(final Effort effort, final Findings found) {
        final int[] places = {0, 1, 2, 3};
        final double[] x = Sample.x(places);
        final List<String> names = new ArrayList<>();
        final Sample[][] of = effort.sweep(places, ShaleFabrics::prototype);
        for (final int i : places) {
            final double guarantee = 0.5 / prototypePhases(i);
            names.add("h = " + prototypePhases(i) + ", T = " + (i % 2 + 1));
            ShaleRuns.stated(found, names.get(i) + ": cells per node and slot", "above " + Check.text(guarantee),
                    guarantee, Double.POSITIVE_INFINITY, of[0][i])
                .near("  the same, the authors' simulator", DELIVERED[i], 0.01, of[0][i])
                // Within less than one cell, because the value of the simulator is a whole number from one run.
                .between("  longest queue, cells", Check.text(LONGEST[i]), LONGEST[i] - 0.99, LONGEST[i] + 0.99,
                    of[1][i]).planted(LONGEST[i] / 1.25, LONGEST[i] * 1.25);
        }
        final String axis = "schedule and tokens";
        found.add(new Plot("throughput", "Throughput of 16 nodes", axis, names, "Gb/s", LINEAR)
                .add(Sample.bars("throughput", Arrays.stream(of[0]).map(each -> each.times(CELL_GBPS))
                    .toArray(Sample[]::new)))
                .addPublished("throughput", "authors' simulator", x, new Sample(DELIVERED).times(CELL_GBPS).values())
                .add("guarantee, as printed", Plot.Style.BOUND, x, new double[] {2.353, 2.353, 1.176, 1.176}))
            .add(new Plot("queues", "Maximum queue length of 16 nodes", axis, names, "cells", LINEAR)
                .add(Sample.bars("longest queue", of[1]))
                .addPublished("longest queue", "authors' simulator", x, LONGEST))
            .remark("The expected cells per slot and queues come from the authors' simulator, whose runs differ at "
                + "random.");
    }

    /** Returns the phases by the index in {@link #DELIVERED}. */
    private static int prototypePhases(final int place) {
        return 2 * (place / 2 + 1);
    }

    private static double[] prototype(final int place, final Effort effort) {
        final int phases = prototypePhases(place);
        final Runs.Steady steady = Runs.steady(ShaleRuns.fabric(phases, phases == 2 ? 4 : 2, 0, place % 2 + 1, 6,
            effort.seed()), Runs.endless(PROTOTYPE_NODES, node -> (node + 1) % PROTOTYPE_NODES), 10_000, 100_000,
            effort);
        return new double[] {steady.rate(PROTOTYPE_NODES), Runs.longestQueue(steady.outcome())};
    }

    private static void interleaving(final Effort effort, final Findings found) {
        final int slots = effort.slots(100_000, 5_000_000);
        effort.each(List.of(1, 2), (fewer, part) -> {
            final String of = "h = " + fewer + " and " + MOST;
            final Sample[][] runs = new Sample[SHARES.length][];
            for (int i = 0; i < SHARES.length; i++) {
                final int tenths = SHARES[i];
                runs[i] = part.turn(i, SHARES.length).sample(ShaleRuns.seeds(effort), seeded ->
                    ShaleRuns.numbers(interleaved(fewer, tenths, slots, seeded), seeded.quick(), ShaleRuns.LONG_BYTES));
                found.reported(of + ", " + name(fewer, tenths) + ": tail of flows under 4 kB", runs[i][ShaleRuns.TAIL])
                    .reported("  cells per node and slot", runs[i][ShaleRuns.DELIVERED])
                    .reported("  delivered over offered, second half", runs[i][ShaleRuns.LATE]);
            }
            statements(found, of, fewer, runs);
            final int bins = ShaleRuns.known(Arrays.stream(runs).map(run -> ShaleRuns.part(run, ShaleRuns.TAIL)));
            final Plot plot = new Plot("tail-h" + fewer, (effort.quick() ? "99 %" : "99.9 %") + " FCT, " + of,
                "flow size (bytes)", ShaleRuns.BINS.subList(0, bins), "size-normalized FCT", LOGARITHMIC);
            for (int i = 0; i < runs.length; i++) {
                plot.add(Sample.line(name(fewer, SHARES[i]), Arrays.copyOfRange(runs[i], ShaleRuns.TAIL, bins)));
            }
            found.add(plot);
        });
        found.remark(ShaleRuns.extent("50 M", slots, effort) + (effort.quick() ? " P = 1, sizes beyond 3 MB are a "
                + "tenth of the paper's, tails 99 % of a bin." : ""))
            .remark("s is the share of the slots for h = 4. These slots carry the flows below a size that gives both "
                + "schedules the same load. L is 96 % of the sum of both guarantees.");
    }

    private static String name(final int fewer, final int tenths) {
        return "s = " + tenths * TENTHS + " %, L = " + String.format(Locale.ROOT, "%.3f", load(fewer, tenths));
    }

    /** Checks the statements of §5.2; the load of a schedule is its throughput if all of it is delivered. */
    private static void statements(final Findings found, final String of, final int fewer, final Sample[][] runs) {
        final int last = SHARES.length - 1;
        for (int i = 1; i < last; i++) {
            order(found, of + ", s = " + SHARES[i] * TENTHS + " % over 0 %, tail of flows under 4 kB", "lower",
                runs[i], runs[0]);
            found.near("  over 100 %, cells per node and slot", load(fewer, SHARES[i]) / load(fewer, TENTHS), 0.1,
                runs[i][ShaleRuns.DELIVERED].over(runs[last][ShaleRuns.DELIVERED]));
        }
        order(found, of + ", s = 80 % over 20 %, tail of flows under 4 kB", "longer with fewer slots", runs[last - 1],
            runs[1]);
        if (fewer == 1) {
            order(found, of + ", s = 40 % over 50 %, tail of flows under 4 kB", "outperforms", runs[2], runs[3]);
        }
    }

    private static void order(final Findings found, final String what, final String words, final Sample[] shorter,
        final Sample[] longer) {
        ShaleRuns.stated(found, what, words, 0, 1, shorter[ShaleRuns.TAIL].over(longer[ShaleRuns.TAIL]));
    }

    /** Returns 96 % of the guarantee. */
    private static double load(final int fewer, final int tenths) {
        final double share = (double) tenths / TENTHS;
        return 0.96 * (share / (2 * MOST) + (1 - share) / (2 * fewer));
    }

    private static ShaleRuns.Loaded interleaved(final int fewer, final int tenths, final int slots,
        final Effort effort) {
        final int nodes = ShaleRuns.nodes(effort);
        final FlowSizes sizes = ShaleRuns.heavy(effort);
        final FlowSet flows = ShaleRuns.flows(sizes, load(fewer, tenths) / 0.96, nodes, slots, effort.seed());
        if (tenths == 0 || tenths == TENTHS) {
            return ShaleRuns.loaded(sharing(tenths == 0 ? fewer : MOST, nodes, SlotShare.ALL, effort), flows, slots,
                slots, effort);
        }
        final SlotShares shares = new SlotShares(tenths, TENTHS - tenths);
        return ShaleRuns.loaded(new Interleaved(List.of(sharing(MOST, nodes, shares.shares().get(0), effort),
            sharing(fewer, nodes, shares.shares().get(1), effort)), shares),
            flows.classedBySize(cutOff(sizes, fewer, tenths) - 1), slots, slots, effort);
    }

    private static Shale sharing(final int phases, final int nodes, final SlotShare share, final Effort effort) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, nodes));
        // In an empty fabric h = 4 takes an eighth of the time of h = 1, in the paper a thirteenth; the propagation
        // delay would hide the difference.
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1,
            effort.either(1, ShaleRuns.PROPAGATION_SLOTS), effort.seed(), FailureRules.PAPER, share);
    }

    /** Returns the size, in cells, below which flows make up s/(2h) of the sum of both guarantees. */
    static long cutOff(final FlowSizes sizes, final int fewer, final int tenths) {
        final double most = (double) tenths / TENTHS / (2 * MOST);
        final double wanted = most / (most + (1 - (double) tenths / TENTHS) / (2 * fewer));
        final IntToLongFunction cells = step -> Math.ceilDiv(sizes.bytes((step + 0.5) / STEPS), ShaleRuns.PAYLOAD);
        final double all = IntStream.range(0, STEPS).mapToLong(cells).sum();
        int step = 0;
        for (double sum = 0; sum < wanted * all; step++) {
            sum += cells.applyAsLong(step);
        }
        return sizes.bytes((step - 0.5) / STEPS) + 1;
    }

    private static void failures(final Effort effort, final Findings found) {
        final int[] percent = effort.quick() ? new int[] {0, 4, 8} : new int[] {0, 2, 4, 6, 8};
        final double[] x = Sample.x(percent);
        final int slots = effort.slots(15_000, 2_000_000);
        final Plot plot = new Plot("failures", "Throughput with failed nodes", "failed nodes (%)",
            "cells per good node and slot");
        ShaleRuns.eachPhases(effort, (h, part) -> {
            final Sample[] rates = part.sweep(effort.either(Effort.SEEDS, 1), percent,
                (failed, seeded) -> new double[] {failures(h, failed, slots, seeded)})[0];
            failures(found, h, percent, rates, effort.quick());
            plot.add(Sample.line("h = " + h, x, rates)).addBound("h = " + h + ", lower bound without failures", x,
                0.5 / h);
            if (effort.quick()) {
                plot.addPublished("h = " + h, "authors' simulator", x, SIMULATOR[h / 2 - 1]);
            }
        });
        found.add(plot);
        if (!effort.quick()) {
            found.remark(slots + " slots where the paper has 2 M.");
        }
    }

    private static void failures(final Findings found, final int phases, final int[] percent, final Sample[] rates,
        final boolean quick) {
        final double bound = 0.5 / phases;
        ShaleRuns.stated(found, "h = " + phases + ": none down, cells per node and slot",
            "at least " + Check.text(bound), bound, Double.POSITIVE_INFINITY, rates[0]);
        for (int f = 1; f < rates.length; f++) {
            final double share = percent[f] / 100.0;
            // Between half of and twice the share of nodes that are down.
            found.between("  " + percent[f] + " % down, of that with none", "roughly " + Check.text(1 - share),
                1 - 2 * share, 1 - share / 2, rates[f].over(rates[0]));
        }
        for (int f = 0; quick && f < percent.length; f++) {
            found.near("  " + percent[f] + " % down, the authors' simulator", SIMULATOR[phases / 2 - 1][f], 0.02,
                rates[f].mean());
        }
    }

    /** Returns the cells delivered to a working node per slot. */
    private static double failures(final int phases, final int percent, final int slots, final Effort effort) {
        final int radix = effort.quick() ? phases == 2 ? 36 : 6 : phases == 2 ? 100 : 10;
        final int nodes = (int) Math.round(Math.pow(radix, phases));
        final int failed = nodes * percent / 100;
        final FlowSet flows = new FlowSet();
        for (int permutation = 0; permutation < 10; permutation++) {
            final FlowSet one = Runs.permutation(nodes - failed, ShaleRuns.PAYLOAD,
                effort.seed() + (long) permutation * Effort.SEEDS);
            for (int flow = 0; flow < one.size(); flow++) {
                Runs.endless(flows, one.source(flow), one.destination(flow));
            }
        }
        final Outcome outcome = Runs.run(ShaleRuns.fabric(phases, radix, failed, 1,
            ShaleRuns.delay(phases, radix, effort), effort.seed()), flows, slots, effort);
        return outcome.count(NicCounter.CELLS_DELIVERED) / ((double) (nodes - failed) * slots);
    }

    private static void scale(final Effort effort, final Findings found) {
        final int[] roots = effort.quick() ? new int[] {4, 5, 6} : new int[] {8, 10, 12, 15};
        final double[] nodes = Arrays.stream(roots).mapToDouble(root -> Math.pow(root, 4)).toArray();
        final int slots = effort.slots(120_000, 300_000);
        final List<Plot> plots = Arrays.stream(GROWING).map(of -> new Plot(of[0], of[2], "nodes", LOGARITHMIC, of[1],
            LINEAR)).toList();
        ShaleRuns.eachPhases(effort, (h, part) -> {
            final Sample[][] of = part.sweep(GROWN_SEEDS, roots, nodes,
                (root, seeded) -> scale(h, root, slots, seeded));
            for (int i = 0; i < roots.length; i++) {
                for (int value = 0; value < GROWING.length; value++) {
                    found.reported((value == 0 ? "h = " + h + ", " + (int) nodes[i] + " nodes: " : "  ")
                        + GROWING[value][1], of[value][i]);
                }
                found.reported("  delivered over offered, second half", of[GROWING.length][i]);
            }
            growth(found, h == 2, of);
            for (int value = 0; value < GROWING.length; value++) {
                plots.get(value).add(Sample.line("h = " + h, nodes, of[value]));
            }
        });
        plots.forEach(found::add);
        found.remark(String.format(Locale.ROOT, "%,.0f to %,.0f nodes, %,d slots from an empty fabric, %d seeds; the "
            + "paper has 4,096 to 50,625 nodes and 2 M slots.", nodes[0], nodes[nodes.length - 1], slots, GROWN_SEEDS));
    }

    private static double[] scale(final int phases, final int root, final int slots, final Effort effort) {
        final int radix = phases == 2 ? root * root : root;
        final ShaleRuns.Loaded run = ShaleRuns.loaded(ShaleRuns.fabric(phases, radix, 0, 1,
            ShaleRuns.delay(phases, radix, effort), effort.seed()), SizeDistribution.SHORT, slots, slots, effort);
        return new double[] {run.totals().maxActiveBuckets(), run.totals().maxQueueLength(),
            run.summary().allFlows().p999(), run.late() / run.offered()};
    }

    /**
     * Checks the statements of §5.5, for h = 2 or 4: growth from the smallest fabric to the largest, and a plateau in
     * the last step.
     */
    private static void growth(final Findings found, final boolean two, final Sample[][] of) {
        final int last = of[0].length - 1;
        final Sample queue = of[1][last].over(of[1][two ? last - 1 : 0]);
        ShaleRuns.stated(found, "  active buckets grow by", two ? "only 2.5" : "nearly flat", two ? 0 : 1 / LEVEL,
            two ? 2.5 : LEVEL, of[0][last].over(of[0][0]));
        if (two) {
            ShaleRuns.stated(found, "  longest queue grows in the end by", "a plateau", 1 / LEVEL, LEVEL, queue);
        } else {
            found.near("  longest queue grows by", 1.5, 0.1, queue);
        }
        ShaleRuns.stated(found, "  99.9 % of all flows grows by", two ? "at most 2" : "almost exactly the same",
            two ? 0 : 1 / LEVEL, two ? 2 : LEVEL, of[2][last].over(of[2][0]));
    }
}
