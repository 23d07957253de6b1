package dev.skerry.tools.compare;

import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.report.RunResult;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The plots of a comparison: a line for each fabric, in units that they share. */
final class ComparisonPlots {
    private static final int TIMELINE_POINTS = 300;
    private static final long SHORT = 16 << 10;
    private static final long LONG = 256 << 10;

    private final List<Contender> contenders;

    ComparisonPlots(final List<Contender> contenders) {
        this.contenders = contenders;
    }

    /** All of them. */
    List<Plot> all() {
        final List<Plot> plots = new ArrayList<>(List.of(throughput()));
        plots.addAll(completion());
        plots.addAll(List.of(queues(), reordering()));
        return plots;
    }

    /** Payload delivered over time. */
    Plot throughput() {
        final Plot plot = new Plot("throughput", "Throughput over time", "time in us", "Gb/s of payload a node");
        for (final Contender contender : contenders) {
            final RunResult.Timeline timeline = contender.summary().result().timeline();
            final int merge = Math.max(1, Math.ceilDiv(timeline.delivered().length, TIMELINE_POINTS));
            final int count = timeline.delivered().length / merge;
            final double intervalNs = merge * timeline.intervalSlots() * contender.terms().slotNs();
            final double[] x = new double[count + 1];
            final double[] y = new double[count + 1];
            for (int i = 0; i < count; i++) {
                long cells = 0;
                for (int j = i * merge; j < (i + 1) * merge; j++) {
                    cells += timeline.delivered()[j];
                }
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

    /** Completion times of short, medium and long flows. */
    List<Plot> completion() {
        final List<Plot> plots = new ArrayList<>();
        addCompletion(plots, "fct-short", "Flows under 16k bytes", 0, SHORT);
        addCompletion(plots, "fct-medium", "Flows of 16k to 256k bytes", SHORT, LONG);
        addCompletion(plots, "fct-long", "Flows of 256k bytes and more", LONG, Long.MAX_VALUE);
        return plots;
    }

    private void addCompletion(final List<Plot> plots, final String id, final String title, final long from,
        final long to) {
        final Plot plot = new Plot(id, title + ": the share that took longer", "completion time in us",
            Scale.LOGARITHMIC, "share of flows above", Scale.LOGARITHMIC);
        for (final Contender contender : contenders) {
            final double[] sorted = contender.completionUs(from, to);
            if (sorted.length > 0) {
                plot.addTail(contender.name(), sorted, sorted.length + contender.unfinished(from, to));
            }
        }
        if (!plot.lines().isEmpty()) {
            plots.add(plot);
        }
    }

    /** Longest queues of the nodes. */
    Plot queues() {
        final Plot plot = new Plot("queues", "Longest queue of a node: distribution over the nodes",
            "longest queue of a node, bytes of cells", "share of nodes");
        for (final Contender contender : contenders) {
            final double[] bytes = Arrays.stream(contender.summary().result().nodes().queueLength())
                .mapToDouble(cells -> (double) cells * contender.terms().cellBytes()).sorted().toArray();
            cumulative(plot, contender.name(), bytes);
        }
        return plot;
    }

    /** What was lost of the order. */
    Plot reordering() {
        final double[] x = new double[contenders.size()];
        Arrays.setAll(x, i -> i);
        return new Plot("reordering", "Reordering at most", "fabric", contenders.stream().map(Contender::name).toList(),
            "cells", Scale.LINEAR).add("at most", Style.BARS, x,
            contenders.stream().mapToDouble(contender -> contender.totals().maxReorderCells()).toArray());
    }

    private static void cumulative(final Plot plot, final String name, final double[] sorted) {
        if (sorted.length > 0) {
            final double[] x = new double[sorted.length + 1];
            final double[] y = new double[sorted.length + 1];
            x[0] = sorted[0];
            for (int i = 0; i < sorted.length; i++) {
                x[i + 1] = sorted[i];
                y[i + 1] = (i + 1.0) / sorted.length;
            }
            plot.add(name, Style.STEPS, x, y);
        }
    }
}
