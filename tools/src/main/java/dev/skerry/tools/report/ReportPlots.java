package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.tools.report.Chart.Mark;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The plots of the page, each with its numbers as a table. One thread. */
final class ReportPlots {
    private static final int TIMELINE_POINTS = 360;
    private static final int TIMELINE_ROWS = 10;
    private static final double[] NODE_QUANTILES = {0, 0.5, 0.9, 0.99, 0.999, 1};
    private static final double[] LATENCY_PERCENTILES = {0, 50, 90, 99, 99.9, 99.99, 100};

    private final Page page;
    private final Markup out;
    private final Summary summary;

    ReportPlots(final Page page, final Summary summary) {
        this.page = page;
        this.out = page.markup();
        this.summary = summary;
    }

    void completionTimes() {
        page.section("Flow completion time by flow size", "Slots from the start of a flow to its last cell, divided by "
            + "cells + propagation. Flows that did not finish are in no percentile. Both axes are logarithmic; the "
            + "percentiles of few flows are their slowest ones.");
        final List<SizeBin> bins = summary.bins();
        if (bins.isEmpty()) {
            page.none("No flow was completed.");
        } else {
            final double[] x = new double[bins.size()];
            final List<String> names = new ArrayList<>();
            for (int i = 0; i < x.length; i++) {
                x[i] = i;
                names.add(bins.get(i).label().replace(" - ", "\u2013"));
            }
            final double most = bins.stream().mapToDouble(SizeBin::p999).filter(v -> v > 0).max().orElse(1);
            new Chart("fct", "Normalised flow completion time by flow size", Chart.WIDE,
                Axis.named("flow size in bytes, 1k = 1024", names), Axis.log("normalised FCT", 1, most))
                .add("p99.9", Mark.DOTS, "s1", x, column(bins, SizeBin::p999))
                .add("p99", Mark.DOTS, "s3", x, column(bins, SizeBin::p99))
                .add("mean", Mark.DOTS, "s2", x, column(bins, SizeBin::mean))
                .add("p50", Mark.DOTS, "s0", x, column(bins, SizeBin::p50))
                .draw(out);
            final List<List<String>> rows = new ArrayList<>();
            bins.forEach(bin -> rows.add(cells(bin)));
            rows.add(cells(summary.allFlows()));
            page.table(List.of("flow size", "flows", "unfinished", "mean", "p50", "p99", "p99.9", "p99.99", "max"),
                rows, true);
        }
        page.end();
    }

    void throughput() {
        final RunResult.Timeline timeline = summary.result().timeline();
        final RunResult.Totals totals = summary.result().totals();
        final Guarantee guarantee = summary.result().terms().guarantee();
        page.section("Throughput over time", "Delivered " + summary.throughputUnit()
            + (guarantee.isGiven()
                ? ", and what the schedule guarantees under any traffic, " + guarantee.formula() + "." : "."));
        if (timeline.delivered().length == 0 || totals.slots() <= 0) {
            page.none("No slot was run.");
        } else {
            final double nodes = totals.throughput() > 0
                ? totals.cellsDelivered() / (totals.throughput() * totals.slots()) : 1;
            final Intervals plot = Intervals.of(timeline, totals.slots(), nodes, TIMELINE_POINTS);
            final double[] x = plot.start();
            final String unit = summary.slotNs() > 0 ? "slot, one is " + summary.slotNs() + " ns" : "slot";
            final Chart chart = new Chart("throughput", "Throughput over time", Chart.WIDE,
                Axis.upTo(unit, x[x.length - 1]),
                Axis.fromZero(summary.throughputUnit(),
                    Math.max(guarantee.isGiven() ? guarantee.throughput() : 0, plot.max()), false))
                .add("delivered", Mark.STEPS, "s0", x, plot.rate());
            if (guarantee.isGiven()) {
                final double bound = guarantee.throughput();
                chart.add("guarantee " + fixed(bound, 4), Mark.BOUND, "soft-line",
                    new double[] {0, x[x.length - 1]}, new double[] {bound, bound});
            }
            chart.draw(out);
            final Intervals parts = Intervals.of(timeline, totals.slots(), nodes, TIMELINE_ROWS);
            final List<List<String>> rows = new ArrayList<>();
            for (int i = 0; i < parts.cells().length; i++) {
                rows.add(List.of(grouped((long) parts.start()[i]) + " \u2013 "
                    + grouped((long) parts.start()[i + 1] - 1), grouped(parts.cells()[i]), fixed(parts.rate()[i], 4)));
            }
            page.table(List.of("slots", "cells delivered", summary.throughputUnit().substring("cells ".length())),
                rows, false);
        }
        page.end();
    }

