package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Latency, queues and evenness of links in the network of Stardust Figure 9 (docs/spec/stardust.md §10 rows 8 to 10, 16
 * and 17).
 */
public final class StardustUtilization {
    /** Latency across the fabric at 95 % of its links: Stardust Figure 9 left (docs/spec/stardust.md §10 row 8). */
    public static final Figure FIG9_LATENCY = Figure.of("stardust-fig9-latency", StardustUtilization::latency);
    /**
     * Queues of the last stage by utilization, whose distribution falls exponentially like that of an M/D/1 queue:
     * Stardust Figure 9 right (docs/spec/stardust.md §8 (1) to (4), §10 row 9).
     */
    public static final Figure FIG9_QUEUES = Figure.of("stardust-fig9-queues", StardustUtilization::utilization);
    /** More demand than capacity: Stardust Figure 9, 120 % (docs/spec/stardust.md §10 row 10). */
    public static final Figure FIG9_OVERLOAD = Figure.of("stardust-fig9-overload", StardustUtilization::overload);
    /**
     * Under any traffic pattern the links of a device carry the same, and queues are no longer than those of an M/D/1
     * queue: Stardust §5.3 and §5.7 (docs/spec/stardust.md §10 rows 16 and 17), on the network of Figure 9 at 95 %
     * load.
     */
    public static final Figure PATTERNS = Figure.of("stardust-patterns", StardustUtilization::patterns);

    /** Time of a cell of 256 bytes at 25 Gb/s, us. */
    private static final double SLOT_US = 0.08192;
    /** 100 m of fibre, 500 ns, are six slots; a link sends a cell in one more. */
    private static final int LINK_SLOTS = 7;
    private static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final double LOAD = 0.95;
    private static final List<Double> LOADS = List.of(0.66, 0.80, 0.90, 0.92, 0.95);
    /** Slots within which the flows of a pattern of few flows begin. */
    private static final int START_SLOTS = 64;
    private static final QueueModel MODEL = new QueueModel(LOAD);

    /** The slope of ln P over the lengths, and the quality of the fit. */
    private record Fit(double rate, double square) {
    }

    /** The traffic pattern. */
    private enum Pattern {
        ALL_TO_ALL("all to all"),
        PERMUTATION("permutation"),
        SHIFT("each pod to another"),
        INCAST("all to one");

        private final String words;

        Pattern(final String words) {
            this.words = words;
        }

        private FlowSet flows(final int adapters, final long seed) {
            if (this == PERMUTATION) {
                return Runs.permutation(adapters, 1, seed);
            }
            if (this != SHIFT) {
                return Runs.endless(adapters, 2, (from, to) -> this == ALL_TO_ALL || to == 0);
            }
            // With a common start the ports would stay in step for the whole run, because each gives credits at the
            // same fractions of a slot.
            final int[] starts = IntStream.range(0, adapters).map(from -> CounterRandom.below(CounterRandom.bits(seed,
                from, 0, 0), START_SLOTS)).toArray();
            final FlowSet flows = new FlowSet();
            IntStream.range(0, 2 * adapters).boxed().sorted(Comparator.comparingInt(flow -> starts[flow / 2]))
                .forEach(flow -> flows.add(flows.size(), flow / 2, (flow / 2 + adapters / 2 + 1) % adapters,
                    Long.MAX_VALUE, FlowSet.ENDLESS, starts[flow / 2]));
            return flows;
        }
    }

    /**
     * The network of Stardust Figure 9: 256 adapters of 32 links, two queues between each pair that are never empty,
     * credits at a share of the capacity of the links (docs/spec/stardust.md §2, §10 rows 8 to 10, §12).
     *
     * @param network network of two tiers.
     * @param load credits as a share of the capacity of the links; above 1, elements mark cells and credits slow down.
     * @param rules rules of the queues.
     * @param seed seed of all random numbers.
     */
    record Setup(FoldedClosConfig network, double load, LinkRules rules, long seed) {
        /**
         * Returns the setup of the paper: 128 cells per link, at most 256; marks only if they are to slow credits down.
         */
        static Setup of(final double load, final long seed) {
            return new Setup(NETWORK, load, load > 1 ? LinkRules.USUAL : LinkRules.USUAL.marking(0), seed);
        }

        /** Returns the bytes that the links of an adapter carry in a slot. */
        private double linkBytes() {
            return network.faLinks() * (double) CELL_BYTES;
        }

