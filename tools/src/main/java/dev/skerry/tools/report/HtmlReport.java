package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.prefixed;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.nic.count.HeldTimeline;
import dev.skerry.tools.plot.Markup;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.report.Page.Machine;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.report.RunResult.Measure;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The report of a run as a {@link Page}, with a table of percentiles below each plot. Thread-safe. */
final class HtmlReport {
    private static final int TIMELINE_ROWS = 10;
    private static final double[] NODE_QUANTILES = {0, 0.5, 0.9, 0.99, 0.999, 1};
    private static final double[] LATENCY_PERCENTILES = {0, 50, 90, 99, 99.9, 99.99, 100};

    private final Page page;
    private final Markup out;
    private final Summary summary;
    private final RunResult.Totals totals;
    private final RunPlots plots;

    private HtmlReport(final Summary summary, final Machine machine) {
        this.summary = summary;
        this.totals = summary.result().totals();
        this.page = new Page((summary.result().interrupted() ? "PARTIAL: " : "") + summary.headline(), machine);
        this.out = page.markup();
        this.plots = new RunPlots(summary);
    }

    /**
     * Writes the page.
     *
     * @param summary summary of the run.
     * @param machine machine on which the run was executed.
     * @return the page, to be stored in UTF-8.
     */
    static String of(final Summary summary, final Machine machine) {
        final HtmlReport report = new HtmlReport(summary, machine);
        report.write();
        return report.page.finish();
    }

    private void write() {
        header();
        completionTimes();
        slowdown();
        throughput();
        overTime();
        latency();
        buffers();
        settings();
    }

    private void header() {
        out.open("header");
        if (summary.result().interrupted()) {
            page.alert("PARTIAL RESULT: interrupted after " + grouped(totals.slots())
                + " slots. All numbers end there.");
        }
        summary.warnings().forEach(page::alert);
        final double slotNs = summary.slotNs();
        page.heading("Skerry run report", summary.headline())
            .text(Numbers.counted(totals.slots(), "slot")
                + (slotNs > 0 ? " of " + slotNs + " ns, " + Numbers.time(totals.slots() * slotNs) : "")
                + ", propagation " + grouped(totals.propagationSlots()) + " slots" + summary.serialisation() + ". Seed "
                + summary.setting("seed", Numbers.NONE) + ", digest "
                + Numbers.digest(totals.digest()) + ".")
            .command("./skerry run", summary.commandLine())
            .tiles(tiles());
        out.close();
    }

    private List<Page.Tile> tiles() {
        final List<Page.Tile> tiles = new ArrayList<>();
        final double rate = summary.result().gigabitsPerSecondPerNode();
        final SizeBin all = summary.allFlows();
        final OfferedLoad load = summary.result().measured().load();
        tiles.add(new Page.Tile("Throughput", fixed(summary.result().throughput(), 4), summary.throughputUnit()
            + (summary.result().isOfAPart() ? "; whole run " + fixed(totals.throughput(), 4) : "")
            + (summary.result().idleFrom() < 0 ? "" : "; no flow is left from slot "
            + grouped(summary.result().idleFrom()) + " on")));
        if (rate >= 0) {
            tiles.add(new Page.Tile("Payload rate", plain(rate), "Gb/s per node"));
        }
        if (load.flows() >= 0) {
            tiles.add(new Page.Tile("Offered load", load.isKnown() ? fixed(load.offered(), 4) : Numbers.NONE,
                load.isKnown() ? fixed(load.delivered(), 4) + " delivered"
                : Numbers.counted(load.flows(), "flow") + ", too few"));
            tiles.add(new Page.Tile("Steady state", !load.isKnown() ? "not judged" : load.isSteady() ? "yes" : "no",
                "slots " + grouped(load.fromSlot()) + " to " + grouped(load.untilSlot())));
        }
        tiles.add(new Page.Tile("Normalised FCT", plain(all.mean()), all.carries(0.999)
            ? "mean; 99.9 % within " + plain(all.p999()) : "mean"));
        tiles.add(new Page.Tile("Flows completed", grouped(totals.flowsCompleted()), "of "
            + grouped(totals.flowsStarted()) + " started"));
        tiles.add(new Page.Tile("Unfinished flows", grouped(totals.flowsUnfinished()), Numbers.percent(
            totals.flowsStarted() == 0 ? 0 : (double) totals.flowsUnfinished() / totals.flowsStarted())
            + " of those started"));
        tiles.add(new Page.Tile("Largest buffer", grouped(totals.maxBufferOccupancy()),
            "cells; longest queue " + grouped(totals.maxQueueLength())));
        tiles.add(new Page.Tile("Cell latency", short1(summary.latencySlots(50)),
            "slots; 99 % within " + short1(summary.latencySlots(99))));
        tiles.add(new Page.Tile("Cells dropped", grouped(totals.cellsDropped()), "of "
            + grouped(totals.cellsInjected())));
        tiles.add(new Page.Tile("Speed", prefixed(totals.nodeSlotsPerSecond()), "node-slots/s, "
            + fixed(totals.wallSeconds(), 2) + " s"));
        return tiles;
    }

