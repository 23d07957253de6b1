package dev.skerry.tools.figure;

import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.HBH;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.HBH_SPRAY;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.ISD;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.NDP;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.NONE;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.PRIORITY;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.RD;
import static dev.skerry.tools.figure.ShaleMechanisms.PaperMechanism.SPRAY;

import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.ShaleRuns.LoadedNumbers;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Eight mechanisms beside each other: Shale §5.3, Figures 10, 11 and 14 to 17 (docs/spec/shale.md §10.3, §10.4). */
public final class ShaleMechanisms {
    /**
     * Mechanisms under the short-flow workload: Shale Figures 10, 14 and 15 (docs/spec/shale.md §10.3); in short at 256
     * nodes with five seeds, beside what the authors' simulator has there (§10.4).
     */
    public static final Figure FIG10 = new Figure("shale-fig10", "Figures 10, 14, 15",
        "completion times and buffers by mechanism, short flows", 600, 15, PaperMechanism.CHOICES,
        ShaleMechanisms::shortFlows);
    /**
     * Eight mechanisms under the heavy-tailed workload: Shale §5.3, Figures 11, 14, 16 and 17 (docs/spec/shale.md
     * §10.3); in short at 256 nodes with five seeds and {@link ShaleRuns.TenthOfHeavy}.
     */
    public static final Figure FIG11 = new Figure("shale-fig11", "Figures 11, 14, 16, 17",
        "completion times, buffers and queues by mechanism, heavy-tailed flows", 1500, 1.6, PaperMechanism.CHOICES,
        ShaleMechanisms::heavyFlows);

    private static final int SEEDS = 5;
    private static final int MEDIUM = 3;
    /** Places in the graphs of the values that the simulator has: shares of nodes, the last of them all; flow sizes. */
    private static final double[] HELD_PLACES = {0, 2, 4};
    private static final double[] SIZE_PLACES = {0, MEDIUM};
    /** By phases (2, 4), mechanism, value: one run of the authors' simulator at 256 nodes (§10.4). */
    private static final double[][][] SIMULATOR = {{
        {1610, 235, 104, 32, 1082, 2078, 2419, 0.207}, {1040, 62, 85, 15, 476, 1146, 1238, 0.207},
        {271, 24, 57, 10, 104, 144, 157, 0.201}, {104, 14, 67, 8.5, 60, 79, 81, 0.205},
        {127, 17, 68, 8.2, 87, 114, 119, 0.207}, {2618, 125, 196, 22, 1159, 1991, 2394, 0.207},
        {90, 17, 62, 12, 77, 168, 279, 0.195}, {101, 17, 65, 11, 81, 192, 233, 0.196},
        {112, 17, 45, 12, 85, 288, 399, 0.199}}, {
        {985, 232, 115, 37, 1314, 3036, 4381, 0.108}, {590, 41, 72, 13, 503, 1845, 2280, 0.109},
        {239, 15, 68, 14, 53, 69, 70, 0.098}, {134, 13, 74, 13, 42, 57, 59, 0.099},
        {158, 15, 44, 11, 65, 81, 87, 0.103}, {1378, 79, 144, 16, 1359, 3294, 4328, 0.108},
        {53, 12, 62, 15, 37, 172, 394, 0.093}, {32, 11, 62, 15, 36, 111, 137, 0.092},
        {44, 11, 64, 15, 36, 133, 276, 0.092}}};
    /** Shares of nodes in {@link ShaleRuns.LoadedNumbers#NODES}. */
    private static final int P99 = 2;
    private static final int P9999 = 4;

    /** What is measured of a run, in the order of {@link #SIMULATOR}. */
    private enum Value implements Function<Sample[], Sample> {
        TAIL("99.9 % of flows under 4 kB", run -> run.small().p999()),
        MEAN("  mean of flows under 4 kB", run -> run.small().mean()),
        MEDIUM_TAIL("  99.9 % of flows of 64 to 256 kB", run -> medium(run).p999()),
        MEDIUM_MEAN("  mean of flows of 64 to 256 kB", run -> medium(run).mean()),
        HELD_MEDIAN("  most cells at a node, half of the nodes", run -> held(run, 0.5)),
        HELD_P99("  the same, 99 % of the nodes", run -> held(run, 0.99)),
        HELD("  the same, all nodes", ShaleRuns.Loaded::mostHeld),
        THROUGHPUT("  cells per node and slot", run -> run.summary().result().totals().throughput()),
        QUEUE("  longest queue", ShaleRuns.Loaded::longestQueue),
        LATE("  delivered over offered, second half", run -> run.late() / run.offered()),
        QUEUE_P99("  longest queue, 99 % of the nodes", run -> run.summary().queueLength().quantile(0.99));

