package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

/** Latency across the fabric at 95 % of its links: Stardust Figure 9 left (docs/spec/stardust.md §10 row 8). */
public final class StardustLatency {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig9-latency", "Figure 9 left",
        "latency of cells at 95 % load, 256 adapters, all to all", 9, 1.5, StardustLatency::measure);

    private static final double LOAD = 0.95;

    private StardustLatency() {
    }

    private static Findings measure(final Effort effort) {
        final int slots = effort.either(4_000, 24_000);
        final StardustQueues.Runs runs = StardustQueues.runs(LOAD, slots / 4, slots, effort);
        final SlotHistogram latency = runs.latency();
        final Findings found = new Findings();
        final Sample means = runs.of(StardustQueues.Run::meanLatency);
        found.reported("mean, slots", "36.3", means.mean()).spread("that", means);
        found.reported("99.99 %, slots", "105", StardustQueues.within(latency, 0.9999));
        found.reported("99.999 %, slots", "125", StardustQueues.within(latency, 0.99999));
        // In a short run the last hundred thousandth is one queue that happened to be long.
        found.atMost(effort.quick() ? "99.99 %, us" : "99.999 %, us", "bounded by 13", 11,
            us(StardustQueues.within(latency, effort.quick() ? 0.9999 : 0.99999)));
        found.atMost("longest, us", "12 to 14", 15, us(StardustQueues.within(latency, 1)));
        runs.addLosses(found);
        final Plot plot = QueuePlots.latency("95 % of the links in use");
        QueuePlots.addLatency(plot, "95 %", latency);
        QueuePlots.addPrinted(plot, latency);
        return found.add(plot).remark("us: slots of 256 B at 25 Gb/s, which the paper does not state; six of "
            + "them on each of four fibres; expected slots are those of an independent model (spec/stardust \u00a712) "
            + "and 24 of fibre. Other loads are in stardust-fig9-queues.");
    }

    private static double us(final double slots) {
        return slots * StardustQueues.SLOT_US;
    }
}
