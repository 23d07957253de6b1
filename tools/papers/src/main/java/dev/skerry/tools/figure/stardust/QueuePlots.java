package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.QueueModel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/** The two pictures of Stardust Figure 9, a line for each load. Pure functions; the plot's thread. */
final class QueuePlots {
    private static final double PRINTED_US = 13;

    private QueuePlots() {
    }

    /** Figure 9 left without lines. */
    static Plot latency(final String loads) {
        return new Plot("latency", "Latency of cells across the fabric, " + loads, "latency (us)", Plot.Scale.LINEAR,
            "share of cells that take longer", Plot.Scale.LOGARITHMIC);
    }

    /** Figure 9 right without lines. */
    static Plot queues(final String loads) {
        return new Plot("queues", "Queues before the last links, " + loads, "queue length N (cells)", Plot.Scale.LINEAR,
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
            points.stream().mapToDouble(point -> point[1] == sum[0] ? Double.NaN : 1 - point[1] / sum[0]).toArray());
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
