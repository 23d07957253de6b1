package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.prefixed;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.report.SizeBin.OpenFlows;

import java.util.ArrayList;
import java.util.List;

/**
 * The report of a run as plain ASCII text for a terminal with 100 columns. Lines are wrapped, except for a single
 * setting that is longer than a line, such as the path of a trace. Thread-safe.
 */
public final class TerminalReport {
    private static final int COLUMNS = 100;
    private static final int LABEL = 13;
    private static final int[] BIN_COLUMNS = {-14, 14, 12, 12, 12, 12, 12, 12};

    private final StringBuilder out = new StringBuilder(4096);
    private final Summary summary;
    private final RunResult.Totals totals;

    private TerminalReport(final Summary summary) {
        this.summary = summary;
        this.totals = summary.result().totals();
    }

    /**
     * Writes the report.
     *
     * @param summary summary of the run.
     * @return lines, the last one with its line feed.
     */
    public static String of(final Summary summary) {
        final TerminalReport report = new TerminalReport(summary);
        report.heading();
        report.completionTimes();
        report.figures();
        return report.out.toString();
    }

    private void heading() {
        if (summary.result().interrupted()) {
            line("PARTIAL RESULT: interrupted after " + grouped(totals.slots()) + " slots; all numbers end there.");
            line("");
        }
        line(summary.headline());
        final double slotNs = summary.slotNs();
        line(Numbers.counted(totals.slots(), "slot")
            + (slotNs > 0 ? " of " + slotNs + " ns = " + Numbers.time(totals.slots() * slotNs) : "")
            + ", propagation " + grouped(totals.propagationSlots()) + " slots"
            + (slotNs > 0 ? " = " + Numbers.time(totals.propagationSlots() * slotNs) : "")
            + summary.serialisation());
        line("");
        final List<String> words = new ArrayList<>(List.of("./skerry run"));
        words.addAll(summary.commandLine());
        wrapped("  ", words, " ", " \\", "    ");
        line("");
    }

    private void completionTimes() {
        final RunResult.Measured measured = summary.result().measured();
        final OpenFlows open = summary.allFlows().open();
        table("Normalised flow completion time: slots / (cells + " + totals.propagationSlots() + ")"
            + (measured.warmUpSlots() == 0 ? "" : ", flows from slot " + grouped(measured.warmUpSlots()) + " on"),
            open.flows() > 0, summary.bins(), summary.allFlows());
        if (open.flows() > 0) {
            final List<String> bounds = new ArrayList<>(List.of(Numbers.counted(open.flows(), "unfinished flow")
                + (open.flows() == 1 ? " is" : " are") + " excluded from the percentiles; with "
                + (open.flows() == 1 ? "it" : "them") + " p50 is " + open.p50().text()));
            if (summary.allFlows().carries(0.99)) {
                bounds.add("p99 " + open.p99().text());
            }
            if (summary.allFlows().carries(0.999)) {
                bounds.add("p99.9 " + open.p999().text());
            }
            wrapped("  ", bounds, ", ", ",", "  ");
        }
        line("");
        final Slowdown slowdown = measured.slowdown();
        if (slowdown.isMeasured()) {
            table("Slowdown: slots / slots of the same flow alone, " + Numbers.counted(slowdown.measured(), "flow")
                + ", weighted by size for all flows", open.flows() > 0, slowdown.bins(), slowdown.all());
            line("");
        }
    }

    private void table(final String title, final boolean open, final List<SizeBin> bins, final SizeBin all) {
        line(title);
        cells("  flow bytes", "flows", "mean", "p50", "p99", "p99.9", "max", open ? "unfinished" : "");
        bins.forEach(this::bin);
        bin(all);
    }

    private void bin(final SizeBin bin) {
        cells("  " + bin.label(), grouped(bin.flows()), plain(bin.mean()), plain(bin.p50()), plain(bin.carried(0.99)),
            plain(bin.carried(0.999)), plain(bin.max()),
            bin.open().flows() > 0 ? Numbers.percent(bin.open().share()) : "");
    }

