package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The network of Stardust Figure 9: 256 adapters of 32 links, two queues never empty between each pair, credits
 * at a share of the capacity of the links (docs/spec/stardust.md §2, §10 rows 8 to 10, §12).
 */
final class StardustQueues {
    /** A cell of 256 bytes at 25 Gb/s. */
    static final double SLOT_US = 0.08192;
    /** 100 m of fibre, 500 ns, are six slots; in one more a link sends a cell. */
    static final int LINK_SLOTS = 7;
    static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final int ENOUGH = 100;
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
                HostSide.of(1, 2, 2 * linkBytes), new CellCut(4096, CELL_BYTES, false, CellPacker.Packing.CONTINUOUS),
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
                .exactly("  slots in which a queue or pool was full", 0, each.stream().mapToLong(Run::pauses).sum());
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
        final long[] seen = {0, 0, 0};
        latency.forEach((slots, count) -> seen[0] += count);
        latency.forEach((slots, count) -> {
            if (seen[1] < share * seen[0]) {
                seen[1] += count;
                seen[2] = slots;
            }
        });
        return seen[2];
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
            final double[] before = StardustRuns.bytes(engine, network.fas());
            effort.part(share, 1).advance(engine::advance, slots - warmUp);
            engine.checkConserved();
            final double[] after = StardustRuns.bytes(engine, network.fas());
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
            return new Run(engine.lengths().stage(1, true), engine.latency(), StardustRuns.dropped(engine),
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
            if (seen >= ENOUGH) {
                most = Math.max(most, lengths.atLeast(1, true, length) / busyLinks / model.atLeast(length));
            }
        }
        return most;
    }

    /** The two pictures of Stardust Figure 9, a line for each load. Pure functions; the plot's thread. */
    static final class QueuePlots {
        private static final double PRINTED_US = 13;

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
            final long[] sum = {0};
            latency.forEach((slots, count) -> {
                sum[0] += count;
                points.add(new double[] {slots * StardustQueues.SLOT_US, sum[0]});
            });
            plot.add(load, Plot.Style.LINE, points.stream().mapToDouble(point -> point[0]).toArray(),
                points.stream().mapToDouble(point -> point[1] == sum[0] ? Double.NaN : 1
                - point[1] / sum[0]).toArray());
        }

        /** What the paper prints of 95 %, down to the share of a single cell. */
        static void addPrinted(final Plot plot, final SlotHistogram latency) {
            final long[] cells = {0};
            latency.forEach((slots, count) -> cells[0] += count);
            plot.add("95 %, as printed: bound by 13 us", Plot.Style.BOUND, new double[] {PRINTED_US, PRINTED_US},
                new double[] {1, 1.0 / cells[0]});
        }

        /**
         * What was measured, up to the longest queue.
         *
         * @param busyLinks the part of the last links that carry anything.
         */
        static void addQueues(final Plot plot, final String name, final QueueLengths lengths, final double busyLinks) {
            addQueues(plot, name, Plot.Style.LINE, lengths.longest(1, true),
                length -> lengths.atLeast(1, true, length) / busyLinks);
        }

        /** What theory says of it, up to a length. */
        static void addModel(final Plot plot, final String load, final QueueModel model, final int longest) {
            addQueues(plot, "M/D/1, " + load, Plot.Style.BOUND, longest, model::atLeast);
        }

        private static void addQueues(final Plot plot, final String name, final Plot.Style style, final int longest,
            final IntToDoubleFunction atLeast) {
            final double[] x = new double[longest];
            final double[] y = new double[longest];
            for (int i = 0; i < longest; i++) {
                x[i] = i + 1;
                y[i] = atLeast.applyAsDouble(i + 1);
            }
            plot.add(name, style, x, y);
        }
    }
}
