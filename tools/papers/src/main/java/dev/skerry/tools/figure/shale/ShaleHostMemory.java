package dev.skerry.tools.figure.shale;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.Figure13Maxima;
import dev.skerry.tools.resources.MeasuredHost;
import dev.skerry.tools.resources.ShaleMemory;

import java.util.List;

/**
 * Memory on the chip of an end host for twice what runs held at most, beside that of Shoal: Shale §4.3, Figure 7
 * (docs/spec/shale.md §9.5).
 */
public final class ShaleHostMemory {
    /** The figure. */
    public static final Figure FIGURE = new Figure("shale-fig7", "Figure 7",
        "memory on the chip of an end host, for twice the maxima of runs of 4,096 and 10,000 nodes", 0.01, 0.01,
        ShaleHostMemory::measure);

    private static final double BITS_PER_MEGABYTE = 8e6;
    /** Orders of magnitude: two at least. */
    private static final double ORDERS = 100;

    private ShaleHostMemory() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = new Plot("memory", "On-chip memory of an end host", "nodes", Plot.Scale.LOGARITHMIC,
            "on-chip memory (MB)",
            Plot.Scale.LOGARITHMIC);
        for (int phases = 2; phases <= 4; phases += 2) {
            final int h = phases;
            final List<ShaleMemory> hosts = Figure13Maxima.ALL.stream().map(MeasuredHost::memory)
                .filter(host -> host.phases() == h).toList();
            for (final ShaleMemory host : hosts) {
                found.reported("h = " + h + ", " + host.nodes() + " nodes: MB on the chip", "",
                    host.onChipBits() / BITS_PER_MEGABYTE);
                found.atLeast("  Shoal's over it", "orders of magnitude", ORDERS,
                    (double) ShaleMemory.shoalBits(host.nodes()) / host.onChipBits());
                found.atLeast("  cells of a store without sharing over those of active buckets", "dramatically reduced",
                    ORDERS, (double) host.naiveCells() / host.activeCells());
            }
            final double[] x = hosts.stream().mapToDouble(ShaleMemory::nodes).toArray();
            if (h == 2) {
                plot.add("Shoal", Plot.Style.DOTS, x, hosts.stream()
                    .mapToDouble(host -> ShaleMemory.shoalBits(host.nodes()) / BITS_PER_MEGABYTE).toArray());
            }
            plot.add("Shale, h = " + h, Plot.Style.DOTS, x,
                hosts.stream().mapToDouble(host -> host.onChipBits() / BITS_PER_MEGABYTE).toArray());
        }
        return found.add(plot).remark("Maxima of runs of 2026-11-23, 20,000 to 40,000 slots from an empty fabric "
            + "(bench/results/2026-11-23-shale-limits.md); widths of fields are ours, the paper prints none.");
    }
}
