package dev.skerry.tools.figure;

import static java.util.Map.entry;

import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Eight mechanisms compared with each other: Shale §5.3, Figures 10, 11 and 14 to 17 (docs/spec/shale.md §10.3, §10.4).
 */
public final class ShaleMechanisms {
    /**
     * Eight mechanisms under the short-flow workload: Shale §5.3, Figures 10, 14 and 15 (docs/spec/shale.md §10.3). The
     * short version has 256 nodes and five seeds.
     */
    public static final Figure FIG10 = Figure.of("shale-fig10", Mechanism.CHOICES, ShaleMechanisms::shortFlows);
    /**
     * Eight mechanisms under the heavy-tailed workload: Shale §5.3, Figures 11, 14, 16 and 17 (docs/spec/shale.md
     * §10.3). The short version has 256 nodes, five seeds and {@link ShaleRuns.TenthOfHeavy}.
     */
    public static final Figure FIG11 = Figure.of("shale-fig11", Mechanism.CHOICES, ShaleMechanisms::heavyFlows);

    private static final int MEDIUM = 3;
    /** Indices in {@link ShaleRuns#NODES}. */
    private static final int P99 = 2;
    private static final int P9999 = 4;
    /** Reported values of a run with short flows: words, and the index in its numbers. */
    private static final List<Map.Entry<String, Integer>> SHORT_VALUES = List.of(
        entry("99.9 % of flows under 4 kB", ShaleRuns.TAIL),
        entry("mean of flows under 4 kB", ShaleRuns.MEAN),
        entry("99.9 % of flows of 64 to 256 kB", ShaleRuns.TAIL + MEDIUM),
        entry("mean of flows of 64 to 256 kB", ShaleRuns.MEAN + MEDIUM),
        entry("most cells at a node, half of the nodes", ShaleRuns.HELD),
        entry("the same, 99 % of the nodes", ShaleRuns.HELD + P99),
        entry("the same, all nodes", ShaleRuns.MOST_HELD),
        entry("cells per node and slot", ShaleRuns.DELIVERED),
        entry("longest queue", ShaleRuns.LONGEST),
        entry("delivered over offered, second half", ShaleRuns.LATE),
        entry("longest queue, 99 % of the nodes", ShaleRuns.QUEUE + P99));
    /** Reported values of a run with heavy-tailed flows. */
    private static final List<Map.Entry<String, Integer>> HEAVY_VALUES = List.of(
        entry("tail of flows under 4 kB", ShaleRuns.TAIL),
        entry("cells at a node, 99.99 % of the nodes", ShaleRuns.HELD + P9999));

    /**
     * A statement of §5.3 or Appendix B as a rule: a row of {@code shale-sentences.txt}, which explains its words.
     *
     * @param low smallest value accepted, or 0.
     * @param high largest value accepted, or infinity.
     * @param value ratio of numbers of mechanisms.
     */
    private record Sentence(String what, String words, double low, double high, String value) {
        private static final Pattern SET = Pattern.compile("([{\\[])(.+?)[}\\]]");
        private static final Map<String, Integer> NUMBERS = Map.of("tail", ShaleRuns.TAIL, "mean", ShaleRuns.MEAN,
            "apart", ShaleRuns.APART, "held", ShaleRuns.HELD, "queue", ShaleRuns.QUEUE, "trimmed", ShaleRuns.TRIMMED,
            "most", ShaleRuns.MOST_HELD, "longest", ShaleRuns.LONGEST, "late", ShaleRuns.LATE);

        /** Returns the statements about a workload with h phases. */
        static List<Sentence> of(final String workload, final int phases) {
            return PlotFigure.resource(ShaleMechanisms.class, "shale-sentences.txt").lines()
                .map(line -> line.split(" \\| "))
                .filter(row -> row[0].contains(workload) && row.length > 1 && row[1].contains("" + phases))
                .map(row -> new Sentence(row[2], row[3], bound(row[4], 0, 0), bound(row[4], 1,
                    Double.POSITIVE_INFINITY), row[5])).toList();
        }

