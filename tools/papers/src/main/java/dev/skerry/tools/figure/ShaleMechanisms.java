package dev.skerry.tools.figure;

import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.HBH;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.HBH_SPRAY;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.HBH_SPRAY_2;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.ISD;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.NDP;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.NONE;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.PRIORITY;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.RD;
import static dev.skerry.tools.figure.ShaleMechanisms.Mechanism.SPRAY;
import static java.util.Map.entry;

import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Eight mechanisms beside each other: Shale §5.3, Figures 10, 11 and 14 to 17 (docs/spec/shale.md §10.3, §10.4). */
public final class ShaleMechanisms {
    /**
     * Mechanisms under the short-flow workload: Shale Figures 10, 14 and 15 (docs/spec/shale.md §10.3); in short at 256
     * nodes with five seeds, beside what the authors' simulator has there (§10.4).
     */
    public static final Figure FIG10 = Figure.of("shale-fig10", Mechanism.CHOICES, ShaleMechanisms::shortFlows);
    /**
     * Eight mechanisms under the heavy-tailed workload: Shale §5.3, Figures 11, 14, 16 and 17 (docs/spec/shale.md
     * §10.3); in short at 256 nodes with five seeds and {@link ShaleRuns.TenthOfHeavy}.
     */
    public static final Figure FIG11 = Figure.of("shale-fig11", Mechanism.CHOICES, ShaleMechanisms::heavyFlows);

    private static final int MEDIUM = 3;
    /** Shares of nodes in {@link ShaleRuns#NODES}. */
    private static final int P99 = 2;
    private static final int P9999 = 4;
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
    /** What Figure 10 reports of a run, in the order of {@link #SIMULATOR}: words, and a place of its numbers. */
    private static final List<Map.Entry<String, Integer>> VALUES = List.of(
        entry("99.9 % of flows under 4 kB", ShaleRuns.TAIL),
        entry("  mean of flows under 4 kB", ShaleRuns.MEAN),
        entry("  99.9 % of flows of 64 to 256 kB", ShaleRuns.TAIL + MEDIUM),
        entry("  mean of flows of 64 to 256 kB", ShaleRuns.MEAN + MEDIUM),
        entry("  most cells at a node, half of the nodes", ShaleRuns.HELD),
        entry("  the same, 99 % of the nodes", ShaleRuns.HELD + P99),
        entry("  the same, all nodes", ShaleRuns.MOST_HELD),
        entry("  cells per node and slot", ShaleRuns.DELIVERED),
        entry("  longest queue", ShaleRuns.LONGEST),
        entry("  delivered over offered, second half", ShaleRuns.LATE),
        entry("  longest queue, 99 % of the nodes", ShaleRuns.QUEUE + P99));

    /**
     * The sentences of §5.3 and Appendix B in their order as rules about mechanisms beside each other, numbers of runs
     * by their place. A rule about a mechanism that was not measured is left out. One thread.
     *
     * @param found  takes the rules.
     * @param phases h.
     * @param quick  whether runs are short: what the paper says of 10,000 nodes only has a wider rule, or none.
     * @param all    what was measured.
     */
    private record Sentences(Findings found, int phases, boolean quick, Map<Mechanism, Sample[]> all) {
        private Sample of(final Mechanism mechanism, final int number) {
            return all.containsKey(mechanism) ? all.get(mechanism)[number] : null;
        }

        /** The least value of the others, by its mean, or null if one of them was not measured. */
        private Sample leastBut(final Mechanism mechanism, final int number) {
            return !all.keySet().containsAll(Mechanism.EIGHT) ? null : Mechanism.EIGHT.stream()
                .filter(other -> other != mechanism).map(other -> of(other, number))
                .min(Comparator.comparingDouble(Sample::mean)).orElseThrow();
        }

        /** A value of a mechanism over that of another, seed by seed. */
        private Sample over(final Mechanism mechanism, final Mechanism other, final int number) {
            return ratio(of(mechanism, number), of(other, number));
        }

        /** A value over another, or null if one is not there. */
        private static Sample ratio(final Sample of, final Sample over) {
            return of == null || over == null ? null : of.over(over);
        }

