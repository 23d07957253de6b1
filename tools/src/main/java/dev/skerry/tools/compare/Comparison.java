package dev.skerry.tools.compare;

import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.Numbers;
import dev.skerry.tools.report.OfferedLoad;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.ResourceTable;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.report.SizeBin.OpenFlows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Fabrics in columns: as text, as JSON and as a page. Immutable; any thread.
 *
 * @param heading     description of what all of them ran.
 * @param options     options that repeat it.
 * @param contenders  the fabrics, in order.
 * @param traced      whether the flows are those of a trace.
 * @param interrupted whether it was stopped before its end.
 */
public record Comparison(String heading, List<String> options, List<Contender> contenders, boolean traced,
    boolean interrupted) {
    private static final int TIMELINE_POINTS = 300;
    private static final long SHORT = 16 << 10;
    private static final long LONG = 256 << 10;
    private static final double MIB = 1 << 20;

    /**
     * A property of each fabric: a row of a table and a value of the JSON.
     *
     * @param label label of the row; null if it is in no table.
     * @param key   key of the value; null if it is not in the JSON.
     * @param value a number, NaN if it is not known, a truth value or a word.
     */
    private record Line(String label, String key, Function<Contender, Object> value) {
    }

    private static final Line OFFERED =
        new Line("payload offered, Gb/s per node", "offeredGbpsPerNode", Contender::offeredGbps);

    private static final List<Line> TERMS = List.of(
        new Line("rate of a node into the fabric, Gb/s", "gbps", c -> c.terms().gbps()),
        new Line("in lanes", "lanes", c -> c.terms().lanes()),
        new Line("nodes, forwarding ones included", "nodes", c -> c.terms().nodes()),
        new Line("bytes of a cell", "cellBytes", c -> c.terms().cellBytes()),
        new Line("bytes of its header", "headerBytes", c -> c.terms().headerBytes()),
        new Line("slot of a lane, ns", "slotNs", c -> c.terms().slotNs()),
        new Line("guard band in it, ns", "guardNs", c -> c.terms().guardNs()),
        new Line("fibres from node to node, ns", "fibreNs", c -> c.terms().fibreNs()),
        new Line("maximum payload of a node, Gb/s", "payloadGbps", Contender::payloadGbps),
        new Line("payload guaranteed for any traffic, Gb/s", "guaranteeGbps", Contender::guaranteeGbps));

    private static final List<Line> RESULTS = List.of(
        new Line("time of the run, us", "timeUs", Contender::timeUs),
        new Line(null, "warmUpUs", Contender::warmUpUs),
        OFFERED,
        new Line("payload delivered, Gb/s per node", "deliveredGbpsPerNode", Contender::deliveredGbps),
        new Line("steady", null, Contender::steady),
        new Line(null, "steady", c -> c.load().isKnown() ? !c.isUnsteady() : null),
        new Line(null, "saturated", c -> c.load().isKnown() ? c.isSaturated() : null),
        new Line("flows started", "flowsStarted", c -> c.totals().flowsStarted()),
        new Line("flows completed", "flowsCompleted", c -> c.totals().flowsCompleted()),
        new Line("longest queue, cells", "maxQueueLength", c -> c.totals().maxQueueLength()),
        new Line("longest queue, bytes", "maxQueueBytes",
            c -> (long) c.totals().maxQueueLength() * c.terms().cellBytes()),
        new Line("maximum cells held by a node for others", "maxBufferOccupancy", c -> c.totals().maxBufferOccupancy()),
        new Line("maximum reordering, cells", "maxReorderCells", c -> c.totals().maxReorderCells()),
        new Line("cells sent", "cellsInjected", c -> c.totals().cellsInjected()),
        new Line("cells delivered", "cellsDelivered", c -> c.totals().cellsDelivered()),
        new Line("cells dropped", "cellsDropped", c -> c.totals().cellsDropped()),
        new Line("memory of the model, MiB", null, c -> c.stateBytes() / MIB),
        new Line(null, "stateBytes", Contender::stateBytes),
        new Line("wall time, s", "wallSeconds", c -> c.totals().wallSeconds()),
        new Line("node-slots per second", "nodeSlotsPerSecond", c -> c.totals().nodeSlotsPerSecond()),
        new Line("link-slots per second", "linkSlotsPerSecond", c -> c.totals().linkSlotsPerSecond()),
        new Line("digest", "digest", c -> String.format(Locale.ROOT, "%016x", c.totals().digest())));

    /** Copies the lists. */
    public Comparison {
        options = List.copyOf(options);
        contenders = List.copyOf(contenders);
    }

    /** Returns the report for a terminal. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        if (interrupted) {
            text.append("PARTIAL RESULT: interrupted; times differ, fabrics may be missing.\n\n");
        }
        warnings().forEach(warning -> text.append(warning).append('\n'));
        text.append(warnings().isEmpty() ? "" : "\n");
        text.append(heading).append("\n\n");
        for (final ResourceTable table : List.of(terms(), completion(), figures())) {
            text.append(table).append('\n');
        }
        remarks().forEach(remark -> text.append(remark).append('\n'));
        return text.toString();
    }

    /** Returns warnings about each fabric that a reader needs before the numbers are used. */
    private List<String> warnings() {
        return Stream.concat(remark().stream(), contenders.stream().flatMap(contender -> contender.warnings().stream()
            .map(warning -> contender.name() + ": " + warning))).toList();
    }

    /** Returns the reason why the flows, which are the same for all, are not significant; empty if they are. */
    public Optional<String> remark() {
        final Contender first = contenders.getFirst();
        final String longer = traced ? "no flow of the trace has bytes to send to another node in this time"
            : first.load().flows() >= 0 ? "use a longer --time-us or a higher --load" : "use a longer --time-us";
        if (first.totals().flowsStarted() == 0) {
            return Optional.of("no flow started: " + longer);
        }
        if (first.byBytes().all().started() == 0) {
            return Optional.of("no flow started after the warm-up, so there are no completion times: " + longer);
        }
        return !first.load().isTooShort() ? Optional.empty() : Optional.of(String.format(Locale.ROOT, "whether the "
            + "fabrics are steady is not judged: %s started after the warm-up, at least %d are needed; use a longer "
            + "--time-us", Numbers.counted(first.load().flows(), "flow"), OfferedLoad.FLOWS));
    }

    /** Tells whether completion times of some fabric depend on the length of the run. */
    public boolean isUnsteady() {
        return contenders.stream().anyMatch(Contender::isUnsteady);
    }

    private List<String> remarks() {
        final List<String> remarks = new ArrayList<>();
        contenders.stream().filter(contender -> !contender.own().isEmpty()).forEach(contender ->
            remarks.add(contender.name() + ": with " + String.join(" ", contender.own()) + "."));
        contenders.stream().flatMap(contender -> contender.column().kind().comparisonRemarks().stream()).distinct()
            .forEach(remarks::add);
        return remarks;
    }

    private ResourceTable table(final String name, final String title) {
        final List<String> columns = new ArrayList<>(List.of(""));
        contenders.forEach(contender -> columns.add(contender.name()));
        return new ResourceTable(name, title, columns.toArray(String[]::new));
    }

    private ResourceTable table(final String name, final String title, final List<Line> lines) {
        final ResourceTable table = table(name, title);
        for (final Line line : lines) {
            if (line.label != null && (line != OFFERED || contenders.stream().anyMatch(c -> c.load().isKnown()))) {
                final List<Object> cells = new ArrayList<>(List.of(line.label));
                contenders.stream().map(line.value).forEach(value -> cells.add(value.equals(Double.NaN) ? "-" : value));
                table.row(cells.toArray());
            }
        }
        return table;
    }

    /** Returns the terms, equal and different ones. */
    private ResourceTable terms() {
        return table("terms", "Terms", TERMS);
    }

    /** Returns completion times by size. */
    private ResourceTable completion() {
        final double warmUp = contenders.stream().mapToDouble(Contender::warmUpUs).max().orElse(0);
        final ResourceTable table = table("completion", "Flow completion time in us, by bytes of the flow"
            + (warmUp > 0 ? String.format(Locale.ROOT, "; flows from %s us on",
                CompareOptions.rounded(warmUp)) : ""));
        final List<SizeBin.Table> bins = contenders.stream().map(Contender::byBytes).toList();
        final Set<Long> edges = new LinkedHashSet<>();
        bins.forEach(of -> of.bins().stream().filter(bin -> bin.started() > 0).map(SizeBin::fromBytes).sorted()
            .forEach(edges::add));
        for (final long edge : edges.stream().sorted().toList()) {
            final List<SizeBin> row = bins.stream().map(of -> of.bins().stream()
                .filter(bin -> bin.fromBytes() == edge).findFirst().orElse(null)).toList();
            put(table, row);
        }
        put(table, bins.stream().map(SizeBin.Table::all).toList());
        return table;
    }

    /**
     * Adds the rows of a bin: percentiles are over all flows that started, so an unfinished one can make them a bound.
     */
    private void put(final ResourceTable table, final List<SizeBin> bins) {
        final String label = bins.stream().filter(bin -> bin != null).findFirst().orElseThrow().label();
        final List<Object> started = new ArrayList<>(List.of(label.equals("all flows") ? label : label + " flows"));
        bins.forEach(bin -> started.add(bin == null ? 0 : bin.started()));
        table.row(started.toArray());
        if (bins.stream().anyMatch(bin -> bin != null && bin.open().flows() > 0)) {
            row(table, label + " unfinished", bins, bin -> bin.open().flows());
        }
        row(table, label + " p50", bins, bin -> bound(bin, 0.5, bin.open().p50()));
        row(table, label + " p99", bins, bin -> bound(bin, 0.99, bin.open().p99()));
        if (bins.stream().anyMatch(bin -> bin != null && bin.carries(0.999))) {
            row(table, label + " p99.9", bins, bin -> bound(bin, 0.999, bin.open().p999()));
        }
    }

    private static void row(final ResourceTable table, final String what, final List<SizeBin> bins,
        final Function<SizeBin, Object> value) {
        final List<Object> cells = new ArrayList<>(List.of(what));
        bins.forEach(bin -> cells.add(bin == null || bin.started() == 0 ? "-" : value.apply(bin)));
        table.row(cells.toArray());
    }

    private static Object bound(final SizeBin bin, final double p, final OpenFlows.Bounds bounds) {
        return !bin.carries(p) ? "-" : bounds.isKnown() ? (Object) bounds.least() : bounds.text();
    }

    /** Returns all other measurements. */
    private ResourceTable figures() {
        return table("figures", "Results", RESULTS);
    }

    /** Returns one JSON object, with an object for every fabric. */
    public String json() {
        final Json json = Json.document(2).put("heading", heading)
            .put("interrupted", interrupted).open("fabrics", '{');
        for (final Contender contender : contenders) {
            json.open(contender.column().name(), '{').put("options", String.join(" ", contender.own()));
            write(json.open("terms", '{'), contender, TERMS);
            write(json.close('}'), contender, RESULTS);
            completion(json, contender.byBytes());
            json.close('}');
        }
        return json.close('}').close('}').toString();
    }

    private static void write(final Json json, final Contender contender, final List<Line> lines) {
        lines.stream().filter(line -> line.key != null)
            .forEach(line -> json.putAny(line.key, line.value.apply(contender)));
    }

    private static void completion(final Json json, final SizeBin.Table table) {
        json.open("completionUs", '[');
        final List<SizeBin> bins = new ArrayList<>(table.bins());
        bins.add(table.all());
        for (final SizeBin bin : bins) {
            json.open(null, '{').put("bin", bin.word()).put("bytes", bin.label()).put("flows", bin.flows())
                .put("unfinished", bin.open().flows()).put("mean", bin.mean())
                .put("p50", bin.p50()).put("p99", bin.carried(0.99))
                .put("p99.9", bin.carried(0.999)).put("max", bin.max());
            bin.open().write(json);
            json.close('}');
        }
        json.close(']');
    }

    /** Returns the plots of the page: a line for each fabric, in common units. */
    public List<Plot> plots() {
        final List<Plot> plots = new ArrayList<>(List.of(throughput()));
        plots.addAll(completionPlots());
        plots.addAll(List.of(queues(), reordering()));
        return plots;
    }

    /** Returns the page with the plots. */
    public String html() {
        final Page page = new Page((interrupted ? "PARTIAL: " : "") + "Fabrics compared: " + heading);
        if (interrupted) {
            page.alert("PARTIAL RESULT: interrupted; times differ, fabrics may be missing.");
        }
        warnings().forEach(page::alert);
        page.heading("Skerry comparison", heading).command("./skerry compare", options)
            .tiles(contenders.stream().map(Contender::tile).toList());
        draw(page.section("Terms", "Properties of the fabrics. The rate of a node and the size of a cell are "
            + "the same for all."), terms()).end();
        page.section("Throughput over time", "Mean payload delivered to a node, in Gb/s.")
            .plot(throughput()).end();
        page.section("Flow completion time", "Time from the start of a flow to its end, as the share of the flows of "
            + "a size that took longer. Flows that did not finish count as slower than all others; percentiles of "
            + "too few flows are omitted: p99 of fewer than 100, and p99.9 of fewer than 1,000.");
        completionPlots().forEach(page::plot);
        draw(page, completion()).end();
        page.section("Queues", "Distribution over the nodes of the longest queue of each node.").plot(queues()).end();
        page.section("Reordering", "Maximum reordering distance, in cells.").plot(reordering()).end();
        draw(page.section("Results", "Load, steady state and totals."), figures());
        remarks().forEach(page::text);
        return page.end().finish();
    }

    private static Page draw(final Page page, final ResourceTable table) {
        return page.table(table.columns(), table.rows(), false);
    }

    /** Returns the payload delivered over time. */
    private Plot throughput() {
        final Plot plot = new Plot("throughput", "Throughput over time", "time in us", "Gb/s of payload per node");
        for (final Contender contender : contenders) {
            final RunResult.Timeline timeline = contender.summary().result().timeline();
            final int merge = Math.max(1, Math.ceilDiv(timeline.delivered().length, TIMELINE_POINTS));
            final int count = timeline.delivered().length / merge;
            final double intervalNs = merge * timeline.intervalSlots() * contender.terms().slotNs();
            final double[] x = new double[count + 1];
            final double[] y = new double[count + 1];
            for (int i = 0; i < count; i++) {
                final long cells = Arrays.stream(timeline.delivered(), i * merge, (i + 1) * merge).sum();
                // The last interval may be cut short by the end of the run.
                final double ns = Math.min(intervalNs, contender.timeUs() * 1e3 - i * intervalNs);
                y[i] = cells * 8.0 * contender.payloadBytes() / (Math.max(ns, contender.terms().slotNs())
                    * contender.totals().endpoints());
                x[i + 1] = (i * intervalNs + ns) / 1e3;
            }
            y[count] = count == 0 ? 0 : y[count - 1];
            plot.add(contender.name(), Style.STEPS, x, y);
        }
        return plot;
    }

    /** Returns completion times of short, medium and long flows, as far as some completed. */
    private List<Plot> completionPlots() {
        return Stream.of(completion("fct-short", "Flows under 16k bytes", 0, SHORT),
            completion("fct-medium", "Flows of 16k to 256k bytes", SHORT, LONG),
            completion("fct-long", "Flows of 256k bytes and more", LONG, Long.MAX_VALUE))
            .filter(plot -> !plot.lines().isEmpty()).toList();
    }

    private Plot completion(final String id, final String title, final long from, final long to) {
        final Plot plot = new Plot(id, title + ": the share that took longer", "completion time in us",
            Scale.LOGARITHMIC, "share of flows above", Scale.LOGARITHMIC);
        for (final Contender contender : contenders) {
            final double[] sorted = contender.completionUs(from, to);
            if (sorted.length > 0) {
                plot.addTail(contender.name(), sorted, sorted.length + contender.unfinished(from, to));
            }
        }
        return plot;
    }

    /** Returns the longest queues of the nodes. */
    private Plot queues() {
        final Plot plot = new Plot("queues", "Longest queue of a node: distribution over the nodes",
            "longest queue of a node, bytes of cells", "share of nodes");
        for (final Contender contender : contenders) {
            final double[] bytes = Arrays.stream(contender.summary().result().nodes().queueLength())
                .mapToDouble(cells -> (double) cells * contender.terms().cellBytes()).sorted().toArray();
            // The line begins at no nodes.
            plot.add(contender.name(), Style.STEPS, IntStream.rangeClosed(0, bytes.length)
                .mapToObj(i -> new double[] {bytes[Math.max(0, i - 1)], (double) i / bytes.length}).toList());
        }
        return plot;
    }

    /** Returns the maximum reordering of each fabric. */
    private Plot reordering() {
        return new Plot("reordering", "Maximum reordering", "fabric", contenders.stream().map(Contender::name).toList(),
            "cells", Scale.LINEAR).add("at most", Style.BARS, IntStream.range(0, contenders.size()).asDoubleStream()
            .toArray(), contenders.stream().mapToDouble(contender -> contender.totals().maxReorderCells()).toArray());
    }
}