        private final String words;
        private final ToDoubleFunction<ShaleRuns.Loaded> of;

        Value(final String words, final ToDoubleFunction<ShaleRuns.Loaded> of) {
            this.words = words;
            this.of = of;
        }

        @Override
        public Sample apply(final Sample[] all) {
            return all[ordinal()];
        }
    }

    /**
     * The graphs of Shale's Figures 10, 11 and 14 to 17: a line each for the mechanisms. One thread.
     *
     * @param found takes them.
     * @param all   what was measured, by phases.
     */
    record MechanismPlots(Findings found, SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> all) {
        /** Graphs of something by the size of flows, with each h. */
        Map<Integer, Plot> bySize(final String figure, final String id, final String shown,
            final Function<LoadedNumbers, Sample[]> values) {
            return plots(figure, id, shown, "flow size (bytes)", ShaleRuns.BINS, "size-normalized FCT", values);
        }

        /** Graphs of something by the share of nodes that have no more, with each h. */
        Map<Integer, Plot> byNodes(final String figure, final String id, final String shown, final String unit,
            final Function<LoadedNumbers, Sample[]> values) {
            return plots(figure, id, shown, "share of the nodes", LoadedNumbers.NODE_NAMES, unit, values);
        }

        private Map<Integer, Plot> plots(final String figure, final String id, final String shown, final String x,
            final List<String> places, final String y, final Function<LoadedNumbers, Sample[]> values) {
            final Map<Integer, Plot> plots = new TreeMap<>();
            all.forEach((phases, measured) -> {
                final int last = LoadedNumbers.known(measured.values().stream().map(values));
                final Plot plot = new Plot("fig" + figure + "-" + id + "-h" + phases, "Figure " + figure + ", h = "
                    + phases + ": " + shown, x, places.subList(0, last), y, Plot.Scale.LOGARITHMIC);
                PaperMechanism.EIGHT.stream().filter(measured::containsKey).forEach(of ->
                    Sample.draw(plot, of.inPaper(), Arrays.copyOf(values.apply(measured.get(of)), last)));
                found.add(plot);
                plots.put(phases, plot);
            });
            return plots;
        }
    }

    /**
     * Rules about mechanisms beside each other. A rule about a mechanism that was not measured is left out. One thread.
     *
     * @param found takes the rules.
     * @param of    begins their names.
     * @param all   what was measured.
     */
    record MechanismRules<T>(Findings found, String of, Map<PaperMechanism, T> all) {
        /** A value of a mechanism, or null if it was not measured. */
        Sample of(final PaperMechanism mechanism, final Function<T, Sample> value) {
            return all.containsKey(mechanism) ? value.apply(all.get(mechanism)) : null;
        }

        /** The least value of the others, by its mean, or null if one of them was not measured. */
        Sample leastBut(final PaperMechanism mechanism, final Function<T, Sample> value) {
            Sample least = null;
            for (final PaperMechanism other : PaperMechanism.EIGHT) {
                if (!all.containsKey(other)) {
                    return null;
                }
                final Sample its = value.apply(all.get(other));
                if (other != mechanism && (least == null || its.mean() < least.mean())) {
                    least = its;
                }
            }
            return least;
        }

        /** A value of a mechanism over that of another, seed by seed, or null if one of them was not measured. */
        Sample over(final PaperMechanism mechanism, final PaperMechanism other, final Function<T, Sample> value) {
            return ratio(of(mechanism, value), of(other, value));
        }

        /** A value over another, or null if one is not there. */
        static Sample ratio(final Sample of, final Sample over) {
            return of == null || over == null ? null : of.over(over);
        }

        /** A value is at most a bound, if it is there. */
        void atMost(final String what, final String expected, final double bound, final Sample value) {
            if (value != null) {
                found.atMost(of + what, expected, bound, value);
            }
        }

        /** A value is at least a bound, if it is there. */
        void atLeast(final String what, final String expected, final double bound, final Sample value) {
            if (value != null) {
                found.atLeast(of + what, expected, bound, value);
            }
        }

        /** A value that nothing says what to accept of, if it is there. */
        void reported(final String what, final String expected, final Sample value) {
            if (value != null) {
                found.reported(of + what, expected, value);
            }
        }
    }

