package dev.skerry.tools.figure.shale;

import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;
import dev.skerry.tools.traffic.SizeDistribution;

/** What grows with the fabric: Shale Figure 13, r^4 nodes, short flows, hbh+spray (docs/spec/shale.md §10.3). */
public final class ShaleScale implements Figure {
    private static final int[] WHOLE = {8, 10, 12, 15};
    private static final int[] QUICK = {4, 6};

    @Override
    public About about() {
        return new About("shale-fig13", "Shale", "Figure 13", "active buckets, queues and tail from 4,096 to 50,625 "
            + "nodes", 700, 1.5);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int[] roots = effort.quick() ? QUICK : WHOLE;
        final Findings found = new Findings();
        final Plot plot = new Plot("buckets", "Most active buckets of a node", "nodes", Plot.Scale.LOGARITHMIC,
            "active buckets", Plot.Scale.LINEAR);
        for (int phases = 2; phases <= 4; phases += 2) {
            final double from = phases == 2 ? 0 : 0.5;
            final ShaleRuns.Loaded[] runs = new ShaleRuns.Loaded[roots.length];
            final double[] x = new double[roots.length];
            final double[] y = new double[roots.length];
            for (int i = 0; i < roots.length; i++) {
                runs[i] = run(phases, roots[i], effort, progress.part(from + 0.5 * i / roots.length,
                    from + 0.5 * (i + 1) / roots.length));
                x[i] = Math.pow(roots[i], 4);
                y[i] = runs[i].summary().result().totals().maxActiveBuckets();
                found.reported("h = " + phases + ", " + (int) x[i] + " nodes: active buckets", "", y[i]);
                found.reported("  longest queue, cells", "", runs[i].longestQueue());
                found.reported("  99.9 % of all flows, normalised", "", runs[i].summary().allFlows().p999());
            }
            growth(found, phases, runs[0], runs[roots.length - 1], effort);
            plot.add("h = " + phases, Plot.Style.DOTS, x, y);
        }
        return found.add(plot);
    }

    private static ShaleRuns.Loaded run(final int phases, final int root, final Effort effort,
        final FigureProgress progress) {
        final int radix = phases == 2 ? root * root : root;
        final int delay = effort.quick() ? ShaleRuns.scaledPropagation(phases, radix) : ShaleRuns.PROPAGATION_SLOTS;
        final Shale shale = ShaleRuns.fabric(phases, radix, 0, Mechanisms.HBH_SPRAY, 1, delay, effort.seed());
        final int slots = effort.either(60_000, 300_000);
        return ShaleRuns.loaded(shale, SizeDistribution.SHORT, slots, slots, effort, progress);
    }

    private static void growth(final Findings found, final int phases, final ShaleRuns.Loaded first,
        final ShaleRuns.Loaded last, final Effort effort) {
        final double buckets = (double) last.summary().result().totals().maxActiveBuckets()
            / first.summary().result().totals().maxActiveBuckets();
        final double queue = (double) last.longestQueue() / first.longestQueue();
        final double tail = last.summary().allFlows().p999() / first.summary().allFlows().p999();
        if (effort.quick()) {
            // Authors' simulator, 256 to 1,296 nodes (docs/spec/shale.md §10.4): 81 to 199, 22 to 44; 73 to 127, 11 to
            // 13.
            found.reported("  active buckets grow by", phases == 2 ? "2.46" : "1.74", buckets);
            found.reported("  longest queue grows by", phases == 2 ? "2" : "1.18", queue);
        } else if (phases == 2) {
            found.near("  active buckets grow by", 2.5, 0.2, buckets);
            found.atMost("  longest queue grows by", "a plateau", 1.25, queue);
            found.atMost("  99.9 % of all flows grows by", "2", 2, tail);
        } else {
            found.atMost("  active buckets grow by", "nearly flat", 1.25, buckets);
            found.atMost("  longest queue grows by", "1.5", 1.6, queue);
            found.atMost("  99.9 % of all flows grows by", "flat", 1.25, tail);
        }
        if (effort.quick() && phases == 4) {
            found.atMost("  longest queue grows less than nodes: by", "1.18", 2, queue);
        }
    }
}
