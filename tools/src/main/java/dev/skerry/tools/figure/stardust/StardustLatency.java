package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.About;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.FigureProgress;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.report.Plot;

import java.util.ArrayList;
import java.util.List;

/** Latency across the fabric at 95 % of its links: Stardust Figure 9 left (docs/spec/stardust.md §10 row 8). */
public final class StardustLatency implements Figure {
    private static final double LOAD = 0.95;

    @Override
    public About about() {
        return new About("stardust-fig9-latency", "Stardust", "Figure 9 left",
            "latency of cells at 95 % load, 256 adapters, all to all", 25, 1);
    }

    @Override
    public Findings measure(final Effort effort, final FigureProgress progress) {
        final int slots = effort.either(4_000, 100_000);
        final StardustQueues.Run run = StardustQueues.run(LOAD, slots / 4, slots, effort, progress);
        final Findings found = new Findings();
        found.reported("mean, slots", "12.3", run.meanLatency());
        found.reported("99.99 %, slots", "81", run.latency(0.9999));
        found.reported("99.999 %, slots", "101", run.latency(0.99999));
        // In a short run the last hundred thousandth is one queue that happened to be long.
        found.atMost(effort.quick() ? "99.99 %, us" : "99.999 %, us", "bounded by 13", 11,
            us(run.latency(effort.quick() ? 0.9999 : 0.99999)));
        found.atMost("longest, us", "12 to 14", 15, us(run.latency(1)));
        found.exactly("cells dropped", 0, run.dropped());
        return found.add(plot(run)).remark("us: slots of 256 B at 25 Gb/s, which the paper does not state, and 2 us of "
            + "fibre; expected slots are those of an independent model (spec/stardust \u00a712).");
    }

    private static double us(final double slots) {
        return slots * StardustQueues.SLOT_US + StardustQueues.FIBRES_US;
    }

    private static Plot plot(final StardustQueues.Run run) {
        final List<double[]> points = new ArrayList<>();
        final long[] sum = {0};
        run.latency().forEach((slots, count) -> {
            sum[0] += count;
            points.add(new double[] {us(slots), sum[0]});
        });
        return new Plot("latency", "Latency of cells at 95 % load", "us", Plot.Scale.LINEAR, "share of cells beyond",
            Plot.Scale.LOGARITHMIC)
            .add("cells", Plot.Style.LINE, points.stream().mapToDouble(p -> p[0]).toArray(),
                points.stream().mapToDouble(p -> p[1] == sum[0] ? Double.NaN : 1 - p[1] / sum[0]).toArray());
    }
}