    private void figures() {
        final Guarantee guarantee = summary.result().terms().guarantee();
        final double rate = summary.result().gigabitsPerSecondPerNode();
        final List<String> throughput = new ArrayList<>();
        throughput.add(fixed(summary.result().throughput(), 4) + " " + summary.throughputUnit());
        if (rate >= 0) {
            throughput.add(plain(rate) + " Gb/s of payload per node");
        }
        if (guarantee.isGiven()) {
            throughput.add("guarantee " + guarantee.formula() + " = " + fixed(guarantee.throughput(), 4));
        } else if (!guarantee.needs().isEmpty()) {
            throughput.add("guarantee " + guarantee.formula() + " only with " + guarantee.needs());
        }
        item("Throughput", throughput);
        if (summary.result().idleFrom() >= 0) {
            item("Idle", List.of("no flow is left from slot " + grouped(summary.result().idleFrom())
                + " on", "throughput includes these slots"));
        }
        load();
        counts();
    }

    private void load() {
        final OfferedLoad load = summary.result().measured().load();
        if (load.isKnown()) {
            item("Load", List.of(fixed(load.offered(), 4) + " offered", fixed(load.delivered(), 4) + " delivered",
                (load.isSteady() ? "steady" : "not steady") + " in slots " + grouped(load.fromSlot()) + " to "
                + grouped(load.untilSlot())));
        } else if (load.isTooShort()) {
            item("Load", List.of("not judged: " + load.shortage()));
        }
        if (summary.result().isOfAPart()) {
            item("Whole run", List.of(fixed(totals.throughput(), 4) + " " + summary.throughputUnit() + " in "
                + Numbers.counted(totals.slots(), "slot")));
        }
    }

    private void counts() {
        item("Cells", List.of(grouped(totals.cellsInjected()) + " injected",
            grouped(totals.cellsDelivered()) + " delivered", grouped(totals.cellsHeld()) + " held",
            grouped(totals.cellsDropped()) + " dropped", grouped(totals.cellsCorrupted()) + " corrupted"));
        item("Flows", List.of(grouped(totals.flowsStarted()) + " started",
            grouped(totals.flowsCompleted()) + " completed", grouped(totals.flowsUnfinished()) + " unfinished"));
        item("Latency", List.of("p50 " + short1(summary.latencySlots(50)), "p99 " + short1(summary.latencySlots(99)),
            "p99.9 " + short1(summary.latencySlots(99.9)), "max " + short1(summary.latencySlots(100))
            + " slots from source to destination", "whole run"));
        item("Buffer", List.of("p50 " + short1(summary.bufferOccupancy().quantile(0.5)),
            "p99 " + short1(summary.bufferOccupancy().quantile(0.99)),
            "max " + grouped(totals.maxBufferOccupancy()) + " cells, over the nodes' maxima"));
        item("Maxima", List.of("queue " + grouped(totals.maxQueueLength()) + " cells",
            grouped(totals.maxActiveBuckets()) + " active buckets",
            "reordering " + grouped(totals.maxReorderCells()) + " cells"));
        summary.counts().filter(measure -> !Summary.PLACED.contains(measure.key()))
            .forEach(measure -> line(" ".repeat(LABEL) + measure.line()));
        item("Speed", List.of(prefixed(totals.nodeSlotsPerSecond()) + " node-slots/s",
            prefixed(totals.linkSlotsPerSecond()) + " link-slots/s",
            fixed(totals.wallSeconds(), 2) + " s"));
        item("Digest", List.of(Numbers.digest(totals.digest())));
    }

    private void item(final String label, final List<String> parts) {
        final List<String> words = new ArrayList<>(parts);
        words.set(0, label + " ".repeat(LABEL - label.length()) + parts.getFirst());
        wrapped("", words, ", ", ",", " ".repeat(LABEL));
    }

    private void cells(final String... texts) {
        final StringBuilder row = new StringBuilder(COLUMNS);
        for (int i = 0; i < texts.length; i++) {
            final String space = " ".repeat(Math.max(1, Math.abs(BIN_COLUMNS[i]) - texts[i].length()));
            row.append(BIN_COLUMNS[i] < 0 ? texts[i] + space : space + texts[i]);
        }
        line(row.toString().stripTrailing());
    }

    /** Writes words, as many per line as fit. */
    private void wrapped(
        final String start, final List<String> words, final String between, final String atEnd, final String next) {
        StringBuilder row = new StringBuilder(start).append(words.getFirst());
        for (final String word : words.subList(1, words.size())) {
            if (row.length() + between.length() + word.length() + atEnd.length() > COLUMNS) {
                line(row + atEnd);
                row = new StringBuilder(next).append(word);
            } else {
                row.append(between).append(word);
            }
        }
        line(row.toString());
    }

    private void line(final String text) {
        out.append(text).append('\n');
    }
}