    /**
     * Mechanisms that Shale §5.3 compares, in the order of the tables of docs/spec/shale.md §10.4; HBH_SPRAY_2, which
     * has two tokens for first hops, is not among the paper's eight.
     */
    enum PaperMechanism {
        NONE("none", "none", 42), SPRAY("spray-short", "spray-short", 43), HBH("hbh", "hop-by-hop", 73),
        HBH_SPRAY("hbh+spray", "HBH+spray", 78), HBH_SPRAY_2("hbh+spray", "HBH+spray, T_F = 2", 78),
        PRIORITY("priority", "priority", 59), ISD("isd", "ISD", 42), NDP("ndp", "NDP", 49), RD("rd", "RD", 46);

        /** The paper's eight, in the order of its legends. */
        static final List<PaperMechanism> EIGHT = List.of(NONE, PRIORITY, ISD, RD, NDP, SPRAY, HBH, HBH_SPRAY);

        /** What a user may choose of a figure that has them with h = 2 and 4. */
        static final Map<Choice, List<String>> CHOICES = Map.of(Choice.SLOTS, List.of(),
            Choice.PHASES, List.of("2", "4"),
            Choice.MECHANISMS, EIGHT.stream().map(PaperMechanism::toString).toList());

        private final String cc;
        private final String inPaper;
        private final double cost;

        PaperMechanism(final String cc, final String inPaper, final double cost) {
            this.cc = cc;
            this.inPaper = inPaper;
            this.cost = cost;
        }

        /**
         * What a run of each takes beside the others: about the ns of a node-slot, by which progress goes
         * (bench/results/2026-11-26-figures.md).
         */
        static double[] costs(final List<PaperMechanism> all) {
            return all.stream().mapToDouble(of -> of.cost).toArray();
        }

        /** Its name in the paper's legends. */
        String inPaper() {
            return inPaper;
        }

        /** The paper's that an extent has. */
        static List<PaperMechanism> of(final Extent extent) {
            return EIGHT.stream().filter(each -> extent.has(each.cc)).toList();
        }

        @Override
        public String toString() {
            return this == HBH_SPRAY_2 ? cc + ", T_F = 2" : cc;
        }
    }

    private ShaleMechanisms() {
    }

    private static Findings shortFlows(final Effort effort) {
        final Findings found = new Findings();
        final int[] alike = new int[2];
        final int[] rows = ShaleRuns.phases(effort);
        final List<PaperMechanism> measured = measured(effort);
        final SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> loaded = new TreeMap<>();
        for (int row = 0; row < rows.length; row++) {
            final int phases = rows[row];
            final Map<PaperMechanism, LoadedNumbers> all = new EnumMap<>(PaperMechanism.class);
            final Map<PaperMechanism, Sample[]> values = new EnumMap<>(PaperMechanism.class);
            for (final PaperMechanism of : measured) {
                final ShaleRuns.Loaded[] runs = runs(phases, of, effort.turn(row, rows.length)
                    .turn(all.size(), PaperMechanism.costs(measured)));
                all.put(of, new LoadedNumbers(Sample.columns(Arrays.stream(runs)
                    .map(run -> LoadedNumbers.of(run, false, Long.MAX_VALUE)).toArray(double[][]::new))));
                values.put(of, add(found, "h = " + phases + ", " + of + ": ",
                    effort.quick() && isSimulated(of) ? SIMULATOR[phases / 2 - 1][of.ordinal()] : new double[0], runs,
                    alike));
            }
            shortFlowStatements(new MechanismRules<>(found, "h = " + phases + ", ", values), effort.quick());
            loaded.put(phases, all);
        }
        plots(new MechanismPlots(found, loaded), measured, effort.quick());
        if (!effort.quick()) {
            return found.remark(ShaleRuns.beside("2 M", shortSlots(effort)));
        }
        found.atLeast("values of the simulator that a further seed may well have, share", "0.95", 0.8,
            (double) alike[0] / alike[1]);
        return found.remark("256 nodes: measured are means of " + SEEDS + " seeds with their 95 % confidence, expected "
            + "is one run of the authors' simulator on another draw of the flows, where it had the same settings. What "
            + "the paper says of 10,000 "
            + "nodes and does not hold here has no rule.");
    }