    /** Writes a plot, or the reason why there is none; returns whether there is one. */
    private boolean drawn(final Optional<Plot> plot, final String none) {
        plot.ifPresentOrElse(page::plot, () -> page.none(none));
        return plot.isPresent();
    }

    private void completionTimes() {
        page.section("Flow completion time by flow size", "Slots from the start of a flow to its last cell, divided by "
            + "cells + propagation. Flows that did not finish are excluded. Percentiles need enough flows: 100 for "
            + "p99, 1,000 for p99.9, and 10,000 for p99.99.");
        if (drawn(plots.completionTimes(), "No flow was completed.")) {
            sizes(summary.bins(), summary.allFlows());
        }
        page.end();
    }

    /** Writes nothing if no flow ran alone. */
    private void slowdown() {
        final Slowdown slowdown = summary.result().measured().slowdown();
        if (!slowdown.isMeasured()) {
            return;
        }
        page.section("Slowdown by flow size", "Slots from the start of a flow to its last cell, divided by the slots "
            + "that the same flow takes alone from the same start slot; 1 means that other flows did not delay it. "
            + Numbers.counted(slowdown.measured(), "flow") + " ran alone; in the row of all flows, each represents "
            + "an equal part of its size.");
        if (drawn(plots.slowdown(), "None of these flows was completed.")) {
            sizes(slowdown.bins(), slowdown.all());
        }
        page.end();
    }

    private void sizes(final List<SizeBin> bins, final SizeBin all) {
        final List<List<String>> rows = new ArrayList<>();
        bins.forEach(bin -> rows.add(cells(bin)));
        rows.add(cells(all));
        page.table(List.of("flow size", "flows", "mean", "p50", "p99", "p99.9", "p99.99", "max", "unfinished"), rows,
            true);
    }

