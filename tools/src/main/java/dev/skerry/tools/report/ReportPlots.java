package dev.skerry.tools.report;

import static dev.skerry.tools.report.Numbers.fixed;
import static dev.skerry.tools.report.Numbers.grouped;
import static dev.skerry.tools.report.Numbers.plain;
import static dev.skerry.tools.report.Numbers.short1;

import dev.skerry.tools.plot.Markup;
import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The plots of a run's page, each with its percentiles as a table. One thread. */
final class ReportPlots {
    private static final int TIMELINE_ROWS = 10;
    private static final double[] NODE_QUANTILES = {0, 0.5, 0.9, 0.99, 0.999, 1};
    private static final double[] LATENCY_PERCENTILES = {0, 50, 90, 99, 99.9, 99.99, 100};

    private final Page page;
    private final Markup out;
    private final Summary summary;
    private final RunPlots plots;

    ReportPlots(final Page page, final Summary summary) {
        this.page = page;
        this.out = page.markup();
        this.summary = summary;
        this.plots = new RunPlots(summary);
    }

    /** Draws a plot, or says why there is none; whether there is one. */
    private boolean drawn(final Optional<Plot> plot, final String none) {
        plot.ifPresentOrElse(page::plot, () -> page.none(none));
        return plot.isPresent();
    }

    void completionTimes() {
        page.section("Flow completion time by flow size", "Slots from the start of a flow to its last cell, divided by "
            + "cells + propagation. Flows that did not finish are excluded. A percentile needs enough flows: p99 a "
            + "hundred, p99.9 a thousand, p99.99 ten thousand.");
        if (drawn(plots.completionTimes(), "No flow was completed.")) {
            sizes(summary.bins(), summary.allFlows());
        }
        page.end();
    }

    /** Nothing where no flow ran alone. */
    void slowdown() {
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

    void throughput() {
        final Guarantee guarantee = summary.result().terms().guarantee();
        page.section("Throughput over time", "Delivered " + summary.throughputUnit()
            + (guarantee.isGiven()
                ? ", and what the schedule guarantees under any traffic, " + guarantee.formula() + "." : "."));
        if (drawn(plots.throughput(), "No slot was run.")) {
            final Intervals parts = plots.timeline(TIMELINE_ROWS);
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
    void overTime() {
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

    void latency() {
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

    void buffers() {
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
}
