package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;

/**
 * The class that is sent without waiting for credits, beside the same packets with credits: Stardust §5.6
 * (docs/spec/stardust.md §3.7).
 */
public final class StardustLowLatency {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-low-latency", "Section 5.6",
        "latency of packets that wait for no credit", 0.5, 0.2, StardustLowLatency::measure);

    private static final int SEEDS = 5;
    private static final int BYTES = 256;
    /** Sparse, as the class is bounded: half of the packets are of it. */
    private static final double LOAD = 0.05;
    /** A request and a credit cross two links each. */
    private static final double LINK_NS = 250;
    private static final double SHARE = 0.5;

    private StardustLowLatency() {
    }

    private static Findings measure(final Effort effort) {
        final Sample[] waiting = latency(ClassRules.STRICT, effort.part(0, 0.5));
        final Sample[] atOnce = latency(ClassRules.STRICT.withLowLatency(SHARE), effort.part(0.5, 1));
        return new Findings()
            .reported("with credits: median, us", "", waiting[0])
            .reported("  average, us", "", waiting[1])
            .reported("low-latency: median, us", "", atOnce[0])
            .reported("  average, us", "", atOnce[1])
            .between("what a credit takes, median, us", "about a microsecond", 0.8, 2,
                waiting[0].mean() - atOnce[0].mean())
            .between("  average, us", "about a microsecond", 0.8, 2, waiting[1].mean() - atOnce[1].mean())
            .exactly("packets lost", 0, waiting[2].mean() + atOnce[2].mean())
            .remark("250 ns of each link and device: a request there and a credit back take four of them.");
    }

    private static Sample[] latency(final ClassRules rules, final Effort effort) {
        final SinglePackets packets = new SinglePackets(BYTES, LOAD, LINK_NS, 2, rules);
        return Sample.of(SEEDS, effort, seeded -> {
            final SinglePackets.Latencies latencies = packets.run(seeded.either(50, 200), seeded);
            return new double[] {latencies.us()[latencies.us().length / 2], latencies.mean(), latencies.lost()};
        });
    }
}
