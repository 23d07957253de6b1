package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What a run's plots show; a plot is empty where there is nothing to show. Any thread. */
final class RunPlots {
    private static final int TIMELINE_POINTS = 360;

    private final Summary summary;

    RunPlots(final Summary summary) {
        this.summary = summary;
    }

    /** All that are not empty. */
    List<Plot> all() {
        return Stream.of(completionTimes(), slowdown(), throughput(), held(), buckets(), latency(), buffer(), queue())
            .flatMap(Optional::stream).toList();
    }

    Optional<Plot> completionTimes() {
        return bySize("fct", "Normalised flow completion time by flow size", "normalised FCT", summary.bins());
    }

    Optional<Plot> slowdown() {
        return bySize("slowdown", "Slowdown by flow size", "slowdown", summary.result().measured().slowdown().bins());
    }

    private static Optional<Plot> bySize(final String id, final String title, final String unit,
        final List<SizeBin> bins) {
        if (bins.isEmpty()) {
            return Optional.empty();
        }
        final double[] x = IntStream.range(0, bins.size()).asDoubleStream().toArray();
        final List<String> names = bins.stream().map(bin -> bin.label().replace(" - ", "\u2013")).toList();
        return Optional.of(new Plot(id, title, "flow size in bytes, 1k = 1024", names, unit, Scale.LOGARITHMIC)
            .add("p99.9", Style.DOTS, x, column(bins, bin -> bin.carried(0.999)))
            .add("p99", Style.DOTS, x, column(bins, bin -> bin.carried(0.99)))
            .add("mean", Style.DOTS, x, column(bins, SizeBin::mean))
            .add("p50", Style.DOTS, x, column(bins, SizeBin::p50)));
    }

    private static double[] column(final List<SizeBin> bins, final ToDoubleFunction<SizeBin> statistic) {
        return bins.stream().mapToDouble(statistic).toArray();
    }

    Optional<Plot> throughput() {
        if (summary.result().timeline().delivered().length == 0 || summary.result().totals().slots() <= 0) {
            return Optional.empty();
        }
        final Intervals parts = timeline(TIMELINE_POINTS);
        final double[] x = parts.start();
        final Plot plot = new Plot("throughput", "Throughput over time", slots(), summary.throughputUnit())
            .add("delivered", Style.STEPS, x, parts.rate());
        final Guarantee guarantee = summary.result().terms().guarantee();
        if (guarantee.isGiven()) {
            final double bound = guarantee.throughput();
            plot.add("guarantee " + fixed(bound, 4), Style.BOUND, new double[] {0, x[x.length - 1]},
                new double[] {bound, bound});
        }
        return Optional.of(plot);
    }

    private String slots() {
        return summary.slotNs() > 0 ? "slot, one is " + summary.slotNs() + " ns" : "slot";
    }

    Optional<Plot> held() {
        return overTime("queued", "Cells queued at a node over time", "cells", HeldTimeline.Sample::cells,
            HeldTimeline.Sample::mostCells);
    }

    /** Empty without hop-by-hop, where no bucket is ever active. */
    Optional<Plot> buckets() {
        return overTime("buckets", "Active buckets of a node over time", "buckets", HeldTimeline.Sample::buckets,
            HeldTimeline.Sample::mostBuckets).filter(_ -> summary.result().totals().maxActiveBuckets() > 0);
    }

    private Optional<Plot> overTime(final String id, final String title, final String unit,
        final ToLongFunction<HeldTimeline.Sample> all, final ToLongFunction<HeldTimeline.Sample> most) {
        final List<HeldTimeline.At> samples = summary.result().nodes().overTime();
        if (samples.isEmpty()) {
            return Optional.empty();
        }
        final double nodes = summary.result().nodes().bufferOccupancy().length;
        final double[] x = samples.stream().mapToDouble(HeldTimeline.At::slot).toArray();
        return Optional.of(new Plot(id, title, slots(), unit)
            .add("most", Style.STEPS, x, samples.stream().mapToDouble(at -> most.applyAsLong(at.sample())).toArray())
            .add("mean", Style.STEPS, x,
                samples.stream().mapToDouble(at -> all.applyAsLong(at.sample()) / nodes).toArray()));
    }