        private static double bound(final String accepted, final int place, final double none) {
            final String bound = accepted.split("\\.\\.", -1)[place];
            return bound.isEmpty() ? none : Double.parseDouble(bound);
        }

        /**
         * Checks the statement against the measured values, by phases; leaves it out if it is about a mechanism that
         * was not measured.
         */
        void ask(final Findings found, final int phases, final Map<Integer, Map<Mechanism, Sample[]>> all) {
            final Matcher set = SET.matcher(value);
            final List<String> texts = !set.find() ? List.of(value) : Stream.of(set.group(2).split(","))
                .map(each -> value.replace(set.group(), each)).toList();
            final List<Sample> values = texts.stream().map(text -> ratio(text, " : ", ratio -> ratio(ratio, " / ",
                term -> number(term.split("[ @]"), phases, all)))).toList();
            if (values.contains(null)) {
                return;
            }
            final Comparator<Sample> margin = Comparator.comparingDouble(each ->
                Math.min(high / each.mean(), low == 0 ? Double.POSITIVE_INFINITY : each.mean() / low));
            ShaleRuns.stated(found, "h = " + phases + ", " + what, words, low, high, value.contains("[")
                ? Collections.max(values, margin) : Collections.min(values, margin));
        }

        /** Returns the first of some values divided by each of the others, seed by seed; null if one is missing. */
        private static Sample ratio(final String text, final String by, final Function<String, Sample> value) {
            Sample ratio = null;
            for (final String part : text.split(by)) {
                final Sample next = value.apply(part);
                if (next == null) {
                    return null;
                }
                ratio = ratio == null ? next : ratio.over(next);
            }
            return ratio;
        }

        private static Sample number(final String[] words, final int phases,
            final Map<Integer, Map<Mechanism, Sample[]>> all) {
            final String name = words[0].replaceAll("\\d", "");
            final int place = NUMBERS.get(name) + (words[0].equals(name) ? 0 : words[0].charAt(name.length()) - '0');
            return all.getOrDefault(words.length > 2 ? Integer.parseInt(words[2]) : phases, Map.of()).entrySet()
                .stream().filter(of -> of.getKey().toString().equals(words[1])).map(of -> of.getValue()[place])
                .findFirst().orElse(null);
        }
    }

    /**
     * A mechanism of the comparison. Immutable.
     *
     * @param cc name as {@code --cc} takes it; may be a mechanism of the user's own.
     * @param setting difference from the usual settings, for a table.
     * @param inPaper name in a legend of the paper.
     * @param cost approximate time of a node-slot, ns, as the weight of its progress
     *             (bench/results/2026-11-26-figures.md).
     */
    record Mechanism(String cc, String setting, String inPaper, double cost) {
        static final Mechanism NONE = new Mechanism("none", "", "none", 42);
        static final Mechanism SPRAY = new Mechanism("spray-short", "", "spray-short", 43);
        static final Mechanism HBH = new Mechanism("hbh", "", "hop-by-hop", 73);
        static final Mechanism HBH_SPRAY = new Mechanism("hbh+spray", "", "HBH+spray", 78);
        static final Mechanism PRIORITY = new Mechanism("priority", "", "priority", 59);
        static final Mechanism ISD = new Mechanism("isd", "", "ISD", 42);
        static final Mechanism NDP = new Mechanism("ndp", "", "NDP", 49);
        static final Mechanism RD = new Mechanism("rd", "", "RD", 46);
        /** Receivers that request 1.25/(2h) cells per slot, the R of ISD, instead of one; not one of the eight. */
        static final Mechanism NDP_PACED = new Mechanism("ndp", ", f = 1.25/(2h)", "NDP, f = 1.25/(2h)", 49);
        static final Mechanism RD_PACED = new Mechanism("rd", ", f = 1.25/(2h)", "RD, f = 1.25/(2h)", 46);

