package dev.skerry.tools.compare;

import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.resources.ResourceTable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/**
 * Fabrics in columns: as text, as JSON and as a page. Immutable; any thread.
 *
 * @param heading     what all of them ran.
 * @param options     that repeat it.
 * @param contenders  the fabrics, in order.
 * @param interrupted whether it was stopped before its end.
 */
public record Comparison(String heading, List<String> options, List<Contender> contenders, boolean interrupted) {
    /** Copies the lists. */
    public Comparison {
        options = List.copyOf(options);
        contenders = List.copyOf(contenders);
    }

    /** The report for a terminal. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        if (interrupted) {
            text.append("PARTIAL RESULT: interrupted; times differ, fabrics may be missing.\n\n");
        }
        text.append(heading).append("\n\n");
        for (final ResourceTable table : List.of(terms(), completion(), figures())) {
            text.append(table).append('\n');
        }
        remarks().forEach(remark -> text.append(remark).append('\n'));
        return text.toString();
    }

    private List<String> remarks() {
        final List<String> remarks = new ArrayList<>();
        contenders.forEach(contender -> remarks.addAll(contender.remarks()));
        return remarks;
    }

    private ResourceTable table(final String name, final String title) {
        final List<String> columns = new ArrayList<>(List.of(""));
        contenders.forEach(contender -> columns.add(contender.name()));
        return new ResourceTable(name, title, columns.toArray(String[]::new));
    }

    private void row(final ResourceTable table, final String what, final Function<Contender, Object> value) {
        final List<Object> cells = new ArrayList<>(List.of(what));
        contenders.forEach(contender -> cells.add(value.apply(contender)));
        table.row(cells.toArray());
    }

    /** The terms: what is the same, and what cannot be. */
    private ResourceTable terms() {
        final ResourceTable table = table("terms", "Terms");
        row(table, "rate of a node into the fabric, Gb/s", c -> c.terms().gbps());
        row(table, "in lanes", c -> c.terms().lanes());
        row(table, "bytes of a cell", c -> c.terms().cellBytes());
        row(table, "bytes of its header", c -> c.terms().headerBytes());
        row(table, "slot of a lane, ns", c -> c.terms().slotNs());
        row(table, "guard band in it, ns", c -> c.terms().guardNs());
        row(table, "fibres from node to node, ns", c -> c.terms().fibreNs());
        row(table, "nodes, forwarding ones included", c -> c.terms().nodes());
        row(table, "payload of a node at most, Gb/s", Contender::payloadGbps);
        row(table, "payload under any traffic, Gb/s",
            c -> Double.isNaN(c.guaranteeGbps()) ? "-" : (Object) c.guaranteeGbps());
        return table;
    }

    /** Completion times by size. */
    private ResourceTable completion() {
        final ResourceTable table = table("completion",
            "Flow completion time in us, median and 99th percentile, by bytes of "
            + "the flow");
        final List<SizeBin.Table> bins = contenders.stream().map(Contender::byBytes).toList();
        final Set<Long> edges = new LinkedHashSet<>();
        bins.forEach(of -> of.bins().stream().filter(bin -> bin.flows() > 0).map(SizeBin::fromBytes).sorted()
            .forEach(edges::add));
        for (final long edge : edges.stream().sorted().toList()) {
            final List<SizeBin> row = bins.stream().map(of -> of.bins().stream()
                .filter(bin -> bin.fromBytes() == edge).findFirst().orElse(null)).toList();
            put(table, row);
        }
        put(table, bins.stream().map(SizeBin.Table::all).toList());
        return table;
    }

    private void put(final ResourceTable table, final List<SizeBin> bins) {
        final String label = bins.stream().filter(bin -> bin != null).findFirst().orElseThrow().label();
        final List<Object> median = new ArrayList<>(List.of(label + " p50"));
        final List<Object> tail = new ArrayList<>(List.of(label + " p99"));
        for (final SizeBin bin : bins) {
            final boolean none = bin == null || bin.flows() == 0;
            median.add(none ? (Object) "-" : (Object) bin.p50());
            tail.add(none ? (Object) "-" : (Object) bin.p99());
        }
        table.row(median.toArray());
        table.row(tail.toArray());
    }