    /** What was delivered, in few pieces; the run has slots. */
    Intervals timeline(final int most) {
        final RunResult.Totals totals = summary.result().totals();
        final double nodes = totals.throughput() > 0
            ? totals.cellsDelivered() / (totals.throughput() * totals.slots()) : 1;
        // What is under way after the last slot still arrives.
        return Intervals.of(summary.result().timeline(), totals.slots() + totals.propagationSlots(), nodes, most);
    }

    /** The share of cells that took longer, so that the tail is seen. */
    Optional<Plot> latency() {
        final var histogram = summary.result().latency();
        if (histogram.getTotalCount() == 0) {
            return Optional.empty();
        }
        final List<double[]> points = new ArrayList<>();
        for (final HistogramIterationValue value : histogram.recordedValues()) {
            final double slots = Math.max(1, value.getValueIteratedTo());
            if (points.isEmpty()) {
                points.add(new double[] {Math.max(1, slots / 2), 1});
            }
            points.add(new double[] {slots, 1 - (double) value.getTotalCountToThisValue() / histogram.getTotalCount()});
        }
        return Optional.of(new Plot("latency", "Latency of cells: the share that took longer", "latency in slots",
            Scale.LOGARITHMIC, "share of cells above", Scale.LOGARITHMIC)
            .add("cells", Style.STEPS, points));
    }

    Optional<Plot> buffer() {
        return nodes("buffer", "Cells queued at a node", summary.bufferOccupancy());
    }

    Optional<Plot> queue() {
        return nodes("queue", "Longest send queue of a node", summary.queueLength());
    }

    private static Optional<Plot> nodes(final String id, final String title, final Distribution values) {
        final int count = values.size();
        if (count == 0) {
            return Optional.empty();
        }
        final List<double[]> points = new ArrayList<>();
        points.add(new double[] {values.value(0), 0});
        for (int i = 0; i < count; i++) {
            if (i + 1 == count || values.value(i) != values.value(i + 1)) {
                points.add(new double[] {values.value(i), (i + 1.0) / count});
            }
        }
        return Optional.of(new Plot(id, title + ", over the nodes", "at most, cells", "share of nodes")
            .add("nodes", Style.STEPS, points));
    }

    /**
     * A timeline cut into few pieces, neighbours merged evenly.
     *
     * @param start first slot of each piece, and the end of the last one: one element more than there are pieces.
     * @param cells cells delivered in each piece.
     * @param rate  cells per node and slot of each piece, the last one twice so that a step line reaches the end.
     */
    record Intervals(double[] start, long[] cells, double[] rate) {
        /** Nodes may be any positive number; slots are those of the whole run and bound the last interval. */
        static Intervals of(final RunResult.Timeline timeline, final long slots, final double nodes, final int most) {
            final long[] delivered = timeline.delivered();
            final int merge = Math.ceilDiv(delivered.length, most);
            final int count = Math.ceilDiv(delivered.length, merge);
            final double[] start = new double[count + 1];
            final long[] cells = new long[count];
            final double[] rate = new double[count + 1];
            final long before = (delivered.length - 1) * timeline.intervalSlots();
            for (int i = 0; i < count; i++) {
                start[i] = (double) i * merge * timeline.intervalSlots();
                for (int j = i * merge; j < Math.min((i + 1) * merge, delivered.length); j++) {
                    cells[i] += delivered[j];
                }
            }
            start[count] = before + Math.clamp(slots - before, 1, timeline.intervalSlots());
            for (int i = 0; i < count; i++) {
                rate[i] = cells[i] / ((start[i + 1] - start[i]) * nodes);
            }
            rate[count] = rate[count - 1];
            return new Intervals(start, cells, rate);
        }
    }
}
