package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker;
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
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.StardustUtilization.StardustQueues.QueuePlots;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Latency, queues and evenness of links in the network of Stardust Figure 9 (docs/spec/stardust.md §10 rows 8 to 10, 16
 * and 17), over {@link StardustQueues}.
 */
public final class StardustUtilization {
    /** Latency across the fabric at 95 % of its links: Stardust Figure 9 left (docs/spec/stardust.md §10 row 8). */
    public static final Figure FIG9_LATENCY = new Figure("stardust-fig9-latency", "Figure 9 left",
        "latency of cells at 95 % load, 256 adapters, all to all", 9, 1.5, StardustUtilization::latency);
    /**
     * Queues of the last stage by utilization, which fall exponentially like an M/D/1 queue: Stardust Figure 9 right
     * (docs/spec/stardust.md §8 (1) to (4), §10 row 9).
     */
    public static final Figure FIG9_QUEUES = new Figure("stardust-fig9-queues", "Figure 9",
        "queues before the last links and latency of cells by utilization, 256 adapters", 11, 2.5,
        StardustUtilization::utilization);
    /** More demand than links: Stardust Figure 9, 120 % (docs/spec/stardust.md §10 row 10). */
    public static final Figure FIG9_OVERLOAD = new Figure("stardust-fig9-overload", "Figure 9, 120 %",
        "demand of 120 %, regulated by congestion marks", 9, 5, StardustUtilization::overload);
    /**
     * Whatever the pattern of traffic, links of a device carry the same and queues are no longer than those of an M/D/1
     * queue: Stardust §5.3 and §5.7 (docs/spec/stardust.md §10 rows 16 and 17), on the network of Figure 9 at 95 %
     * load.
     */
    public static final Figure PATTERNS = new Figure("stardust-patterns", "Sections 5.3, 5.7",
        "evenness of links and queues under patterns of traffic", 13, 2.1, StardustUtilization::patterns);

    private static final double LOAD = 0.95;
    private static final double[] LOADS = {0.66, 0.80, 0.90, 0.92, 0.95};
    private static final QueueModel MODEL = new QueueModel(LOAD);

    /** Slope of ln P over the lengths, and how well a line fits. */
    private record Fit(double rate, double square) {
    }