    /** The paper's graphs; in short beside what the authors' simulator has. */
    private static void plots(final MechanismPlots plots, final List<PaperMechanism> measured, final boolean quick) {
        final Map<Integer, Plot> held = plots.byNodes("10", "buffers", "buffer occupancy", "most cells at a node",
            LoadedNumbers::held);
        final Map<Integer, Plot> tail = plots.bySize("10", "tail", "99.9 % FCT", LoadedNumbers::tails);
        final Map<Integer, Plot> mean = plots.bySize("14", "mean", "mean FCT, short flow workload",
            LoadedNumbers::means);
        plots.byNodes("15", "queues", "queue length", "longest queue of a node, cells", LoadedNumbers::queues);
        if (quick) {
            published(held, measured, HELD_PLACES, Value.HELD_MEDIAN, Value.HELD_P99, Value.HELD);
            published(tail, measured, SIZE_PLACES, Value.TAIL, Value.MEDIUM_TAIL);
            published(mean, measured, SIZE_PLACES, Value.MEAN, Value.MEDIUM_MEAN);
        }
    }

    private static void published(final Map<Integer, Plot> plots, final List<PaperMechanism> measured,
        final double[] places, final Value... values) {
        plots.forEach((phases, plot) -> measured.stream().filter(PaperMechanism.EIGHT::contains)
            .filter(ShaleMechanisms::isSimulated)
            .forEach(of -> plot.addPublished(of.inPaper(), "authors' simulator", places, Arrays.stream(values)
                .mapToDouble(value -> SIMULATOR[phases / 2 - 1][of.ordinal()][value.ordinal()]).toArray())));
    }

    /** Whether the simulator was run with the same settings: its receivers of NDP and RD had a rate of 1.25/(2h). */
    private static boolean isSimulated(final PaperMechanism of) {
        return of != PaperMechanism.NDP && of != PaperMechanism.RD;
    }

    /** The paper's mechanisms, and in short two tokens for first hops, which the simulator was run with. */
    private static List<PaperMechanism> measured(final Effort effort) {
        final List<PaperMechanism> measured = new ArrayList<>(PaperMechanism.of(effort.extent()));
        if (effort.quick() && measured.contains(PaperMechanism.HBH_SPRAY)) {
            measured.add(PaperMechanism.HBH_SPRAY_2);
        }
        return measured;
    }

    private static int shortSlots(final Effort effort) {
        return effort.slots(300_000, 2_000_000);
    }

    /** One run, or in short one for each seed. */
    private static ShaleRuns.Loaded[] runs(final int phases, final PaperMechanism of, final Effort effort) {
        final int slots = shortSlots(effort);
        final ShaleRuns.Loaded[] runs = new ShaleRuns.Loaded[effort.either(SEEDS, 1)];
        for (int i = 0; i < runs.length; i++) {
            final Effort seeded = effort.seeded(i).turn(i, runs.length);
            runs[i] = ShaleRuns.loaded(fabric(phases, of, seeded), SizeDistribution.SHORT, slots,
                slots + effort.either(20_000, 0), seeded);
        }
        return runs;
    }

    private static double held(final ShaleRuns.Loaded run, final double ofNodes) {
        return run.summary().bufferOccupancy().quantile(ofNodes);
    }

    private static SizeBin medium(final ShaleRuns.Loaded run) {
        return run.summary().bins().get(MEDIUM);
    }

    /**
     * Adds the values of a mechanism.
     *
     * @param expected of the simulator, as far as it has them.
     * @param alike    counts the values that a further seed may well have, and all of them.
     * @return all values by {@link Value}.
     */
    private static Sample[] add(final Findings found, final String of, final double[] expected,
        final ShaleRuns.Loaded[] runs, final int[] alike) {
        final Sample[] samples = new Sample[Value.values().length];
        for (final Value value : Value.values()) {
            final int number = value.ordinal();
            final Sample sample = new Sample(Arrays.stream(runs).mapToDouble(value.of).toArray());
            final String what = number == 0 ? of + value.words : value.words;
            samples[number] = sample;
            if (runs.length == 1 && value == Value.LATE) {
                found.within(what, 1, 0.025, sample.mean());
            } else {
                found.reported(what, number < expected.length ? Check.text(expected[number]) : "", sample);
            }
            if (number < expected.length) {
                alike[0] += sample.expects(expected[number]) ? 1 : 0;
                alike[1]++;
            }
        }
        return samples;
    }