        /** Senders that share 1.25 cells per slot of a receiver instead of 1.25/(2h); not one of the eight. */
        static final Mechanism ISD_FULL = new Mechanism("isd", ", R = 1.25", "ISD, R = 1.25", 42);

        /** The eight mechanisms of Shale §5.3, in the order of its legends. */
        static final List<Mechanism> EIGHT = List.of(NONE, PRIORITY, ISD, RD, NDP, SPRAY, HBH, HBH_SPRAY);
        /** Choices of a figure with these mechanisms and h = 2 and 4; any mechanism may be chosen. */
        static final Map<Choice, List<String>> CHOICES = Map.of(Choice.SLOTS, List.of(), Choice.NODES, ShaleRuns.SIZES,
            Choice.PHASES, List.of("2", "4"), Choice.MECHANISMS, List.of());

        /**
         * Returns the mechanisms of an extent: those of the paper, some of them with other settings, and others that it
         * names.
         */
        static List<Mechanism> of(final Extent extent) {
            final Set<String> others = new TreeSet<>(extent.mechanisms());
            EIGHT.forEach(each -> others.remove(each.cc));
            return Stream.concat(Stream.concat(EIGHT.stream(), Stream.of(NDP_PACED, RD_PACED, ISD_FULL))
                .filter(each -> extent.has(each.cc)),
                others.stream().map(cc -> new Mechanism(cc, "", cc, HBH_SPRAY.cost))).toList();
        }

        /** Returns the mechanism set, labelled with its setting, by which kept runs are distinguished. */
        MechanismSet set(final int phases) {
            final MechanismSet usual = Mechanisms.of(cc);
            final EndToEndFactory endToEnd = this == ISD_FULL ? new SenderDriven(1.25, null) : this == RD_PACED
                || this == NDP_PACED ? new ReceiverDriven(20, 1.25 / (2 * phases), 0, this == RD_PACED ? 0 : 100)
                : usual.endToEnd();
            return new MechanismSet(toString(), usual.control(), usual.spraying(), usual.order(), endToEnd,
                usual.ties(), usual.locals());
        }

        @Override
        public String toString() {
            return cc + setting;
        }
    }

    private ShaleMechanisms() {
    }

    private static void shortFlows(final Effort effort, final Findings found) {
        final int slots = effort.slots(100_000, 2_000_000);
        final SortedMap<Integer, Map<Mechanism, Sample[]>> all = measure("short", SHORT_VALUES, effort, found,
            (fabric, seeded) -> ShaleRuns.numbers(ShaleRuns.loaded(fabric, SizeDistribution.SHORT, slots, slots
            + effort.either(20_000, 0), seeded), false, Long.MAX_VALUE));
        plot(found, all, "10-buffers", "buffer occupancy", ShaleRuns.HELD);
        plot(found, all, "10-tail", "99.9 % FCT", ShaleRuns.TAIL);
        plot(found, all, "14-mean", "mean FCT, short flow workload", ShaleRuns.MEAN);
        plot(found, all, "15-queues", "queue length", ShaleRuns.QUEUE);
        found.remark(ShaleRuns.extent("2 M", slots, effort));
    }