    private void throughput() {
        final Guarantee guarantee = summary.result().terms().guarantee();
        page.section("Throughput over time", "Delivered " + summary.throughputUnit() + (guarantee.isGiven()
            ? ", and what the schedule guarantees under any traffic, " + guarantee.formula() + "." : "."));
        if (drawn(plots.throughput(), "No slot was run.")) {
            final RunPlots.Intervals parts = plots.timeline(TIMELINE_ROWS);
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

    /** Writes nothing if the nodes were not sampled during the run. */
    private void overTime() {
        if (plots.held().isEmpty()) {
            return;
        }
        page.section("Queues over time", "Forwarded cells that wait at a node"
            + (plots.buckets().isPresent() ? ", and buckets that are active" : "")
            + ": the mean of all nodes, and the maximum.");
        page.columns();
        plots.held().ifPresent(page::plot);
        plots.buckets().ifPresent(page::plot);
        page.end().end();
    }

    private void latency() {
        page.section("Cell latency", "Time from the transmission of a cell at its source to its handling at its "
            + "destination, as the share of cells that took longer. All cells of the run count, including those of "
            + "the warm-up. Both axes are "
            + "logarithmic.");
        if (drawn(plots.latency(), "No cell was delivered.")) {
            final List<String> slots = new ArrayList<>(List.of("slots"));
            final List<String> times = new ArrayList<>(List.of("time"));
            for (final double percentile : LATENCY_PERCENTILES) {
                final double value = percentile == 0 ? summary.result().latency().getMinValue()
                    : summary.latencySlots(percentile);
                slots.add(short1(value));
                times.add(Numbers.time(value * summary.slotNs()).replace("us", "\u00b5s"));
            }
            page.table(List.of("cells", "min", "p50", "p90", "p99", "p99.9", "p99.99", "max"),
                summary.slotNs() > 0 ? List.of(slots, times) : List.of(slots), false);
        }
        page.end();
    }

    private void buffers() {
        page.section("Buffers and queues", "Distribution over the nodes of the maxima of each node.");
        page.columns();
        nodes(plots.buffer(), summary.bufferOccupancy());
        nodes(plots.queue(), summary.queueLength());
        page.end().end();
    }

    private void nodes(final Optional<Plot> plot, final Distribution values) {
        out.open("div");
        if (drawn(plot, "No node.")) {
            final List<String> row = new ArrayList<>(List.of(grouped(values.size())));
            for (final double p : NODE_QUANTILES) {
                row.add(short1(values.quantile(p)));
            }
            page.table(List.of("nodes", "min", "p50", "p90", "p99", "p99.9", "max"), List.of(row), false);
        }
        out.close();
    }

    private static List<String> cells(final SizeBin bin) {
        return List.of(bin.label().replace(" - ", " \u2013 "), grouped(bin.flows()),
            plain(bin.mean()), plain(bin.p50()), plain(bin.carried(0.99)), plain(bin.carried(0.999)),
            plain(bin.carried(0.9999)), plain(bin.max()), Numbers.percent(bin.open().share()));
    }

    private void settings() {
        final List<String[]> rows = new ArrayList<>();
        for (final Map.Entry<String, String> setting : summary.result().settings().entrySet()) {
            rows.add(new String[] {Summary.clean(setting.getKey()), Summary.clean(setting.getValue())});
        }
        out.open("section").element("h2", "Counts and settings").open("div", "class", "pair");
        facts(counts());
        facts(rows);
        out.close().close();
    }

    /** Returns the counts with a fixed place in their order, then all others. */
    private List<String[]> counts() {
        final Comparator<Measure> placed = Comparator.comparingInt(measure -> {
            final int place = Summary.PLACED.indexOf(measure.key());
            return place < 0 ? Summary.PLACED.size() : place;
        });
        return summary.counts().sorted(placed)
            .map(measure -> new String[] {measure.sentence(), measure.key().equals("maxActiveBuckets")
                ? measure.fact() + " (p50 over nodes " + short1(summary.activeBuckets().quantile(0.5)) + ")"
                : measure.fact()})
            .toList();
    }

    private void facts(final List<String[]> rows) {
        out.open("div").open("table", "class", "facts").open("tbody");
        for (final String[] row : rows) {
            out.open("tr").element("th", row[0], "scope", "row").element("td", row[1]).close();
        }
        out.close().close().close();
    }

    /** The plots of a run; a plot without data is empty. Thread-safe. */
    static final class RunPlots {
        private static final int TIMELINE_POINTS = 360;

        private final Summary summary;

        RunPlots(final Summary summary) {
            this.summary = summary;
        }

        /** Returns all plots that are not empty. */
        List<Plot> all() {
            return Stream.of(completionTimes(), slowdown(), throughput(), held(), buckets(), latency(), buffer(),
                queue())
                .flatMap(Optional::stream).toList();
        }

        Optional<Plot> completionTimes() {
            return bySize("fct", "Normalised flow completion time by flow size", "normalised FCT", summary.bins());
        }

        Optional<Plot> slowdown() {
            return bySize("slowdown", "Slowdown by flow size", "slowdown", summary.result().measured().slowdown()
                .bins());
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

        /** Returns the plot of the active buckets; empty without hop-by-hop, because buckets are then never active. */
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
                .add("most", Style.STEPS, x, samples.stream().mapToDouble(at -> most.applyAsLong(at.sample()))
                .toArray())
                .add("mean", Style.STEPS, x,
                    samples.stream().mapToDouble(at -> all.applyAsLong(at.sample()) / nodes).toArray()));
        }

        /** Returns the cells delivered over time in at most {@code most} intervals. The run must have slots. */
        Intervals timeline(final int most) {
            final RunResult.Totals totals = summary.result().totals();
            final double nodes = totals.throughput() > 0
                ? totals.cellsDelivered() / (totals.throughput() * totals.slots()) : 1;
            // Cells in flight after the last slot still arrive.
            return Intervals.of(summary.result().timeline(), totals.slots() + totals.propagationSlots(), nodes, most);
        }

        /** Plots the share of cells that took longer, which shows the tail. */
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
                points.add(new double[] {slots,
                    1 - (double) value.getTotalCountToThisValue() / histogram.getTotalCount()});
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
            return Optional.of(new Plot(id, title + ", over the nodes", "maximum, cells", "share of nodes")
                .add("nodes", Style.STEPS, points));
        }

        /**
         * A timeline whose neighbouring intervals have been merged evenly into a few.
         *
         * @param start first slot of each interval, and the end of the last one; it has one element more than there are
         *     intervals.
         * @param cells cells delivered in each interval.
         * @param rate  cells per node and slot in each interval; the last value is repeated, so that a step line
         *     extends to the end.
         */
        record Intervals(double[] start, long[] cells, double[] rate) {
            /**
             * Merges the intervals of a timeline. {@code nodes} may be any positive number; {@code slots} are those of
             * the whole run and bound the last interval.
             */
            static Intervals of(final RunResult.Timeline timeline, final long slots, final double nodes,
                final int most) {
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
}