    /** What the paper says of its figures, as ratios; what holds only there has a rule only there. */
    private static void shortFlowStatements(final MechanismRules<Sample[]> rules, final boolean quick) {
        rules.atMost("hbh+spray over the best of the others, most cells at a node", "the best", 1,
            MechanismRules.ratio(rules.of(HBH_SPRAY, Value.HELD), rules.leastBut(HBH_SPRAY, Value.HELD)));
        rules.atMost("spray-short over none, mean under 4 kB", "very effective", 1,
            rules.over(SPRAY, NONE, Value.MEAN));
        rules.atMost("hbh over none, longest queue", "limited", 1, rules.over(HBH, NONE, Value.QUEUE));
        rules.atMost("ndp over spray-short, longest queue", "shorter", 1, rules.over(NDP, SPRAY, Value.QUEUE));
        rules.atMost("priority over none, mean under 4 kB", "better", 1, rules.over(PRIORITY, NONE, Value.MEAN));
        rules.atLeast("priority over none, 99.9 % under 4 kB", "worse", 1, rules.over(PRIORITY, NONE, Value.TAIL));
        rules.atMost("hbh+spray over priority, mean under 4 kB", "better even on this measure", 1,
            rules.over(HBH_SPRAY, PRIORITY, Value.MEAN));
        rules.atLeast("ndp over hbh+spray, longest queue, 99 % of the nodes", "far higher", 2,
            rules.over(NDP, HBH_SPRAY, Value.QUEUE_P99));
        large(rules, quick, "best of the others over hbh+spray",
            MechanismRules.ratio(rules.leastBut(HBH_SPRAY, Value.TAIL), rules.of(HBH_SPRAY, Value.TAIL)));
        for (final PaperMechanism worse : List.of(NDP, ISD, RD)) {
            large(rules, quick, worse + " over spray-short", rules.over(worse, SPRAY, Value.TAIL));
        }
    }

    /** A ratio of tails that is 1 or more with 10,000 nodes. */
    private static void large(final MechanismRules<Sample[]> rules, final boolean quick, final String what,
        final Sample ratio) {
        if (quick) {
            rules.reported(what + ", 99.9 % under 4 kB", "over 1 with 10,000", ratio);
        } else {
            rules.atLeast(what + ", 99.9 % under 4 kB", "over 1", 1, ratio);
        }
    }

    private static Findings heavyFlows(final Effort effort) {
        final Findings found = new Findings();
        final SortedMap<Integer, Map<PaperMechanism, LoadedNumbers>> measured = new TreeMap<>();
        final int[] rows = ShaleRuns.phases(effort);
        for (int row = 0; row < rows.length; row++) {
            final int phases = rows[row];
            final Map<PaperMechanism, LoadedNumbers> all = numbers(phases, effort.turn(row, rows.length));
            heavyFlowStatements(found, phases, all, effort.quick());
            measured.put(phases, all);
        }
        final String tail = effort.quick() ? "99 %" : "99.9 %";
        final MechanismPlots plots = new MechanismPlots(found, measured);
        plots.byNodes("11", "buffers", "buffer occupancy", "most cells at a node", LoadedNumbers::held);
        plots.bySize("11", "tail", tail + " FCT", LoadedNumbers::tails);
        plots.bySize("14", "mean", "mean FCT, heavy-tailed workload", LoadedNumbers::means);
        plots.byNodes("16", "queues", "queue length", "longest queue of a node, cells", LoadedNumbers::queues);
        plots.bySize("17", "tail", tail + " FCT of flows without a very long one to their destination",
            LoadedNumbers::tailsApart);
        return found.remark(effort.quick() ? "256 nodes, " + heavySlots(effort)
            + " slots, sizes beyond 3 MB a tenth of the paper's, "
            + SEEDS + " seeds; tails are 99 % of a bin, very long flows those above 25.6 MB."
            : ShaleRuns.beside("50 M", heavySlots(effort)) + " The largest flows do not end.");
    }

    private static int heavySlots(final Effort effort) {
        return effort.slots(120_000, 5_000_000);
    }

    private static Map<PaperMechanism, LoadedNumbers> numbers(final int phases, final Effort effort) {
        final Map<PaperMechanism, LoadedNumbers> all = new EnumMap<>(PaperMechanism.class);
        final List<PaperMechanism> measured = PaperMechanism.of(effort.extent());
        final int slots = heavySlots(effort);
        for (final PaperMechanism of : measured) {
            all.put(of, new LoadedNumbers(Sample.of(effort.either(SEEDS, 1),
                effort.turn(all.size(), PaperMechanism.costs(measured)), seeded -> LoadedNumbers.of(
                    ShaleRuns.loaded(fabric(phases, of, seeded), ShaleRuns.heavy(seeded), slots, slots, seeded),
                    seeded.quick(), seeded.quick() ? ShaleRuns.LONG_BYTES / 10 : ShaleRuns.LONG_BYTES))));
        }
        return all;
    }