    /** Who sends to whom. */
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
                return CircuitRuns.permutation(adapters, 1, seed);
            }
            return CircuitRuns.endless(adapters, 2, (from, to) -> this == ALL_TO_ALL
                || to == (this == INCAST ? 0 : (from + adapters / 2 + 1) % adapters));
        }
    }

    /**
     * What was measured with one pattern and seed; the engine is closed.
     *
     * @param queues   how often a queue of the last stage had each length.
     * @param adapters the most over the least cells of an adapter's links.
     * @param up       the same of an element's links up.
     * @param down     the same of a top element's links to a pod.
     * @param last     the same of the last links to an adapter.
     */
    public record Run(long[] queues, double adapters, double up, double down, double last, long dropped,
        long pauses) {
    }

    /**
     * How many cells the links of a Stardust fabric of two tiers carried, and how evenly the links to the same places
     * shared them. One thread.
     */
    static final class LinkLoads {
        private final StardustEngine engine;
        private final FoldedClos clos;
        private final long[] cells;

        /** Begins to count. */
        LinkLoads(final StardustEngine engine, final FoldedClos clos) {
            this.engine = engine;
            this.clos = clos;
            this.cells = new long[clos.ports()];
            Arrays.setAll(cells, engine::sentInto);
        }

        /** Ends to count. */
        LinkLoads stop() {
            Arrays.setAll(cells, port -> engine.sentInto(port) - cells[port]);
            return this;
        }

        /** The most over the least cells of the links of one adapter, of all adapters the largest. */
        double adapters() {
            return unevenness(0, 0, clos.config().faLinks());
        }

        /** The same of the links up of an element of tier 1. */
        double up() {
            return unevenness(1, clos.config().downLinks(1), clos.config().upLinks());
        }

        /** The same of the links of an element of tier 2 to one pod. */
        double down() {
            final int pods = clos.config().pods().getFirst();
            final int links = clos.config().radix() / pods;
            return IntStream.range(0, pods).mapToDouble(pod -> unevenness(2, pod * links, links)).max().orElse(0);
        }

        /** The same of the links to one adapter. */
        double last() {
            return IntStream.range(0, clos.fas()).mapToDouble(adapter -> unevenness(
                IntStream.range(clos.firstPort(adapter), clos.firstPort(adapter + 1)).map(clos::peer))).max().orElse(0);
        }

        /** The mean of the last links over the fullest of them. */
        double meanOverMost() {
            final LongSummaryStatistics last = of(IntStream.range(0, clos.firstPort(clos.fas())).map(clos::peer));
            return last.getAverage() / last.getMax();
        }

        private double unevenness(final int tier, final int from, final int links) {
            return IntStream.range(clos.tierStart(tier), clos.tierStart(tier + 1)).map(clos::firstPort)
                .mapToDouble(first -> unevenness(IntStream.range(first + from, first + from + links))).max().orElse(0);
        }

        private double unevenness(final IntStream ports) {
            final LongSummaryStatistics of = of(ports);
            return (double) of.getMax() / of.getMin();
        }

        private LongSummaryStatistics of(final IntStream ports) {
            return ports.mapToLong(port -> cells[port]).summaryStatistics();
        }
    }

    private StardustUtilization() {
    }

    private static Findings latency(final Effort effort) {
        final int slots = effort.either(4_000, 24_000);
        final StardustQueues.Runs runs = StardustQueues.runs(LOAD, slots / 4, slots, effort);
        final SlotHistogram latency = runs.latency();
        final Findings found = new Findings();
        final Sample means = runs.of(StardustQueues.Run::meanLatency);
        found.reported("mean, slots", "36.3", means.mean()).spread("that", means);
        found.reported("99.99 %, slots", "105", StardustQueues.within(latency, 0.9999));
        found.reported("99.999 %, slots", "125", StardustQueues.within(latency, 0.99999));
        // In a short run the last hundred thousandth is one queue that happened to be long.
        found.atMost(effort.quick() ? "99.99 %, us" : "99.999 %, us", "bounded by 13", 11,
            us(StardustQueues.within(latency, effort.quick() ? 0.9999 : 0.99999)));
        found.atMost("longest, us", "12 to 14", 15, us(StardustQueues.within(latency, 1)));
        runs.addLosses(found);
        final Plot plot = QueuePlots.latency("95 % of the links in use");
        QueuePlots.addLatency(plot, "95 %", latency);
        QueuePlots.addPrinted(plot, latency);
        return found.add(plot).remark("us: slots of 256 B at 25 Gb/s, which the paper does not state; six of "
            + "them on each of four fibres; expected slots are those of an independent model (spec/stardust \u00a712) "
            + "and 24 of fibre. Other loads are in stardust-fig9-queues.");
    }

    private static double us(final double slots) {
        return slots * StardustQueues.SLOT_US;
    }

    private static Findings utilization(final Effort effort) {
        final Findings found = new Findings();
        final Plot latency = QueuePlots.latency("by links in use");
        final Plot queues = QueuePlots.queues("by links in use");
        final int[] longest = new int[LOADS.length];
        double before = Double.POSITIVE_INFINITY;
        double rise = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < LOADS.length; i++) {
            final double load = LOADS[i];
            final int slots = effort.either(2_000, 8_000);
            final StardustQueues.Runs runs = StardustQueues.runs(load, slots / 4, slots, effort.turn(i, LOADS.length));
            final QueueLengths lengths = runs.lengths();
            final QueueModel model = new QueueModel(load);
            final Fit fit = fit(lengths);
            found.near("utilization " + load + ": links in use", load, 0.005, lengths.atLeast(1, true, 1));
            found.atMost("  most of P(Q >= N) over M/D/1's", "1 at most", 1.1,
                StardustQueues.overModel(lengths, model, 1));
            found.spread("that", runs.of(run -> StardustQueues.overModel(run.lengths(), model, 1)));
            found.atLeast("  R\u00b2 of an exponential tail", "exponential", 0.98, fit.square);
            found.atLeast("  its rate over that of M/D/1", "1", 0.95, fit.rate / model.rate());
            found.spread("that", runs.of(run -> fit(run.lengths()).rate / model.rate()));
            runs.addLosses(found);
            rise = Math.max(rise, fit.rate - before);
            before = fit.rate;
            QueuePlots.addLatency(latency, percent(load), runs.latency());
            QueuePlots.addQueues(queues, percent(load), lengths, 1);
            longest[i] = lengths.longest(1, true);
            if (i == LOADS.length - 1) {
                QueuePlots.addPrinted(latency, runs.latency());
            }
        }
        for (int i = 0; i < LOADS.length; i++) {
            QueuePlots.addModel(queues, percent(LOADS[i]), new QueueModel(LOADS[i]), longest[i]);
        }
        return found.atMost("most that the rate rises with utilization", "it falls", 0, rise).add(latency).add(queues);
    }

    private static String percent(final double load) {
        return Math.round(100 * load) + " %";
    }

    /** Least squares of ln P(Q >= N) over N for P from 1e-5 to 1e-2. */
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

    private static Findings overload(final Effort effort) {
        final StardustQueues.Runs runs = StardustQueues.runs(1.2, 12_000, effort.either(16_000, 28_000), effort);
        final Sample used = runs.of(run -> run.lengths().atLeast(1, true, 1));
        final Sample longest = runs.of(run -> run.lengths().longest(1, true));
        final Sample uneven = runs.of(StardustUtilization::uneven);
        final Findings found = new Findings()
            .between("links in use", "0.9", 0.88, 0.92, used.mean()).spread("that", used)
            .reported("bytes delivered, share of what links carry", "0.9", runs.of(StardustQueues.Run::used).mean())
            .atMost("longest queue of the last stage, cells", "below 128", 127, longest.most())
            .spread("that", longest)
            .atMost("most that an adapter's share differs, %", "2", effort.quick() ? 3 : 2, uneven.mean())
            .spread("that", uneven);
        runs.addLosses(found);
        final Plot queues = QueuePlots.queues("demand of 120 %");
        QueuePlots.addQueues(queues, "demand of 120 %", runs.lengths(), 1);
        return found.add(queues);
    }

    /** The most by which an adapter's share differs from the mean, in percent. */
    private static double uneven(final StardustQueues.Run run) {
        return 100 * Math.max(run.most() / run.used() - 1, 1 - run.least() / run.used());
    }

    private static Findings patterns(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = QueuePlots.queues("by pattern of traffic, at 95 % load");
        final double parts = Pattern.values().length + 1;
        for (final Pattern pattern : Pattern.values()) {
            spread(found, plot, pattern, effort.part(pattern.ordinal() / parts, (pattern.ordinal() + 1) / parts));
        }
        QueuePlots.addModel(plot, "95 %", MODEL, 128);
        hash(found, effort.part((parts - 1) / parts, 1));
        return found.add(plot).remark("Each pod to another: adapter a sends to a + 129 only. All cells of a pod then "
            + "follow the same few orders, which makes longer queues than a random permutation does; none is lost.");
    }

    private static void spread(final Findings found, final Plot plot, final Pattern pattern, final Effort effort) {
        final double busy = pattern == Pattern.INCAST ? 1.0 / StardustQueues.NETWORK.fas() : 1;
        final List<Run> runs = Sample.each(Run.class, StardustQueues.SEEDS, effort,
            seeded -> measurePatterns(pattern, seeded));
        final QueueLengths lengths = StardustQueues.together(runs.stream().map(Run::queues));
        QueuePlots.addQueues(plot, pattern.words, lengths, busy);
        found.atMost(pattern.words + ": most of P(Q >= N) over M/D/1's, last stage", "1 at most", 1.1,
            StardustQueues.overModel(lengths, MODEL, busy));
        found.spread("that", new Sample(runs.stream().mapToDouble(run -> StardustQueues.overModel(
            StardustQueues.together(Stream.of(run.queues)), MODEL, busy)).toArray()));
        if (pattern != Pattern.INCAST) {
            // A short run counts fewer cells: a round more or less weighs more.
            final double even = effort.quick() ? 1.03 : 1.01;
            found.atMost("  most over least cells of an adapter's links", "1", even, most(runs, Run::adapters));
            found.atMost("  of an element's links up", "1", even, most(runs, Run::up));
            found.atMost("  of a top element's links to a pod", "1", even, most(runs, Run::down));
            found.atMost("  of the last links to an adapter", "1", effort.quick() ? 1.2 : 1.08,
                most(runs, Run::last));
        }
        found.exactly("  cells dropped", 0, runs.stream().mapToLong(Run::dropped).sum());
        found.exactly("  slots in which a queue or pool was full", 0, runs.stream().mapToLong(Run::pauses).sum());
    }

    private static Run measurePatterns(final Pattern pattern, final Effort seeded) {
        try (StardustEngine engine = engine(pattern, LOAD, Spraying.RENEWED, seeded)) {
            final LinkLoads loads = run(engine, seeded);
            return new Run(engine.lengths().stage(1, true), loads.adapters(), loads.up(), loads.down(),
                loads.last(), CircuitRuns.dropped(engine), engine.count(NicCounter.PAUSES));
        }
    }

    /** The most of all seeds. */
    private static double most(final List<Run> runs, final ToDoubleFunction<Run> value) {
        return runs.stream().mapToDouble(value).max().orElseThrow();
    }

    /** What is left of the capacity if each stream has links of its own: all is over when the fullest one is full. */
    private static void hash(final Findings found, final Effort effort) {
        final Sample[] left = Sample.of(StardustQueues.SEEDS, effort, seeded -> {
            // At a load low enough for the fullest link.
            try (StardustEngine engine = engine(Pattern.ALL_TO_ALL, 0.3, Spraying.HASHED, seeded)) {
                return new double[] {run(engine, seeded).meanOverMost()};
            }
        });
        found.between("hashed, all to all: mean of all last links over the fullest", "0.4 to 0.8", 0.4, 0.8, left[0]);
    }

    private static StardustEngine engine(final Pattern pattern, final double load, final Spraying spraying,
        final Effort effort) {
        final LinkRules rules = LinkRules.USUAL.marking(0).spraying(spraying);
        return new StardustEngine(new StardustQueues.Setup(StardustQueues.NETWORK, load, rules, effort.seed())
            .fabric(), pattern.flows(StardustQueues.NETWORK.fas(), effort.seed()), effort.threads());
    }

    private static LinkLoads run(final StardustEngine engine, final Effort effort) {
        final int slots = effort.either(2_000, 12_000);
        effort.part(0, 0.2).advance(engine::advance, slots / 4);
        final LinkLoads loads = new LinkLoads(engine, new FoldedClos(StardustQueues.NETWORK));
        engine.clearStatistics();
        effort.part(0.2, 1).advance(engine::advance, slots);
        engine.checkConserved();
        return loads.stop();
    }

    /**
     * The network of Stardust Figure 9: 256 adapters of 32 links, two queues never empty between each pair, credits
     * at a share of the capacity of the links (docs/spec/stardust.md §2, §10 rows 8 to 10, §12).
     */
    static final class StardustQueues {
        /** A cell of 256 bytes at 25 Gb/s. */
        static final double SLOT_US = 0.08192;
        /** 100 m of fibre, 500 ns, are six slots; in one more a link sends a cell. */
        static final int LINK_SLOTS = 7;
        static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
        private static final int CELL_BYTES = 256;
        static final int SEEDS = 5;

        /**
         * What is run.
         *
         * @param network of two tiers.
         * @param load    credits in what the links carry; over 1, elements mark and credits slow down.
         * @param rules   of the queues.
         * @param seed    of all chance.
         */
        record Setup(FoldedClosConfig network, double load, LinkRules rules, long seed) {
            /** As the paper has it: 128 cells a link, 256 at most; marks only where they are to slow credits down. */
            static Setup of(final double load, final long seed) {
                return new Setup(NETWORK, load, load > 1 ? LinkRules.USUAL : LinkRules.USUAL.marking(0), seed);
            }

            /** Credits slow down on marks. */
            Stardust fabric() {
                final double linkBytes = network.faLinks() * (double) CELL_BYTES;
                final Credits credits = Credits.paced(load * linkBytes);
                return new Stardust(Deployment.full(new FoldedClos(network)), LINK_SLOTS,
                    HostSide.of(1, 2, 2 * linkBytes),
                    new CellCut(4096, CELL_BYTES, false, CellPacker.Packing.CONTINUOUS),
                    load > 1 ? credits.regulated(Double.POSITIVE_INFINITY) : credits, rules, true, seed);
            }

            /** Two endless flows from each adapter to each other. */
            FlowSet flows() {
                return CircuitRuns.endless(network.fas(), 2, (from, to) -> true);
            }
        }

        /**
         * What was measured at one utilization; the engine is closed.
         *
         * @param last how often a queue of the last stage had each length.
         */
        public record Run(long[] last, SlotHistogram latency, long dropped, long pauses, double used, double least,
            double most) {
            /** Lengths of the queues of the last stage. */
            QueueLengths lengths() {
                return together(Stream.of(last));
            }

            double meanLatency() {
                final double[] sum = {0, 0};
                latency.forEach((slots, count) -> {
                    sum[0] += (double) slots * count;
                    sum[1] += count;
                });
                return sum[0] / sum[1];
            }
        }

        /** The runs of several seeds. */
        record Runs(List<Run> each) {
            /** A value of each. */
            Sample of(final ToDoubleFunction<Run> value) {
                return new Sample(each.stream().mapToDouble(value).toArray());
            }

            /** Lengths of the queues of the last stage, of all of them together. */
            QueueLengths lengths() {
                return together(each.stream().map(Run::last));
            }

            /** Latencies of all of them together. */
            SlotHistogram latency() {
                final SlotHistogram all = new SlotHistogram();
                for (final Run run : each) {
                    all.add(run.latency);
                }
                return all;
            }

            /** Says what was lost, and whether a queue or pool was ever full: then links would have lost cells. */
            void addLosses(final Findings found) {
                found.exactly("  cells dropped", 0, each.stream().mapToLong(Run::dropped).sum())
                    .exactly("  slots in which a queue or pool was full", 0,
                    each.stream().mapToLong(Run::pauses).sum());
            }
        }

        private StardustQueues() {
        }

        /** Lengths of queues of the last stage from how often each run saw each length. */
        static QueueLengths together(final Stream<long[]> last) {
            final QueueLengths all = new QueueLengths(NETWORK.tiers());
            final long[] counts = all.stage(1, true);
            last.forEach(more -> Arrays.setAll(counts, length -> counts[length] + more[length]));
            return all;
        }

        /** Slots within which a share of all cells arrived. */
        static double within(final SlotHistogram latency, final double share) {
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

        /**
         * Runs it.
         *
         * @param warmUp slots before counting starts.
         * @param slots  in all.
         */
        static Run run(final Setup setup, final int warmUp, final int slots, final Effort effort) {
            final FoldedClosConfig network = setup.network;
            try (StardustEngine engine = new StardustEngine(setup.fabric(), setup.flows(), effort.threads())) {
                final double share = (double) warmUp / slots;
                effort.part(0, share).advance(engine::advance, warmUp);
                engine.clearStatistics();
                final double[] before = CircuitRuns.bytes(engine, network.fas());
                effort.part(share, 1).advance(engine::advance, slots - warmUp);
                engine.checkConserved();
                final double[] after = CircuitRuns.bytes(engine, network.fas());
                final double most = (slots - warmUp) * (double) network.faLinks() * CELL_BYTES;
                double sum = 0;
                double least = Double.POSITIVE_INFINITY;
                double largest = 0;
                for (int adapter = 0; adapter < before.length; adapter++) {
                    final double used = (after[adapter] - before[adapter]) / most;
                    sum += used / before.length;
                    least = Math.min(least, used);
                    largest = Math.max(largest, used);
                }
                return new Run(engine.lengths().stage(1, true), engine.latency(), CircuitRuns.dropped(engine),
                    engine.count(NicCounter.PAUSES), sum, least, largest);
            }
        }

        /**
         * Runs it with {@link #SEEDS} seeds, from the effort's on.
         *
         * @param warmUp slots before counting starts.
         * @param slots  in all, of each.
         */
        static Runs runs(final double load, final int warmUp, final int slots, final Effort effort) {
            return new Runs(Sample.each(Run.class, SEEDS, effort, seeded -> run(Setup.of(load, seeded.seed()), warmUp,
                slots, seeded)));
        }

        /**
         * Over all lengths of the last stage that were seen often enough, the most by which they were beyond the model.
         *
         * @param busyLinks the part of the last links that carry anything.
         */
        static double overModel(final QueueLengths lengths, final QueueModel model, final double busyLinks) {
            double most = 0;
            long seen = 0;
            for (int length = QueueLengths.MOST; length > 0; length--) {
                seen += lengths.count(1, true, length);
                if (seen >= 100) {
                    most = Math.max(most, lengths.atLeast(1, true, length) / busyLinks / model.atLeast(length));
                }
            }
            return most;
        }

        /** The two pictures of Stardust Figure 9, a line for each load. Pure functions; the plot's thread. */
        static final class QueuePlots {
            private QueuePlots() {
            }

            /** Figure 9 left without lines. */
            static Plot latency(final String loads) {
                return new Plot("latency", "Latency of cells across the fabric, " + loads, "latency (us)",
                    Plot.Scale.LINEAR,
                    "share of cells that take longer", Plot.Scale.LOGARITHMIC);
            }

            /** Figure 9 right without lines. */
            static Plot queues(final String loads) {
                return new Plot("queues", "Queues before the last links, " + loads, "queue length N (cells)",
                    Plot.Scale.LINEAR,
                    "P(queue >= N)", Plot.Scale.LOGARITHMIC);
            }

            /** The share of cells that take longer than each latency; none takes longer than the longest. */
            static void addLatency(final Plot plot, final String load, final SlotHistogram latency) {
                final List<double[]> points = new ArrayList<>();
                final long all = cells(latency);
                final long[] sum = {0};
                latency.forEach((slots, count) -> {
                    sum[0] += count;
                    points.add(new double[] {slots * StardustQueues.SLOT_US,
                        sum[0] == all ? Double.NaN : 1 - (double) sum[0] / all});
                });
                plot.add(load, Plot.Style.LINE, points);
            }

            /** What the paper prints of 95 %, down to the share of a single cell. */
            static void addPrinted(final Plot plot, final SlotHistogram latency) {
                plot.add("95 %, as printed: bound by 13 us", Plot.Style.BOUND, new double[] {13, 13},
                    new double[] {1, 1.0 / cells(latency)});
            }

            /**
             * What was measured, up to the longest queue.
             *
             * @param busyLinks the part of the last links that carry anything.
             */
            static void addQueues(final Plot plot, final String name, final QueueLengths lengths,
                final double busyLinks) {
                addQueues(plot, name, Plot.Style.LINE, lengths.longest(1, true),
                    length -> lengths.atLeast(1, true, length) / busyLinks);
            }

            /** What theory says of it, up to a length. */
            static void addModel(final Plot plot, final String load, final QueueModel model, final int longest) {
                addQueues(plot, "M/D/1, " + load, Plot.Style.BOUND, longest, model::atLeast);
            }

            private static void addQueues(final Plot plot, final String name, final Plot.Style style, final int longest,
                final IntToDoubleFunction atLeast) {
                plot.add(name, style, IntStream.rangeClosed(1, longest)
                    .mapToObj(length -> new double[] {length, atLeast.applyAsDouble(length)}).toList());
            }
        }
    }
}