        private void check(final String what, final String expected, final Rule rule, final Sample value) {
            if (value != null) {
                found.check("h = " + phases + ", " + what, expected, rule, value);
            }
        }

        private void atMost(final String what, final String expected, final double bound, final Sample value) {
            check(what, expected, Rule.atMost(bound), value);
        }

        private void atLeast(final String what, final String expected, final double bound, final Sample value) {
            check(what, expected, Rule.atLeast(bound), value);
        }

        void ofShortFlows() {
            atMost("hbh+spray over the best of the others, most cells at a node", "the best", 1,
                ratio(of(HBH_SPRAY, ShaleRuns.MOST_HELD), leastBut(HBH_SPRAY, ShaleRuns.MOST_HELD)));
            atMost("spray-short over none, mean under 4 kB", "very effective", 1, over(SPRAY, NONE, ShaleRuns.MEAN));
            atMost("hbh over none, longest queue", "limited", 1, over(HBH, NONE, ShaleRuns.LONGEST));
            atMost("ndp over spray-short, longest queue", "shorter", 1, over(NDP, SPRAY, ShaleRuns.LONGEST));
            atMost("priority over none, mean under 4 kB", "better", 1, over(PRIORITY, NONE, ShaleRuns.MEAN));
            atLeast("priority over none, 99.9 % under 4 kB", "worse", 1, over(PRIORITY, NONE, ShaleRuns.TAIL));
            atMost("hbh+spray over priority, mean under 4 kB", "better even on this measure", 1,
                over(HBH_SPRAY, PRIORITY, ShaleRuns.MEAN));
            atLeast("ndp over hbh+spray, longest queue, 99 % of the nodes", "far higher", 2,
                over(NDP, HBH_SPRAY, ShaleRuns.QUEUE + P99));
            large("best of the others over hbh+spray",
                ratio(leastBut(HBH_SPRAY, ShaleRuns.TAIL), of(HBH_SPRAY, ShaleRuns.TAIL)));
            for (final Mechanism worse : List.of(NDP, ISD, RD)) {
                large(worse + " over spray-short", over(worse, SPRAY, ShaleRuns.TAIL));
            }
        }

        /** A ratio of tails that is 1 or more with 10,000 nodes. */
        private void large(final String what, final Sample ratio) {
            check(what + ", 99.9 % under 4 kB", quick ? "over 1 with 10,000" : "over 1",
                quick ? Rule.NONE : Rule.atLeast(1), ratio);
        }

        void ofHeavyFlows() {
            tails();
            final int held = ShaleRuns.HELD + P9999;
            atMost("spray-short over none, 99.99 % cells at a node", "slightly reduced", 1, over(SPRAY, NONE, held));
            atLeast("none over hbh, 99.99 % cells at a node", "several orders", quick ? 10 : 100,
                over(NONE, HBH, held));
            atMost("hbh over RD, 99.99 % cells at a node", "outperforms", 1, over(HBH, RD, held));
            atMost("hbh over NDP, 99.99 % cells at a node", "outperforms", 1, over(HBH, NDP, held));
            atMost("hbh+spray over hbh, 99.99 % cells at a node", "better", 1, over(HBH_SPRAY, HBH, held));
            if (phases == 4) {
                atMost("hbh+spray, cells at a node, 99.99 % of the nodes", "< 100", 99, of(HBH_SPRAY, held));
                atLeast("NDP over hbh+spray, 99.99 % cells at a node", "over an order", 10, over(NDP, HBH_SPRAY, held));
                final Sample trimmed = of(NDP, ShaleRuns.TRIMMED);
                atLeast("NDP: cells dropped, %", "> 3", 3, trimmed == null ? null : trimmed.times(100));
            }
            atLeast("NDP: longest queue, 99 % of the nodes", "near 100, where cells are dropped", 90,
                of(NDP, ShaleRuns.QUEUE + P99));
        }

