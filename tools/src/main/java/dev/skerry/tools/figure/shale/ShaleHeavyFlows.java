package dev.skerry.tools.figure.shale;

import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.traffic.SizeDistribution;

import java.util.Arrays;
import java.util.List;

/**
 * The heavy-tailed workload at h = 4, with and without hop-by-hop: Shale Figures 11 and 16 (docs/spec/shale.md §10.3).
 */
public final class ShaleHeavyFlows implements Figure {
    private static final MechanismSet[] CONTROLS = {Mechanisms.NONE, Mechanisms.HBH,
        Mechanisms.HBH_SPRAY};
    private static final int PHASES = 4;
    private static final double TAIL = 24;
    private static final int HELD = 100;

    @Override
    public About about() {
        return new About("shale-fig11", "Shale", "Figures 11, 16", "short flows among heavy ones, h = 4", 900, 5);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int radix = effort.either(6, 10);
        final int slots = effort.either(300_000, 5_000_000);
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(PHASES, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final ShaleRuns.Loaded[] runs = new ShaleRuns.Loaded[CONTROLS.length];
        final Plot plot = new Plot("fct", "99.9 % of the flows", "flow size in bytes", List.of("0-4k", "4-16k",
            "16-64k", "64-256k", "256k-1M", "1-4M", "4-16M", "16-64M", "64-256M", "256M-1G"),
            "normalised completion time", Plot.Scale.LOGARITHMIC);
        for (int m = 0; m < CONTROLS.length; m++) {
            final Shale shale = ShaleRuns.fabric(PHASES, radix, 0, CONTROLS[m], 1, delay, effort.seed());
            runs[m] = ShaleRuns.loaded(shale, SizeDistribution.HEAVY, slots, slots, effort,
                progress.turn(m, CONTROLS.length));
            final double[] tail = runs[m].summary().bins().stream().mapToDouble(SizeBin::p999).toArray();
            final double[] x = new double[tail.length];
            Arrays.setAll(x, n -> n);
            plot.add(CONTROLS[m].label(), Plot.Style.DOTS, x, tail);
        }
        return findings(runs, effort).add(plot);
    }

    private static Findings findings(final ShaleRuns.Loaded[] runs, final Effort effort) {
        final ShaleRuns.Loaded none = runs[0];
        final ShaleRuns.Loaded best = runs[2];
        final Findings found = new Findings();
        for (int m = 0; m < CONTROLS.length - 1; m++) {
            found.reported(CONTROLS[m].label() + ": 99.9 % of flows under 4 kB", "", runs[m].small().p999());
        }
        found.atMost("hbh+spray: 99.9 % of flows under 4 kB", "< 24, within 3x of 2h = 8", TAIL, best.small().p999());
        found.atMost("hbh+spray: cells of a node, 99.99 % of the nodes", "< 100", HELD - 1,
            best.summary().bufferOccupancy().quantile(0.9999));
        found.atLeast("none over hbh: 99.9 % of flows under 4 kB", "2 to 3 orders", effort.quick() ? 10 : 100,
            none.small().p999() / runs[1].small().p999());
        return found.remark(effort.quick() ? "1,296 nodes and 300,000 slots: too few for the largest flows."
            : "5 M slots where the paper has 50 M: the largest flows do not end.");
    }
}
