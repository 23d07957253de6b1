package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;

import java.util.ArrayList;
import java.util.List;

/** Latency against throughput by the number of phases: Shale Figure 1 (docs/spec/shale.md §10.3). */
public final class ShaleTradeoff implements Figure {
    private static final double NODES = 100_000;
    private static final double SLOT_US = 5.632e-3;
    private static final int PHASES = 8;
    private static final double[] SLOTS = {199_998, 1_261, 273, 134};
    private static final double[] US = {1126, 7.10, 1.53, 0.756};
    private static final double[] THROUGHPUT = {0.5, 0.25, 0.167, 0.125};

    @Override
    public About about() {
        return new About("shale-fig1", "Shale", "Figure 1", "guaranteed throughput and latency by h, 100000 nodes",
            0.01, 0.01);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        for (int h = 1; h <= SLOTS.length; h++) {
            found.within("h = " + h + ": intrinsic latency, slots", SLOTS[h - 1], 1, slots(h));
            found.near("  us", US[h - 1], 0.005, slots(h) * SLOT_US);
            found.within("  throughput, cells per node and slot", THROUGHPUT[h - 1], 0.0005, 0.5 / h);
        }
        final List<double[]> points = new ArrayList<>();
        for (int h = PHASES; h >= 1; h--) {
            points.add(new double[] {0.5 / h, slots(h) * SLOT_US});
        }
        return found.add(new Plot("tradeoff", "Intrinsic latency by guaranteed throughput, h = 8 to 1",
            "cells per node and slot", Plot.Scale.LINEAR, "us", Plot.Scale.LOGARITHMIC)
            .add("Shale", Plot.Style.DOTS, points.stream().mapToDouble(p -> p[0]).toArray(),
                points.stream().mapToDouble(p -> p[1]).toArray()))
            .remark("Real roots of N as in the figure: 2h(N^(1/h) - 1) slots.");
    }

    private static double slots(final int phases) {
        return 2 * phases * (Math.pow(NODES, 1.0 / phases) - 1);
    }
}