        private void tails() {
            final int tail = ShaleRuns.TAIL;
            atLeast("none over hbh, tail of flows under 4 kB", "2 to 3 orders", quick ? 10 : 100,
                over(NONE, HBH, tail));
            atMost("hbh+spray over hbh, tail of flows under 4 kB", "an additional improvement", 1,
                over(HBH_SPRAY, HBH, tail));
            if (phases == 4) {
                atMost("hbh+spray, tail of flows under 4 kB", "< 24, within 3x of 2h = 8", 24, of(HBH_SPRAY, tail));
                atLeast("NDP over hbh+spray, tail of flows under 4 kB", "over an order", 10,
                    over(NDP, HBH_SPRAY, tail));
                return;
            }
            atLeast("hbh+spray over NDP, tail of flows under 4 kB", "slightly higher", 1, over(HBH_SPRAY, NDP, tail));
            atLeast("hbh+spray over ISD, tail of flows under 4 kB", "significantly higher", 1,
                over(HBH_SPRAY, ISD, tail));
            atMost("the same without flows beside a very long one, over that with them", "closer to ISD", 1,
                ratio(over(HBH_SPRAY, ISD, ShaleRuns.APART), over(HBH_SPRAY, ISD, tail)));
        }
    }

    /**
     * A mechanism beside others. Immutable.
     *
     * @param cc      as {@code --cc} takes it, a control of one's own included.
     * @param inPaper its name in a legend.
     * @param cost    what a run takes beside the others: about the ns of a node-slot, by which progress goes
     *                (bench/results/2026-11-26-figures.md).
     */
    record Mechanism(String cc, String inPaper, double cost) {
        static final Mechanism NONE = new Mechanism("none", "none", 42);
        static final Mechanism SPRAY = new Mechanism("spray-short", "spray-short", 43);
        static final Mechanism HBH = new Mechanism("hbh", "hop-by-hop", 73);
        static final Mechanism HBH_SPRAY = new Mechanism("hbh+spray", "HBH+spray", 78);
        /** With two tokens for first hops; not among the paper's eight. */
        static final Mechanism HBH_SPRAY_2 = new Mechanism("hbh+spray", "HBH+spray, T_F = 2", 78);
        static final Mechanism PRIORITY = new Mechanism("priority", "priority", 59);
        static final Mechanism ISD = new Mechanism("isd", "ISD", 42);
        static final Mechanism NDP = new Mechanism("ndp", "NDP", 49);
        static final Mechanism RD = new Mechanism("rd", "RD", 46);

        /** The eight of Shale §5.3, in the order of its legends. */
        static final List<Mechanism> EIGHT = List.of(NONE, PRIORITY, ISD, RD, NDP, SPRAY, HBH, HBH_SPRAY);
        /** In the order of the tables of docs/spec/shale.md §10.4. */
        static final List<Mechanism> SIMULATED = List.of(NONE, SPRAY, HBH, HBH_SPRAY, HBH_SPRAY_2, PRIORITY, ISD, NDP,
            RD);

        /** What a user may choose of a figure that has them with h = 2 and 4: any mechanism. */
        static final Map<Choice, List<String>> CHOICES = Map.of(Choice.SLOTS, List.of(),
            Choice.PHASES, List.of("2", "4"), Choice.MECHANISMS, List.of());

        /** Whether the simulator had the same settings: its receivers of NDP and RD had a rate of 1.25/(2h). */
        boolean isSimulated() {
            return SIMULATED.contains(this) && this != NDP && this != RD;
        }

        /** What one run of the authors' simulator had at 256 nodes. */
        double[] simulated(final int phases) {
            return SIMULATOR[phases / 2 - 1][SIMULATED.indexOf(this)];
        }

        /** Those of an extent: of the paper's, and others that it names. */
        static List<Mechanism> of(final Extent extent) {
            final Set<String> others = new TreeSet<>(extent.mechanisms());
            EIGHT.forEach(each -> others.remove(each.cc));
            return Stream.concat(EIGHT.stream().filter(each -> extent.has(each.cc)),
                others.stream().map(cc -> new Mechanism(cc, cc, HBH_SPRAY.cost))).toList();
        }

        @Override
        public String toString() {
            return this == HBH_SPRAY_2 ? cc + ", T_F = 2" : cc;
        }
    }

    private ShaleMechanisms() {
    }