        private StardustEngine engine(final FlowSet flows, final Effort effort) {
            final Credits credits = Credits.paced(load * linkBytes());
            return new StardustEngine(Runs.stardust(network, LINK_SLOTS, HostSide.of(1, 2, 2 * linkBytes()),
                new CellCut(4096, CELL_BYTES, false, CellPacker.Packing.CONTINUOUS),
                load > 1 ? credits.regulated(Double.POSITIVE_INFINITY) : credits, rules, seed), flows,
                effort.threads());
        }

        /**
         * Runs all to all; returns the shares of their links that adapters use: the mean, the smallest and the largest.
         */
        Run run(final int warmUp, final int slots, final Effort effort) {
            try (StardustEngine engine = engine(Pattern.ALL_TO_ALL.flows(network.fas(), seed), effort)) {
                final double[] bytes = Runs.grown(engine, engine::bytesSentTo, network.fas(), warmUp, slots - warmUp,
                    effort);
                final double[] used = Arrays.stream(bytes).map(sent -> sent / ((slots - warmUp) * linkBytes()))
                    .toArray();
                double mean = 0;
                for (final double each : used) {
                    mean += each / used.length;
                }
                return Run.of(engine, mean, new Sample(used).least(), new Sample(used).most());
            }
        }

        /** Runs a pattern; returns how evenly links were used, by {@link LinkLoads}. */
        private Run run(final Pattern pattern, final Effort effort) {
            try (StardustEngine engine = engine(pattern.flows(network.fas(), seed), effort)) {
                final int slots = effort.either(2_000, 12_000);
                final FoldedClos clos = new FoldedClos(network);
                final double[] cells = Runs.grown(engine, engine::sentInto, clos.ports(), slots / 4, slots, effort);
                final LinkLoads loads = new LinkLoads(clos, cells);
                return Run.of(engine, loads.adapters(), loads.up(), loads.down(), loads.last(), loads.meanOverMost());
            }
        }
    }

    /**
     * The measured values of one seed; its engine is closed.
     *
     * @param last number of times that a queue of the last stage had each length.
     * @param numbers other numbers.
     */
    public record Run(long[] last, SlotHistogram latency, long dropped, long pauses, double... numbers) {
        private static Run of(final StardustEngine engine, final double... numbers) {
            return new Run(engine.lengths().stage(1, true), engine.latency(), Runs.dropped(engine),
                engine.count(NicCounter.PAUSES), numbers);
        }

        /** Returns the lengths of the queues of the last stage. */
        QueueLengths lengths() {
            return new Seeds(List.of(this)).lengths();
        }

        double meanLatency() {
            final double[] sum = {0, 0};
            latency.forEach((slots, count) -> {
                sum[0] += (double) slots * count;
                sum[1] += count;
            });
            return sum[0] / sum[1];
        }

        /** Returns the largest deviation of an adapter's share from the mean, in percent. */
        private double uneven() {
            return 100 * Math.max(numbers[2] / numbers[0] - 1, 1 - numbers[1] / numbers[0]);
        }
    }

    /** The runs of several seeds. */
    record Seeds(List<Run> each) {
        /** Measures with some seeds, the seed of the effort and the following ones. */
        private static Seeds of(final Effort effort, final Function<Effort, Run> run) {
            return new Seeds(effort.runs(Run.class, Effort.SEEDS, run));
        }

        /** Returns a value of each run. */
        Sample of(final ToDoubleFunction<Run> value) {
            return new Sample(each.stream().mapToDouble(value).toArray());
        }

        private Sample number(final int place) {
            return of(run -> run.numbers[place]);
        }

        /** Returns the lengths of the queues of the last stage over all runs. */
        QueueLengths lengths() {
            final QueueLengths all = new QueueLengths(NETWORK.tiers());
            final long[] counts = all.stage(1, true);
            each.forEach(run -> Arrays.setAll(counts, length -> counts[length] + run.last[length]));
            return all;
        }

        /** Returns the latencies over all runs. */
        private SlotHistogram latency() {
            final SlotHistogram all = new SlotHistogram();
            each.forEach(run -> all.add(run.latency));
            return all;
        }

        /** Reports by how much queues exceed the model. */
        private void addOverModel(final Findings found, final String what, final QueueModel model, final double busy) {
            found.atMost(what, "1 at most", 1.1, overModel(model, busy))
                .reported("  of each seed alone", of(run -> new Seeds(List.of(run)).overModel(model, busy)));
        }

