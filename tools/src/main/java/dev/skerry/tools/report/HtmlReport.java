package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.prefixed;
import static dev.skerry.tools.report.Numbers.short1;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The report of a run as a {@link Page}, plots with a table below each. Any thread.
 */
final class HtmlReport {
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
        plots.throughput();
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
        final double slotNs = summary.slotNs();
        page.heading("Skerry run report", summary.headline())
            .text(grouped(totals.slots()) + " slots"
                + (slotNs > 0 ? " of " + slotNs + " ns, " + Numbers.time(totals.slots() * slotNs) : "")
                + ", propagation " + grouped(totals.propagationSlots()) + " slots. Seed "
                + summary.setting("seed", Numbers.NONE) + ", digest "
                + SummaryJson.digest(totals.digest()) + ".")
            .command("./skerry run", summary.commandLine());
        tiles();
        out.close();
    }

    private void tiles() {
        final double rate = summary.gigabitsPerSecondPerNode();
        final SizeBin all = summary.allFlows();
        out.open("dl", "class", "tiles");
        tile("Throughput", fixed(totals.throughput(), 4), summary.throughputUnit());
        if (rate >= 0) {
            tile("Payload rate", plain(rate), "Gb/s per node");
        }
        tile("Normalised FCT", plain(all.mean()), "mean; 99.9 % within " + plain(all.p999()));
        tile("Flows completed", grouped(totals.flowsCompleted()), grouped(summary.flowsUnfinished()) + " unfinished");
        tile("Largest buffer", grouped(totals.maxBufferOccupancy()),
            "cells; longest queue " + grouped(totals.maxQueueLength()));
        tile("Cell latency", short1(summary.latencySlots(50)),
            "slots; 99 % within " + short1(summary.latencySlots(99)));
        tile("Cells dropped", grouped(totals.cellsDropped()), "of " + grouped(totals.cellsInjected()));
        tile("Speed", prefixed(totals.nodeSlotsPerSecond()), "node-slots/s, " + fixed(totals.wallSeconds(), 2) + " s");
        out.close();
    }

    private void tile(final String name, final String value, final String note) {
        out.open("div").element("dt", name).element("dd", value).element("dd", note, "class", "small").close();
    }

    private void settings() {
        final List<String[]> rows = new ArrayList<>();
        for (final Map.Entry<String, String> setting : summary.result().settings().entrySet()) {
            rows.add(new String[] {Summary.clean(setting.getKey()), Summary.clean(setting.getValue())});
        }
        out.open("section").element("h2", "Counts and settings").open("div", "class", "pair");
        facts(List.of(
            new String[] {"cells injected", grouped(totals.cellsInjected())},
            new String[] {"cells delivered", grouped(totals.cellsDelivered())},
            new String[] {"cells held at the end", grouped(totals.cellsHeld())},
            new String[] {"cells dropped", grouped(totals.cellsDropped())},
            new String[] {"cells corrupted", grouped(totals.cellsCorrupted())},
            new String[] {"flows started", grouped(totals.flowsStarted())},
            new String[] {"flows completed", grouped(totals.flowsCompleted())},
            new String[] {"longest queue", grouped(totals.maxQueueLength()) + " cells"},
            new String[] {"largest buffer", grouped(totals.maxBufferOccupancy()) + " cells"},
            new String[] {"most active buckets", grouped(totals.maxActiveBuckets())
                + " (p50 over nodes " + short1(summary.activeBuckets().quantile(0.5)) + ")"},
            new String[] {"furthest reordering", grouped(totals.maxReorderCells()) + " cells"},
            new String[] {"nodes that may send", grouped(totals.endpoints())}));
        facts(rows);
        out.close().close();
    }

    private void facts(final List<String[]> rows) {
        out.open("div").open("table", "class", "facts").open("tbody");
        for (final String[] row : rows) {
            out.open("tr").element("th", row[0], "scope", "row").element("td", row[1]).close();
        }
        out.close().close().close();
    }
}
