package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.prefixed;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.tools.plot.Markup;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The report of a run as a {@link Page}, plots with a table below each. Any thread.
 */
final class HtmlReport {
    private static final List<String> FACTS = List.of("cellsInjected", "cellsDelivered", "cellsHeld", "cellsDropped",
        "cellsCorrupted", "flowsStarted", "flowsCompleted", "maxQueueLength", "maxBufferOccupancy", "maxActiveBuckets",
        "maxReorderCells", "endpoints");

    private final Page page;
    private final Markup out;
    private final Summary summary;
    private final RunResult.Totals totals;

    private HtmlReport(final Summary summary, final Machine machine) {
        this.summary = summary;
        this.totals = summary.result().totals();
        this.page = new Page((summary.result().interrupted() ? "PARTIAL: " : "") + summary.headline(), machine);
        this.out = page.markup();
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
        final ReportPlots plots = new ReportPlots(page, summary);
        plots.completionTimes();
        plots.slowdown();
        plots.throughput();
        plots.overTime();
        plots.latency();
        plots.buffers();
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
            + (summary.result().isOfAPart() ? "; whole run " + fixed(totals.throughput(), 4) : "")));
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

    /** The counts in the order of {@link #FACTS}, then the counts that have no place in it. */
    private List<String[]> counts() {
        final Comparator<Measure> placed = Comparator.comparingInt(measure -> {
            final int place = FACTS.indexOf(measure.key());
            return place < 0 ? FACTS.size() : place;
        });
        return Stream.concat(summary.result().measures().stream(), summary.result().events().stream())
            .filter(measure -> measure.sentence() != null)
            .sorted(placed)
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