        /**
         * Returns the largest excess over the model, over all lengths of the last stage that each seed saw often
         * enough; all slots of one long queue count as one sample.
         *
         * @param busyLinks share of the last links that carry traffic.
         */
        private double overModel(final QueueModel model, final double busyLinks) {
            final QueueLengths all = lengths();
            final long[] seen = new long[each.size()];
            double most = 0;
            for (int length = QueueLengths.MOST; length > 0; length--) {
                for (int seed = 0; seed < seen.length; seed++) {
                    seen[seed] += each.get(seed).last[length];
                }
                if (Arrays.stream(seen).min().orElseThrow() >= 100) {
                    most = Math.max(most, all.atLeast(1, true, length) / busyLinks / model.atLeast(length));
                }
            }
            return most;
        }

        /** Reports the losses, and whether a queue or pool was ever full, in which case links would have lost cells. */
        void addLosses(final Findings found) {
            found.exactly("  cells dropped", 0, each.stream().mapToLong(Run::dropped).sum())
                .exactly("  slots in which a queue or pool was full", 0, each.stream().mapToLong(Run::pauses).sum());
        }
    }

    /**
     * The cells that the links of a Stardust fabric of two tiers carried, and how evenly the links to the same places
     * shared them.
     *
     * @param cells cells by the port into which they were sent.
     */
    record LinkLoads(FoldedClos clos, double[] cells) {
        /**
         * Returns the ratio of the maximum to the minimum number of cells over the links of one adapter, the largest of
         * all adapters.
         */
        double adapters() {
            return unevenness(0, 0, clos.config().faLinks());
        }

        /** Returns the same ratio over the uplinks of an element of tier 1. */
        double up() {
            return unevenness(1, clos.config().downLinks(1), clos.config().upLinks());
        }

        /** Returns the same ratio over the links of an element of tier 2 to one pod. */
        double down() {
            final int pods = clos.config().pods().getFirst();
            final int links = clos.config().radix() / pods;
            return IntStream.range(0, pods).mapToDouble(pod -> unevenness(2, pod * links, links)).max().orElse(0);
        }

        /** Returns the same ratio over the links to one adapter. */
        double last() {
            return IntStream.range(0, clos.fas()).mapToDouble(adapter -> unevenness(
                IntStream.range(clos.firstPort(adapter), clos.firstPort(adapter + 1)).map(clos::peer))).max().orElse(0);
        }

        /** Returns the mean of the last links divided by the fullest of them. */
        double meanOverMost() {
            final DoubleSummaryStatistics last = of(IntStream.range(0, clos.firstPort(clos.fas())).map(clos::peer));
            return last.getAverage() / last.getMax();
        }

        private double unevenness(final int tier, final int from, final int links) {
            return IntStream.range(clos.tierStart(tier), clos.tierStart(tier + 1)).map(clos::firstPort)
                .mapToDouble(first -> unevenness(IntStream.range(first + from, first + from + links))).max().orElse(0);
        }

        private double unevenness(final IntStream ports) {
            final DoubleSummaryStatistics of = of(ports);
            return of.getMax() / of.getMin();
        }

        private DoubleSummaryStatistics of(final IntStream ports) {
            return ports.mapToDouble(port -> cells[port]).summaryStatistics();
        }
    }

    private StardustUtilization() {
    }

    private static void latency(final Effort effort, final Findings found) {
        final int slots = effort.either(4_000, 24_000);
        final Seeds runs = Seeds.of(effort, seeded -> Setup.of(LOAD, seeded.seed()).run(slots / 4, slots, seeded));
        final SlotHistogram latency = runs.latency();
        found.reported("mean, slots", "36.3", runs.of(Run::meanLatency))
            .reported("99.99 %, slots", "105", new Sample(within(latency, 0.9999)))
            .reported("99.999 %, slots", "125", new Sample(within(latency, 0.99999)))
            .reported("99.999 %, us", SLOT_US * within(latency, 0.99999))
            .atMost("longest, us", "bound by 13", 13, SLOT_US * within(latency, 1));
        runs.addLosses(found);
        final Plot plot = latencyPlot("95 % of the links in use");
        addLatency(plot, "95 %", latency);
        addPrinted(plot, latency);
        found.add(plot).remark("The paper does not print the rate of these links. Times in us assume 25 Gb/s, which "
            + "is our choice: at 50 Gb/s all but the 2 us of fibre would be halved.")
            .remark("Expected slots are those of an independent model (spec/stardust \u00a712) plus 24 of fibre. For "
                + "other loads, see stardust-fig9-queues.");
    }

