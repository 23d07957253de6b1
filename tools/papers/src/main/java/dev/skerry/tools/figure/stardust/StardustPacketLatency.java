package dev.skerry.tools.figure.stardust;

import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** Latency of packets by their size in the single-tier system: Stardust §6.1.2 (docs/spec/stardust.md §10 row 7). */
public final class StardustPacketLatency {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-latency", "Section 6.1.2",
        "latency of packets by size, 1,152 ports", 2, 0.2, StardustPacketLatency::measure);

    private static final int[] BYTES = {64, 128, 256, 512, 1024, 1518};
    private static final int SEEDS = 5;
    private static final double LOAD = 0.9;
    private static final double LINK_NS = 500;
    /** From 2.8 to 3.5 us. */
    private static final double FLAT = 1.25;
    private static final String[] NAMES = {"minimum", "average", "maximum"};

    private StardustPacketLatency() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Sample[][] us = new Sample[NAMES.length][BYTES.length];
        double lost = 0;
        for (int i = 0; i < BYTES.length; i++) {
            final SinglePackets packets = new SinglePackets(BYTES[i], LOAD, LINK_NS, 1, ClassRules.STRICT);
            final Sample[] of = Sample.of(SEEDS, effort.turn(i, BYTES.length), seeded -> {
                final SinglePackets.Latencies latencies = packets.run(seeded.either(15, 60), seeded);
                return new double[] {latencies.us()[0], latencies.mean(), latencies.most(), latencies.lost()};
            });
            for (int value = 0; value < NAMES.length; value++) {
                us[value][i] = of[value];
                found.reported((value == 0 ? BYTES[i] + " B: " : "  ") + NAMES[value] + ", us", "", of[value]);
            }
            lost += Arrays.stream(of[NAMES.length].values()).sum();
        }
        final double[] least = Arrays.stream(us[0]).mapToDouble(Sample::mean).toArray();
        found.atMost("largest minimum over the smallest", "almost independent of size, 2.8 to 3.5 us", FLAT,
            DoubleStream.of(least).max().orElseThrow() / DoubleStream.of(least).min().orElseThrow());
        found.atLeast("average of 1,518 B over that of 256 B", "increases with size, 3.3 to 9.1 us", 1,
            us[1][BYTES.length - 1].over(us[1][2]));
        found.atLeast("maximum of 1,518 B over that of 256 B", "increases with size, 5.6 to 13.5 us", 1,
            us[2][BYTES.length - 1].over(us[2][2]));
        found.atMost("maximum of 256 B over that of 64 B", "decreases until the cell size", 1, us[2][2].over(us[2][0]));
        found.exactly("packets lost", 0, lost);
        final Plot plot = new Plot("latency", "Latency of packets, 1,152 ports", "packet size (B)",
            "latency (us)");
        final double[] x = Arrays.stream(BYTES).asDoubleStream().toArray();
        for (int value = 0; value < NAMES.length; value++) {
            Sample.draw(plot, NAMES[value], x, us[value]);
        }
        return found.add(plot).remark("Poisson arrivals at 0.9 of the line rate, 500 ns of each link and device: the "
            + "paper states neither, so that order and flatness are checked, not microseconds.");
    }
}
