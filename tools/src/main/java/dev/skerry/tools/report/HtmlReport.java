package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.prefixed;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.tools.plot.Markup;
import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The report of a run as a {@link Page}, plots with their percentiles as a table below each. Any thread.
 */
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
     * @param summary of the run.
     * @param machine that made it.
     * @return the page, to be stored as UTF-8.
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

    /** Draws a plot, or says why there is none; whether there is one. */
    private boolean drawn(final Optional<Plot> plot, final String none) {
        plot.ifPresentOrElse(page::plot, () -> page.none(none));
        return plot.isPresent();
    }

    private void completionTimes() {
        page.section("Flow completion time by flow size", "Slots from the start of a flow to its last cell, divided by "
            + "cells + propagation. Flows that did not finish are excluded. A percentile needs enough flows: p99 a "
            + "hundred, p99.9 a thousand, p99.99 ten thousand.");
        if (drawn(plots.completionTimes(), "No flow was completed.")) {
            sizes(summary.bins(), summary.allFlows());
        }
        page.end();
    }

    /** Nothing where no flow ran alone. */
    private void slowdown() {
        final Slowdown slowdown = summary.result().measured().slowdown();
        if (!slowdown.isMeasured()) {
            return;
        }
        page.section("Slowdown by flow size", "Slots from the start of a flow to its last cell, divided by those of "
            + "the same flow alone from the same start slot: 1 for a flow that meets no other. "
            + Numbers.counted(slowdown.measured(), "flow") + " ran alone; in the row of all flows each stands for an "
            + "equal part of its size.");
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

    /** Nothing where nobody looked at nodes on the way. */
    private void overTime() {
        if (plots.held().isEmpty()) {
            return;
        }
        page.section("Queues over time", "Forwarded cells that wait at a node"
            + (plots.buckets().isPresent() ? ", and buckets that are active" : "")
            + ": the mean of all nodes, and the node that holds most.");
        page.columns();
        plots.held().ifPresent(page::plot);
        plots.buckets().ifPresent(page::plot);
        page.end().end();
    }

    private void latency() {
        page.section("Cell latency", "From the sending of a cell at its source to its handling at its destination: the "
            + "share of cells that took longer. All cells of the run count, those of a warm-up too. Both axes are "
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
        page.section("Buffers and queues", "The most each node ever held, over the nodes.");
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

    /** The counts that have a place in their order, then all others. */
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
}