    private static void utilization(final Effort effort, final Findings found) {
        final Plot latency = latencyPlot("by links in use");
        final Plot queues = queuesPlot("by links in use");
        final int slots = effort.either(2_000, 8_000);
        final List<Integer> longest = new ArrayList<>();
        final List<Double> rates = new ArrayList<>();
        effort.each(LOADS, (load, part) -> {
            final Seeds runs = Seeds.of(part, seeded -> Setup.of(load, seeded.seed()).run(slots / 4, slots, seeded));
            final QueueLengths lengths = runs.lengths();
            final QueueModel model = new QueueModel(load);
            final Fit fit = fit(lengths);
            found.near("utilization " + load + ": links in use", load, 0.005, lengths.atLeast(1, true, 1));
            runs.addOverModel(found, "  most of P(Q >= N) over M/D/1's", model, 1);
            found.atLeast("  R\u00b2 of an exponential tail", "exponential", 0.98, fit.square)
                .reported("  its rate over that of M/D/1", "1 at least", new Sample(fit.rate / model.rate()))
                .reported("  of each seed alone", runs.of(run -> fit(run.lengths()).rate / model.rate()));
            runs.addLosses(found);
            rates.add(fit.rate);
            longest.add(lengths.longest(1, true));
            addLatency(latency, percent(load), runs.latency());
            addQueues(queues, percent(load), lengths, 1);
            if (rates.size() == LOADS.size()) {
                addPrinted(latency, runs.latency());
            }
        });
        for (int i = 0; i < LOADS.size(); i++) {
            addModel(queues, percent(LOADS.get(i)), new QueueModel(LOADS.get(i)), longest.get(i));
        }
        found.atMost("most of the rate over that of the load before", "it falls with utilization", 1,
            IntStream.range(1, rates.size()).mapToDouble(i -> rates.get(i) / rates.get(i - 1)).max().orElseThrow())
            .add(latency).add(queues);
    }

    private static String percent(final double load) {
        return Math.round(100 * load) + " %";
    }

    /** Fits ln P(Q >= N) over N by least squares, for P from 1e-5 to 1e-2. */
    private static Fit fit(final QueueLengths lengths) {
        double n = 0;
        double x = 0;
        double y = 0;
        double xx = 0;
        double xy = 0;
        double yy = 0;
        for (int length = 1; length <= QueueLengths.MOST; length++) {
            final double share = lengths.atLeast(1, true, length);
            if (share >= 1e-5 && share <= 1e-2) {
                final double log = Math.log(share);
                n++;
                x += length;
                y += log;
                xx += (double) length * length;
                xy += length * log;
                yy += log * log;
            }
        }
        final double covariance = xy - x * y / n;
        final double spread = xx - x * x / n;
        return new Fit(-covariance / spread, covariance * covariance / (spread * (yy - y * y / n)));
    }

    private static void overload(final Effort effort, final Findings found) {
        final Seeds runs = Seeds.of(effort, seeded -> Setup.of(1.2, seeded.seed()).run(12_000,
            effort.either(16_000, 28_000), seeded));
        found.fitted("links in use", "0.9", runs.of(run -> run.lengths().atLeast(1, true, 1)))
            .reported("bytes delivered, share of what links carry", "0.9", runs.number(0))
            .reported("longest queue of the last stage, cells", runs.of(run -> run.lengths().longest(1, true)))
            .reported("most that an adapter's share differs, %", runs.of(Run::uneven));
        runs.addLosses(found);
        final Plot queues = queuesPlot("demand of 120 %");
        addQueues(queues, "demand of 120 %", runs.lengths(), 1);
        found.add(queues).remark("The marking threshold of 20 cells is fitted to 0.9, which the paper calls one "
            + "trade-off point: 16 cells give 0.88, and 32 cells 0.94.");
    }

    private static void patterns(final Effort effort, final Findings found) {
        final Plot plot = queuesPlot("by pattern of traffic, at 95 % load");
        final int patterns = Pattern.values().length;
        for (final Pattern pattern : Pattern.values()) {
            spread(found, plot, pattern, effort.turn(pattern.ordinal(), patterns + 1));
        }
        addModel(plot, "95 %", MODEL, 128);
        // Compares the remaining capacity if each stream has links of its own: the run ends when the fullest link is
        // full, at a load low enough for that link.
        found.reported("hashed, all to all: mean of all last links over the fullest", "0.4 to 0.8, quoted",
                patterns(Pattern.ALL_TO_ALL, 0.3, Spraying.HASHED, effort.turn(patterns, patterns + 1)).number(4))
            .add(plot).remark("Each pod to another: adapter a sends only to a + 129, starting in one of the first 64 "
                + "slots. If all start at once, ports grant credits in step permanently, and P(Q >= N) is 5 to 9 "
                + "times that of M/D/1.");
    }