    private static void shortFlows(final Effort effort, final Findings found) {
        final int[] alike = new int[2];
        final int slots = effort.slots(300_000, 2_000_000);
        final List<Mechanism> measured = new ArrayList<>(Mechanism.of(effort.extent()));
        if (effort.quick() && measured.contains(HBH_SPRAY)) {
            // The simulator was run with two tokens for first hops.
            measured.add(HBH_SPRAY_2);
        }
        final SortedMap<Integer, Map<Mechanism, Sample[]>> all = new TreeMap<>();
        ShaleRuns.eachPhases(effort, (phases, part) -> {
            all.put(phases, measure(phases, measured, part, (of, seeded) -> ShaleRuns.numbers(ShaleRuns.loaded(
                fabric(phases, of, seeded), SizeDistribution.SHORT, slots, slots + effort.either(20_000, 0), seeded),
                false, Long.MAX_VALUE)));
            measured.forEach(of -> add(found, "h = " + phases + ", " + of + ": ", effort.quick() && of.isSimulated()
                ? of.simulated(phases) : new double[0], all.get(phases).get(of), alike));
            new Sentences(found, phases, effort.quick(), all.get(phases)).ofShortFlows();
        });
        final Map<Integer, Plot> held = plot(found, all, "10", "buffers", "buffer occupancy", ShaleRuns.HELD);
        final Map<Integer, Plot> tail = plot(found, all, "10", "tail", "99.9 % FCT", ShaleRuns.TAIL);
        final Map<Integer, Plot> mean = plot(found, all, "14", "mean", "mean FCT, short flow workload", ShaleRuns.MEAN);
        plot(found, all, "15", "queues", "queue length", ShaleRuns.QUEUE);
        if (!effort.quick()) {
            found.remark(ShaleRuns.beside("2 M", slots));
            return;
        }
        published(held, measured, HELD_PLACES, 4, 5, 6);
        published(tail, measured, SIZE_PLACES, 0, 2);
        published(mean, measured, SIZE_PLACES, 1, 3);
        if (alike[1] > 0) {
            found.atLeast("values of the simulator that a further seed may well have, share", "0.95", 0.8,
                (double) alike[0] / alike[1]);
        }
        found.remark("256 nodes: measured are means of " + Effort.SEEDS + " seeds with their 95 % confidence, expected "
                + "is one run of the authors' simulator on another draw of the flows, where it had the same settings. "
                + "What the paper says of 10,000 nodes and does not hold here has no rule.");
    }

    /** The numbers of each mechanism. */
    private static Map<Mechanism, Sample[]> measure(final int phases, final List<Mechanism> measured,
        final Effort effort, final BiFunction<Mechanism, Effort, double[]> run) {
        final Map<Mechanism, Sample[]> all = new LinkedHashMap<>();
        final double[] costs = measured.stream().mapToDouble(of -> of.cost).toArray();
        for (final Mechanism of : measured) {
            all.put(of, effort.turn(all.size(), costs).sample(effort.either(Effort.SEEDS, 1),
                seeded -> run.apply(of, seeded)));
        }
        return all;
    }

    /** Marks values of the simulator by their place there. */
    private static void published(final Map<Integer, Plot> plots, final List<Mechanism> measured,
        final double[] places, final int... values) {
        plots.forEach((phases, plot) -> measured.stream()
            .filter(of -> of.isSimulated() && Mechanism.EIGHT.contains(of))
            .forEach(of -> plot.addPublished(of.inPaper, "authors' simulator", places, Arrays.stream(values)
                .mapToDouble(value -> of.simulated(phases)[value]).toArray())));
    }

    /**
     * Adds the values of a mechanism.
     *
     * @param expected of the simulator, as far as it has them.
     * @param alike    counts the values that a further seed may well have, and all of them.
     */
    private static void add(final Findings found, final String of, final double[] expected, final Sample[] numbers,
        final int[] alike) {
        for (int value = 0; value < VALUES.size(); value++) {
            final int place = VALUES.get(value).getValue();
            final String what = (value == 0 ? of : "") + VALUES.get(value).getKey();
            final Sample sample = numbers[place];
            if (sample.values().length == 1 && place == ShaleRuns.LATE) {
                found.within(what, 1, 0.025, sample.mean());
            } else {
                found.reported(what, value < expected.length ? Check.text(expected[value]) : "", sample);
            }
            if (value < expected.length) {
                alike[0] += sample.expects(expected[value]) ? 1 : 0;
                alike[1]++;
            }
        }
    }