    /** All else that was measured. */
    private ResourceTable figures() {
        final ResourceTable table = table("figures", "Results");
        row(table, "time, us", Contender::timeUs);
        row(table, "payload delivered, Gb/s a node", Contender::carriedGbps);
        row(table, "bytes of complete flows, Gb/s a node", Contender::goodputGbps);
        row(table, "flows started", c -> c.totals().flowsStarted());
        row(table, "flows completed", c -> c.totals().flowsCompleted());
        row(table, "longest queue, cells", c -> c.totals().maxQueueLength());
        row(table, "longest queue, bytes", c -> (long) c.totals().maxQueueLength() * c.terms().cellBytes());
        row(table, "most cells held by a node for others", c -> c.totals().maxBufferOccupancy());
        row(table, "reordering at most, cells", c -> c.totals().maxReorderCells());
        row(table, "cells sent", c -> c.totals().cellsInjected());
        row(table, "cells delivered", c -> c.totals().cellsDelivered());
        row(table, "cells dropped", c -> c.totals().cellsDropped());
        row(table, "memory of the model, MiB", Contender::stateMiB);
        row(table, "wall time, s", c -> c.totals().wallSeconds());
        row(table, "node-slots a second", c -> c.totals().nodeSlotsPerSecond());
        row(table, "link-slots a second", Contender::linkSlotsPerSecond);
        row(table, "digest", c -> String.format(Locale.ROOT, "%016x", c.totals().digest()));
        return table;
    }

    /** One JSON object: an object for every fabric. */
    public String json() {
        final Json json = Json.document().put("heading", heading)
            .put("interrupted", interrupted).open("fabrics", '{');
        for (final Contender contender : contenders) {
            json.open(contender.fabric(), '{');
            terms(json, contender);
            final RunResult.Totals totals = contender.totals();
            json.put("timeUs", contender.timeUs()).put("carriedGbpsPerNode", contender.carriedGbps())
                .put("completedGbpsPerNode", contender.goodputGbps()).put("flowsStarted", totals.flowsStarted())
                .put("flowsCompleted", totals.flowsCompleted()).put("maxQueueLength", totals.maxQueueLength())
                .put("maxQueueBytes", (long) totals.maxQueueLength() * contender.terms().cellBytes())
                .put("maxBufferOccupancy", totals.maxBufferOccupancy())
                .put("maxReorderCells", totals.maxReorderCells()).put("cellsInjected", totals.cellsInjected())
                .put("cellsDelivered", totals.cellsDelivered()).put("cellsDropped", totals.cellsDropped())
                .put("stateBytes", contender.stateBytes()).put("wallSeconds", totals.wallSeconds())
                .put("nodeSlotsPerSecond", totals.nodeSlotsPerSecond())
                .put("linkSlotsPerSecond", contender.linkSlotsPerSecond())
                .put("digest", String.format(Locale.ROOT, "%016x", totals.digest()));
            completion(json, contender.byBytes());
            json.close('}');
        }
        return json.close('}').close('}').toString();
    }

    private static void terms(final Json json, final Contender contender) {
        final Contender.Terms terms = contender.terms();
        json.open("terms", '{').put("gbps", terms.gbps()).put("lanes", terms.lanes()).put("nodes", terms.nodes())
            .put("cellBytes", terms.cellBytes()).put("headerBytes", terms.headerBytes())
            .put("slotNs", terms.slotNs()).put("guardNs", terms.guardNs()).put("fibreNs", terms.fibreNs())
            .put("payloadGbps", contender.payloadGbps()).put("guaranteeGbps", contender.guaranteeGbps()).close('}');
    }

    private static void completion(final Json json, final SizeBin.Table table) {
        json.open("completionUs", '[');
        final List<SizeBin> bins = new ArrayList<>(table.bins());
        bins.add(table.all());
        for (final SizeBin bin : bins) {
            json.open(null, '{').put("bytes", bin.label()).put("flows", bin.flows()).put("mean", bin.mean())
                .put("p50", bin.p50()).put("p99", bin.p99()).put("max", bin.max()).close('}');
        }
        json.close(']');
    }

    /** The plots of the page. */
    public List<Plot> plots() {
        return new ComparisonPlots(contenders).all();
    }

    /** The page with the plots. */
    public String html() {
        final Page page = new Page((interrupted ? "PARTIAL: " : "") + "Fabrics compared: " + heading);
        if (interrupted) {
            page.alert("PARTIAL RESULT: interrupted; times differ, fabrics may be missing.");
        }
        page.heading("Skerry comparison", heading).command("./skerry compare", options);
        final ComparisonPlots plots = new ComparisonPlots(contenders);
        draw(page.section("Terms", "What is the same for all, and what cannot be."), terms()).end();
        page.section("Throughput over time", "Payload that a node was delivered on average, in Gb/s.")
            .plot(plots.throughput()).end();
        page.section("Flow completion time", "From the start of a flow to its end; the share of the flows of a size "
            + "that took longer.");
        plots.completion().forEach(page::plot);
        draw(page, completion()).end();
        page.section("Queues", "The longest queue that each node ever had, over the nodes.").plot(plots.queues()).end();
        page.section("Reordering", "The most cells by which order was lost.").plot(plots.reordering()).end();
        draw(page.section("Results", "In all."), figures());
        remarks().forEach(page::text);
        return page.end().finish();
    }

    private static Page draw(final Page page, final ResourceTable table) {
        return page.table(table.columns(), table.rows(), false);
    }
}