    private static void spread(final Findings found, final Plot plot, final Pattern pattern, final Effort effort) {
        final double busy = pattern == Pattern.INCAST ? 1.0 / NETWORK.fas() : 1;
        final Seeds runs = patterns(pattern, LOAD, Spraying.RENEWED, effort);
        addQueues(plot, pattern.words, runs.lengths(), busy);
        runs.addOverModel(found, pattern.words + ": most of P(Q >= N) over M/D/1's, last stage", MODEL, busy);
        if (pattern != Pattern.INCAST) {
            // A short run counts fewer cells, so that one round more or less has a larger weight.
            final double even = effort.quick() ? 1.03 : 1.01;
            found.atMost("  most over least cells of an adapter's links", "1", even, runs.number(0).most())
                .atMost("  of an element's links up", "1", even, runs.number(1).most())
                .atMost("  of a top element's links to a pod", "1", even, runs.number(2).most())
                .atMost("  of the last links to an adapter", "1", effort.quick() ? 1.2 : 1.08, runs.number(3).most());
        }
        runs.addLosses(found);
    }

    private static Seeds patterns(final Pattern pattern, final double load, final Spraying spraying,
        final Effort effort) {
        return Seeds.of(effort, seeded -> new Setup(NETWORK, load, LinkRules.USUAL.marking(0).spraying(spraying),
            seeded.seed()).run(pattern, seeded));
    }

    /** Returns the number of slots within which a share of all cells arrived. */
    private static double within(final SlotHistogram latency, final double share) {
        final long all = cells(latency);
        final long[] seen = {0, 0};
        latency.forEach((slots, count) -> {
            if (seen[0] < share * all) {
                seen[0] += count;
                seen[1] = slots;
            }
        });
        return seen[1];
    }

    private static long cells(final SlotHistogram latency) {
        final long[] cells = {0};
        latency.forEach((slots, count) -> cells[0] += count);
        return cells[0];
    }

    /** Returns Figure 9 left without lines. */
    private static Plot latencyPlot(final String loads) {
        return new Plot("latency", "Latency of cells across the fabric, " + loads, "latency (us)", Plot.Scale.LINEAR,
            "share of cells that take longer", Plot.Scale.LOGARITHMIC);
    }

    /** Returns Figure 9 right without lines. */
    private static Plot queuesPlot(final String loads) {
        return new Plot("queues", "Queues before the last links, " + loads, "queue length N (cells)",
            Plot.Scale.LINEAR, "P(queue >= N)", Plot.Scale.LOGARITHMIC);
    }

    /** Adds the share of cells that take longer than each latency; no cell takes longer than the largest. */
    private static void addLatency(final Plot plot, final String load, final SlotHistogram latency) {
        final List<double[]> points = new ArrayList<>();
        final long all = cells(latency);
        final long[] sum = {0};
        latency.forEach((slots, count) -> {
            sum[0] += count;
            points.add(new double[] {slots * SLOT_US, sum[0] == all ? Double.NaN : 1 - (double) sum[0] / all});
        });
        plot.add(load, Plot.Style.LINE, points);
    }

    /** Adds the values that the paper prints for 95 %, down to the share of a single cell. */
    private static void addPrinted(final Plot plot, final SlotHistogram latency) {
        plot.add("95 %, as printed: bound by 13 us", Plot.Style.BOUND, new double[] {13, 13},
            new double[] {1, 1.0 / cells(latency)});
    }

    /**
     * Adds the measured queues, up to the longest.
     *
     * @param busyLinks share of the last links that carry traffic.
     */
    private static void addQueues(final Plot plot, final String name, final QueueLengths lengths,
        final double busyLinks) {
        addQueues(plot, name, Plot.Style.LINE, lengths.longest(1, true),
            length -> lengths.atLeast(1, true, length) / busyLinks);
    }

    /** Adds the values of the theory, up to a length. */
    private static void addModel(final Plot plot, final String load, final QueueModel model, final int longest) {
        addQueues(plot, "M/D/1, " + load, Plot.Style.BOUND, longest, model::atLeast);
    }

    private static void addQueues(final Plot plot, final String name, final Plot.Style style, final int longest,
        final IntToDoubleFunction atLeast) {
        plot.add(name, style, IntStream.rangeClosed(1, longest)
            .mapToObj(length -> new double[] {length, atLeast.applyAsDouble(length)}).toList());
    }
}
