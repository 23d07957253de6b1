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
import dev.skerry.tools.figure.EngineRuns;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.resources.QueueModel;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;

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
    /** Seeds of a whole figure. */
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
            final FlowSet flows = new FlowSet();
            for (int from = 0; from < network.fas(); from++) {
                for (int to = 0; to < network.fas(); to++) {
                    for (int k = 0; from != to && k < 2; k++) {
                        CircuitRuns.endless(flows, from, to);
                    }
                }
            }
            return flows;
        }
    }

    /** What was measured at one utilization; the engine is closed. */
    record Run(QueueLengths lengths, SlotHistogram latency, long dropped, long pauses, double used, double least,
        double most) {
        /** Slots within which a share of the cells arrived. */
        double latency(final double share) {
            return within(latency, share);
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
    record Runs(Run[] each) {
        /** A value of each. */
        Sample of(final ToDoubleFunction<Run> value) {
            return new Sample(Arrays.stream(each).mapToDouble(value).toArray());
        }

        /** Queue lengths of all of them together. */
        QueueLengths lengths() {
            final QueueLengths all = new QueueLengths(NETWORK.tiers());
            for (final Run run : each) {
                all.add(run.lengths);
            }
            return all;
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
            found.exactly("  cells dropped", 0, Arrays.stream(each).mapToLong(Run::dropped).sum())
                .exactly("  slots in which a queue or pool was full", 0,
                    Arrays.stream(each).mapToLong(Run::pauses).sum());
        }
    }

    private StardustQueues() {
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
    static Run run(final Setup setup, final int warmUp, final int slots, final int threads,
        final FigureProgress progress) {
        final FoldedClosConfig network = setup.network;
        try (StardustEngine engine = new StardustEngine(setup.fabric(), setup.flows(), threads)) {
            final double share = (double) warmUp / slots;
            EngineRuns.advance(engine::advance, warmUp, progress.part(0, share));
            engine.clearStatistics();
            final double[] before = StardustRuns.bytes(engine, network.fas());
            EngineRuns.advance(engine::advance, slots - warmUp, progress.part(share, 1));
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
            return new Run(engine.lengths(), engine.latency(), StardustRuns.dropped(engine),
                engine.count(NicCounter.PAUSES), sum, least, largest);
        }
    }

    /**
     * Runs it with several seeds.
     *
     * @param seeds  how many, from the effort's on.
     * @param warmUp slots before counting starts.
     * @param slots  in all, of each.
     */
    static Runs runs(final double load, final int seeds, final int warmUp, final int slots, final Effort effort,
        final FigureProgress progress) {
        final Run[] each = new Run[seeds];
        for (int i = 0; i < seeds; i++) {
            each[i] = run(Setup.of(load, effort.seed() + i), warmUp, slots, effort.threads(),
                progress.turn(i, seeds));
        }
        return new Runs(each);
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
}