    private static void heavyFlows(final Effort effort, final Findings found) {
        final int slots = effort.slots(120_000, 5_000_000);
        final SortedMap<Integer, Map<Mechanism, Sample[]>> all = new TreeMap<>();
        ShaleRuns.eachPhases(effort, (phases, part) -> {
            all.put(phases, measure(phases, Mechanism.of(effort.extent()), part, (of, seeded) -> ShaleRuns.numbers(
                ShaleRuns.loaded(fabric(phases, of, seeded), ShaleRuns.heavy(seeded), slots, slots, seeded),
                effort.quick(), effort.quick() ? ShaleRuns.LONG_BYTES / 10 : ShaleRuns.LONG_BYTES)));
            all.get(phases).forEach((of, numbers) -> found
                .reported("h = " + phases + ", " + of + ": tail of flows under 4 kB", numbers[ShaleRuns.TAIL])
                .reported("  cells at a node, 99.99 % of the nodes", numbers[ShaleRuns.HELD + P9999]));
            new Sentences(found, phases, effort.quick(), all.get(phases)).ofHeavyFlows();
        });
        final String tail = effort.quick() ? "99 %" : "99.9 %";
        plot(found, all, "11", "buffers", "buffer occupancy", ShaleRuns.HELD);
        plot(found, all, "11", "tail", tail + " FCT", ShaleRuns.TAIL);
        plot(found, all, "14", "mean", "mean FCT, heavy-tailed workload", ShaleRuns.MEAN);
        plot(found, all, "16", "queues", "queue length", ShaleRuns.QUEUE);
        plot(found, all, "17", "tail", tail + " FCT of flows without a very long one to their destination",
            ShaleRuns.APART);
        found.remark(effort.quick() ? "256 nodes, " + slots + " slots, sizes beyond 3 MB a tenth of the paper's, "
            + Effort.SEEDS + " seeds; tails are 99 % of a bin, very long flows those above 25.6 MB."
            : ShaleRuns.beside("50 M", slots) + " The largest flows do not end.");
    }

    /**
     * A graph with each h, a line each for the mechanisms: by the size of flows, or by the share of nodes that have no
     * more.
     *
     * @param from place of its first number.
     */
    private static Map<Integer, Plot> plot(final Findings found, final SortedMap<Integer, Map<Mechanism,
        Sample[]>> all, final String figure, final String id, final String shown, final int from) {
        final boolean nodes = from >= ShaleRuns.HELD;
        final Map<Integer, Plot> plots = new TreeMap<>();
        all.forEach((phases, measured) -> {
            final int last = ShaleRuns.known(measured.values().stream().map(numbers -> ShaleRuns.part(numbers, from)));
            final Plot plot = new Plot("fig" + figure + "-" + id + "-h" + phases, "Figure " + figure + ", h = " + phases
                + ": " + shown, nodes ? "share of the nodes" : "flow size (bytes)",
                (nodes ? ShaleRuns.NODE_NAMES : ShaleRuns.BINS).subList(0, last), !nodes ? "size-normalized FCT"
                : from == ShaleRuns.HELD ? "most cells at a node" : "longest queue of a node, cells",
                Plot.Scale.LOGARITHMIC);
            measured.forEach((of, numbers) -> {
                if (of != HBH_SPRAY_2) {
                    plot.add(Sample.line(of.inPaper, Arrays.copyOf(ShaleRuns.part(numbers, from), last)));
                }
            });
            found.add(plot);
            plots.put(phases, plot);
        });
        return plots;
    }

    /** A fabric with a mechanism of the paper: 256 nodes for a short version, 10,000 for a whole one. */
    private static Shale fabric(final int phases, final Mechanism of, final Effort effort) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, effort.either(256, 10_000)));
        return new Shale(schedule, Population.complete(schedule), Mechanisms.of(of.cc), 1, of == HBH_SPRAY_2 ? 2 : 1,
            ShaleRuns.delay(phases, schedule.radix(), effort), effort.seed());
    }
}