    private static void heavyFlows(final Effort effort, final Findings found) {
        final int slots = effort.slots(120_000, 5_000_000);
        final SortedMap<Integer, Map<Mechanism, Sample[]>> all = measure("heavy", HEAVY_VALUES, effort, found,
            (fabric, seeded) -> ShaleRuns.numbers(ShaleRuns.loaded(fabric, ShaleRuns.heavy(seeded), slots, slots,
            seeded), effort.quick(), effort.quick() ? ShaleRuns.LONG_BYTES / 10 : ShaleRuns.LONG_BYTES));
        final String tail = effort.quick() ? "99 %" : "99.9 %";
        plot(found, all, "11-buffers", "buffer occupancy", ShaleRuns.HELD);
        plot(found, all, "11-tail", tail + " FCT", ShaleRuns.TAIL);
        plot(found, all, "14-mean", "mean FCT, heavy-tailed workload", ShaleRuns.MEAN);
        plot(found, all, "16-queues", "queue length", ShaleRuns.QUEUE);
        plot(found, all, "17-tail", tail + " FCT of flows without a very long one to their destination",
            ShaleRuns.APART);
        found.remark(ShaleRuns.extent("50 M", slots, effort) + (effort.quick() ? " Sizes beyond 3 MB are a tenth of "
            + "the paper's, very long flows those above 25.6 MB, tails 99 % of a bin."
            : " The largest flows do not end."));
    }

    /**
     * Measures each mechanism with each h, reports some values and checks the statements about a workload.
     *
     * @param run returns the {@link ShaleRuns#numbers} of a fabric.
     */
    private static SortedMap<Integer, Map<Mechanism, Sample[]>> measure(final String workload,
        final List<Map.Entry<String, Integer>> values, final Effort effort, final Findings found,
        final BiFunction<Shale, Effort, double[]> run) {
        final SortedMap<Integer, Map<Mechanism, Sample[]>> all = new TreeMap<>();
        final List<Mechanism> measured = Mechanism.of(effort.extent());
        final double[] costs = measured.stream().mapToDouble(of -> of.cost).toArray();
        ShaleRuns.eachPhases(effort, (phases, part) -> {
            final Map<Mechanism, Sample[]> numbers = new LinkedHashMap<>();
            for (final Mechanism of : measured) {
                numbers.put(of, part.turn(numbers.size(), costs).sample(ShaleRuns.seeds(effort),
                    seeded -> run.apply(fabric(phases, of, seeded), seeded)));
                values.forEach(value -> found.reported((value == values.getFirst() ? "h = " + phases + ", " + of + ": "
                    : "  ") + value.getKey(), numbers.get(of)[value.getValue()]));
            }
            all.put(phases, numbers);
            Sentence.of(workload, phases).forEach(sentence -> sentence.ask(found, phases, all));
        });
        return all;
    }

    /**
     * Adds a plot for each h with a line for each mechanism: by the size of flows, or by the share of nodes at or below
     * a value.
     *
     * @param id number of the figure and a word.
     * @param from index of its first number.
     */
    private static void plot(final Findings found, final SortedMap<Integer, Map<Mechanism, Sample[]>> all,
        final String id, final String shown, final int from) {
        final boolean nodes = from >= ShaleRuns.HELD;
        all.forEach((phases, measured) -> {
            final int last = ShaleRuns.known(measured.values().stream().map(numbers -> ShaleRuns.part(numbers, from)));
            final Plot plot = new Plot("fig" + id + "-h" + phases, "Figure " + id.substring(0, 2) + ", h = " + phases
                + ": " + shown, nodes ? "share of the nodes" : "flow size (bytes)",
                (nodes ? ShaleRuns.NODE_NAMES : ShaleRuns.BINS).subList(0, last), !nodes ? "size-normalized FCT"
                : from == ShaleRuns.HELD ? "most cells at a node" : "longest queue of a node, cells",
                Plot.Scale.LOGARITHMIC);
            measured.forEach((of, numbers) -> {
                if (of != Mechanism.ISD_FULL) {
                    plot.add(Sample.line(of.inPaper, Arrays.copyOf(ShaleRuns.part(numbers, from), last)));
                }
            });
            found.add(plot);
        });
    }

    private static Shale fabric(final int phases, final Mechanism of, final Effort effort) {
        final Phased schedule = new Phased(phases, Population.radixFor(phases, ShaleRuns.nodes(effort)));
        return new Shale(schedule, Population.complete(schedule), of.set(phases), 1, 1,
            ShaleRuns.delay(phases, schedule.radix(), effort), effort.seed());
    }
}
