package dev.skerry.tools.figure.shale;

import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Check;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Mechanisms under the short-flow workload: Shale Figures 10, 14 and 15 (docs/spec/shale.md §10.3); in short at 256
 * nodes, with what the authors' simulator has there (§10.4).
 */
public final class ShaleShortFlows implements Figure {
    private static final MechanismSet[] CONTROLS = {Mechanisms.NONE, Mechanisms.SPRAY_SHORT,
        Mechanisms.HBH, Mechanisms.HBH_SPRAY};
    private static final int BEST = 3;
    /** By phases (2, 4), then mechanism, of the simulator: 99.9 % of flows under 4 kB, and most cells of a node. */
    private static final double[][] TAIL = {{1610, 1040, 271, 104}, {985, 590, 239, 134}};
    private static final int[][] HELD = {{2419, 1238, 157, 81}, {4381, 2280, 70, 59}};
    private static final double NEAR_LOAD = 0.025;

    @Override
    public About about() {
        return new About("shale-fig10", "Shale", "Figures 10, 14, 15",
            "completion times and buffers by mechanism, short flows", 500, 2);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final Findings found = new Findings();
        final List<Plot> plots = new ArrayList<>();
        for (int i = 0; i < TAIL.length; i++) {
            final int phases = 2 * (i + 1);
            final Plot plot = new Plot("fct-h" + phases, "99.9 % of the flows, h = " + phases, "flow size in bytes",
                bins(), "normalised completion time", Plot.Scale.LOGARITHMIC);
            final ShaleRuns.Loaded[] runs = new ShaleRuns.Loaded[CONTROLS.length];
            for (int m = 0; m < CONTROLS.length; m++) {
                final double share = (m + i * CONTROLS.length) / (2.0 * CONTROLS.length);
                runs[m] = run(phases, CONTROLS[m], effort, progress.part(share, share + 0.5 / CONTROLS.length));
                add(found, phases, m, runs[m], effort);
                final double[] tail = runs[m].summary().bins().stream().mapToDouble(SizeBin::p999).toArray();
                final double[] x = new double[tail.length];
                Arrays.setAll(x, n -> n);
                plot.add(CONTROLS[m].label(), Plot.Style.DOTS, x, tail);
            }
            order(found, phases, runs);
            plots.add(plot);
        }
        plots.forEach(found::add);
        return found.remark(effort.quick() ? "256 nodes: expected numbers are one run of the authors' simulator on "
            + "another draw of the flows." : "Priority, ISD and NDP of the figure are not in Skerry.");
    }

    private static List<String> bins() {
        return List.of("0-4k", "4-16k", "16-64k", "64-256k", "256k-1M", "1-4M");
    }

    private static ShaleRuns.Loaded run(final int phases, final MechanismSet control, final Effort effort,
        final FigureProgress progress) {
        final int radix = effort.quick() ? phases == 2 ? 16 : 4 : phases == 2 ? 100 : 10;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, 0, control, 1, delay, effort.seed());
        final int slots = effort.either(300_000, 2_000_000);
        return ShaleRuns.loaded(shale, SizeDistribution.SHORT, slots, effort.either(320_000, slots), effort, progress);
    }

    private static void add(final Findings found, final int phases, final int mechanism, final ShaleRuns.Loaded run,
        final Effort effort) {
        final int row = phases / 2 - 1;
        final String of = "h = " + phases + ", " + CONTROLS[mechanism].label() + ": ";
        found.reported(of + "99.9 % of flows under 4 kB", effort.quick()
            ? Check.text(TAIL[row][mechanism]) : "", run.small().p999());
        found.reported("  most cells at a node", effort.quick() ? Integer.toString(HELD[row][mechanism]) : "",
            run.mostHeld());
        if (effort.quick()) {
            found.reported("  delivered over offered, second half", "1", run.late() / run.offered());
        } else {
            found.within("  delivered over offered, second half", 1, NEAR_LOAD, run.late() / run.offered());
        }
    }

    private static void order(final Findings found, final int phases, final ShaleRuns.Loaded[] runs) {
        final String of = "h = " + phases + ", ";
        double tail = Double.POSITIVE_INFINITY;
        int held = Integer.MAX_VALUE;
        for (int m = 0; m < BEST; m++) {
            tail = Math.min(tail, runs[m].small().p999());
            held = Math.min(held, runs[m].mostHeld());
        }
        found.atMost(of + "hbh+spray over the best of the others, 99.9 % under 4 kB", "the best", 1,
            runs[BEST].small().p999() / tail);
        found.atMost("  the same, most cells at a node", "the best", 1, (double) runs[BEST].mostHeld() / held);
        found.atMost("  spray-short over none, mean under 4 kB", "very effective", 1,
            runs[1].small().mean() / runs[0].small().mean());
        found.atMost("  hbh over none, longest queue", "limited", 1,
            (double) runs[2].longestQueue() / runs[0].longestQueue());
    }
}