    void latency() {
        page.section("Cell latency", "From the sending of a cell at its source to its handling at its destination; "
            + "the fraction of cells that took at most so many slots.");
        final var histogram = summary.result().latency();
        if (histogram.getTotalCount() == 0) {
            page.none("No cell was delivered.");
        } else {
            final List<double[]> points = new ArrayList<>();
            for (final HistogramIterationValue value : histogram.recordedValues()) {
                points.add(new double[] {Math.max(1, value.getValueIteratedTo()),
                    (double) value.getTotalCountToThisValue() / histogram.getTotalCount()});
            }
            points.addFirst(new double[] {points.getFirst()[0], 0});
            cdf("latency", "Distribution of the latency of cells", "fraction of cells", Chart.WIDE,
                Axis.log("latency in slots, logarithmic", points.getFirst()[0], points.getLast()[0]), points);
            final List<String> slots = new ArrayList<>(List.of("slots"));
            final List<String> times = new ArrayList<>(List.of("time"));
            for (final double percentile : LATENCY_PERCENTILES) {
                final double value = percentile == 0 ? histogram.getMinValue() : summary.latencySlots(percentile);
                slots.add(short1(value));
                times.add(Numbers.time(value * summary.slotNs()).replace("us", "\u00b5s"));
            }
            page.table(List.of("cells", "min", "p50", "p90", "p99", "p99.9", "p99.99", "max"),
                summary.slotNs() > 0 ? List.of(slots, times) : List.of(slots), false);
        }
        page.end();
    }

    void buffers() {
        page.section("Buffers and queues", "The most each node ever held, over the nodes.");
        page.columns();
        nodes("buffer", "Cells queued at a node", summary.bufferOccupancy());
        nodes("queue", "Longest send queue of a node", summary.queueLength());
        page.end().end();
    }

    private void nodes(final String id, final String title, final Distribution values) {
        out.open("div");
        final int count = values.size();
        if (count == 0) {
            page.none("No node.");
        } else {
            final List<double[]> points = new ArrayList<>();
            points.add(new double[] {values.value(0), 0});
            for (int i = 0; i < count; i++) {
                if (i + 1 == count || values.value(i) != values.value(i + 1)) {
                    points.add(new double[] {values.value(i), (i + 1.0) / count});
                }
            }
            cdf(id, title + ": distribution over the nodes", "fraction of nodes", Chart.NARROW,
                Axis.fromZero(title + ", cells", values.value(count - 1), true), points);
            final List<String> row = new ArrayList<>(List.of(grouped(count)));
            for (final double p : NODE_QUANTILES) {
                row.add(short1(values.quantile(p)));
            }
            page.table(List.of("nodes", "min", "p50", "p90", "p99", "p99.9", "max"), List.of(row), false);
        }
        out.close();
    }

    /** Draws a distribution that starts at zero in its first point and stays at one after its last. */
    private void cdf(
        final String id,
        final String title,
        final String what,
        final int width,
        final Axis x,
        final List<double[]> points) {
        points.add(new double[] {x.high(), 1});
        new Chart(id, title, width, x, Axis.fromZero(what, 1, false))
            .add(title, Mark.STEPS, "s0", points.stream().mapToDouble(p -> p[0]).toArray(),
                points.stream().mapToDouble(p -> p[1]).toArray())
            .draw(out);
    }

    private static double[] column(final List<SizeBin> bins, final ToDoubleFunction<SizeBin> statistic) {
        return bins.stream().mapToDouble(statistic).toArray();
    }

    private static List<String> cells(final SizeBin bin) {
        return List.of(bin.label().replace(" - ", " \u2013 "), grouped(bin.flows()),
            Numbers.percent(bin.open().share()), plain(bin.mean()), plain(bin.p50()), plain(bin.p99()),
            plain(bin.p999()), plain(bin.p9999()), plain(bin.max()));
    }
}