    /** The sentences of §5.3 and Appendix B in their order. */
    private static void heavyFlowStatements(final Findings found, final int phases,
        final Map<PaperMechanism, LoadedNumbers> all, final boolean quick) {
        final String of = "h = " + phases + ", ";
        all.forEach((each, numbers) -> found.reported(of + each + ": tail of flows under 4 kB", "", numbers.tail(0))
            .reported("  cells at a node, 99.99 % of the nodes", "", numbers.held()[P9999]));
        final MechanismRules<LoadedNumbers> rules = new MechanismRules<>(found, of, all);
        tails(rules, phases, quick);
        final Function<LoadedNumbers, Sample> held = numbers -> numbers.held()[P9999];
        rules.atMost("spray-short over none, 99.99 % cells at a node", "slightly reduced", 1,
            rules.over(SPRAY, NONE, held));
        rules.atLeast("none over hbh, 99.99 % cells at a node", "several orders", quick ? 10 : 100,
            rules.over(NONE, HBH, held));
        rules.atMost("hbh over RD, 99.99 % cells at a node", "outperforms", 1, rules.over(HBH, RD, held));
        rules.atMost("hbh over NDP, 99.99 % cells at a node", "outperforms", 1, rules.over(HBH, NDP, held));
        rules.atMost("hbh+spray over hbh, 99.99 % cells at a node", "better", 1, rules.over(HBH_SPRAY, HBH, held));
        if (phases == 4) {
            rules.atMost("hbh+spray, cells at a node, 99.99 % of the nodes", "< 100", 99, rules.of(HBH_SPRAY, held));
            rules.atLeast("NDP over hbh+spray, 99.99 % cells at a node", "over an order", 10,
                rules.over(NDP, HBH_SPRAY, held));
            rules.atLeast("NDP: cells dropped, %", "> 3", 3, rules.of(NDP, numbers -> numbers.trimmed().times(100)));
        }
        rules.atLeast("NDP: longest queue, 99 % of the nodes", "near 100, where cells are dropped", 90,
            rules.of(NDP, numbers -> numbers.queues()[P99]));
    }

    private static void tails(final MechanismRules<LoadedNumbers> rules, final int phases, final boolean quick) {
        final Function<LoadedNumbers, Sample> tail = numbers -> numbers.tail(0);
        rules.atLeast("none over hbh, tail of flows under 4 kB", "2 to 3 orders", quick ? 10 : 100,
            rules.over(NONE, HBH, tail));
        rules.atMost("hbh+spray over hbh, tail of flows under 4 kB", "an additional improvement", 1,
            rules.over(HBH_SPRAY, HBH, tail));
        if (phases == 4) {
            rules.atMost("hbh+spray, tail of flows under 4 kB", "< 24, within 3x of 2h = 8", 24,
                rules.of(HBH_SPRAY, tail));
            rules.atLeast("NDP over hbh+spray, tail of flows under 4 kB", "over an order", 10,
                rules.over(NDP, HBH_SPRAY, tail));
            return;
        }
        rules.atLeast("hbh+spray over NDP, tail of flows under 4 kB", "slightly higher", 1,
            rules.over(HBH_SPRAY, NDP, tail));
        final Sample all = rules.over(HBH_SPRAY, ISD, tail);
        rules.atLeast("hbh+spray over ISD, tail of flows under 4 kB", "significantly higher", 1, all);
        rules.atMost("the same without flows beside a very long one, over that with them", "closer to ISD", 1,
            MechanismRules.ratio(rules.over(HBH_SPRAY, ISD, numbers -> numbers.tailsApart()[0]), all));
    }

    /** A fabric with a mechanism of the paper: 256 nodes for a short version, 10,000 for a whole one. */
    private static Shale fabric(final int phases, final PaperMechanism of, final Effort effort) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, effort.either(256, 10_000)));
        return new Shale(schedule, Population.complete(schedule), Mechanisms.of(of.cc), 1,
            of == PaperMechanism.HBH_SPRAY_2 ? 2 : 1, ShaleRuns.delay(phases, schedule.radix(), effort), effort.seed());
    }
}
