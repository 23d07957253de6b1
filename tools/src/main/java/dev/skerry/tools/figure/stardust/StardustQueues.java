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
import dev.skerry.nic.stardust.fabric.Spraying;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.EngineRuns;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.resources.QueueModel;

/**
 * The network of Stardust Figure 9: 256 adapters of 32 links, two queues never empty between each pair, credits
 * at a share of the capacity of the links (docs/spec/stardust.md §2, §10 rows 8 to 10, §12).
 */
final class StardustQueues {
    /** A cell of 256 bytes at 25 Gb/s. */
    static final double SLOT_US = 0.08192;
    /** Four links of 100 m. */
    static final double FIBRES_US = 2;
    static final FoldedClosConfig NETWORK = FoldedClosConfig.N62;
    private static final int CELL_BYTES = 256;
    private static final double LINK_BYTES = NETWORK.faLinks() * (double) CELL_BYTES;
    private static final int ENOUGH = 100;

    /** What was measured at one utilization; the engine is closed. */
    record Run(QueueLengths lengths, SlotHistogram latency, long dropped, long pauses, double used, double least,
        double most) {
        /** Slots within which a share of the cells arrived. */
        double latency(final double share) {
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

        double meanLatency() {
            final double[] sum = {0, 0};
            latency.forEach((slots, count) -> {
                sum[0] += (double) slots * count;
                sum[1] += count;
            });
            return sum[0] / sum[1];
        }
    }

    private StardustQueues() {
    }

    /**
     * Runs it.
     *
     * @param load    credits in what the links carry; over 1, elements mark and credits slow down.
     * @param warmUp  slots before counting starts.
     * @param slots   in all.
     */
    static Run run(final double load, final int warmUp, final int slots, final Effort effort,
        final FigureProgress progress) {
        final boolean regulated = load > 1;
        final Stardust fabric = fabric(load, regulated, effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, flows(), effort.threads())) {
            final double share = (double) warmUp / slots;
            EngineRuns.advance(engine::advance, warmUp, progress.part(0, share));
            engine.clearStatistics();
            final double[] before = StardustRuns.bytes(engine, NETWORK.fas());
            EngineRuns.advance(engine::advance, slots - warmUp, progress.part(share, 1));
            engine.checkConserved();
            final double[] after = StardustRuns.bytes(engine, NETWORK.fas());
            final double most = (slots - warmUp) * (double) NETWORK.faLinks() * CELL_BYTES;
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

    /** The network without marks and bounds, cells spread some way. */
    static Stardust sprayed(final double load, final Spraying spraying, final long seed) {
        return fabric(Credits.paced(load * LINK_BYTES), LinkRules.UNLIMITED.spraying(spraying), seed);
    }

    private static Stardust fabric(final double load, final boolean regulated, final long seed) {
        final Credits credits = Credits.paced(load * LINK_BYTES);
        return fabric(regulated ? credits.regulated(Double.POSITIVE_INFINITY) : credits,
            regulated ? LinkRules.USUAL : LinkRules.UNLIMITED, seed);
    }

    private static Stardust fabric(final Credits credits, final LinkRules rules, final long seed) {
        return new Stardust(Deployment.full(new FoldedClos(NETWORK)), 1, HostSide.of(1, 2, 2 * LINK_BYTES),
            new CellCut(4096, CELL_BYTES, false, CellPacker.Packing.CONTINUOUS), credits, rules, true, seed);
    }

    private static FlowSet flows() {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < NETWORK.fas(); from++) {
            for (int to = 0; to < NETWORK.fas(); to++) {
                for (int k = 0; from != to && k < 2; k++) {
                    CircuitRuns.endless(flows, from, to);
                }
            }
        }
        return flows;
    }
}
