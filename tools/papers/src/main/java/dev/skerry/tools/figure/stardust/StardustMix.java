package dev.skerry.tools.figure.stardust;

import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.CycleModel;

import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Mixes of packet sizes across the prototype by its clocks: Stardust Figure 8b (docs/spec/stardust.md §10 row 5). The
 * paper's traces are not public; these mixes have what it says of them, half of the packets or more below 256 bytes,
 * and only the order counts.
 */
public final class StardustMix {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-fig8b", "Figure 8b",
        "throughput of the prototype for mixes of packet sizes, cycle by cycle", 0.01, 0.01, StardustMix::measure);

    private static final double CLOCK_HZ = 150e6;
    private static final String[] NAMES = {"mostly short", "half short", "short and full"};
    private static final int[] BYTES = {65, 97, 129, 200, 576, 1024, 1514};
    /** By mix: the part of the packets that are of each size. */
    private static final double[][] PARTS = {{0.40, 0.20, 0.15, 0.10, 0.05, 0.04, 0.06},
        {0.15, 0.15, 0.10, 0.10, 0.20, 0.15, 0.15}, {0.30, 0.15, 0.10, 0, 0, 0, 0.45}};

    private StardustMix() {
    }

    private static Findings measure(final Effort effort) {
        final CycleModel model = CycleModel.prototype(CLOCK_HZ);
        final Findings found = new Findings();
        final double[][] shares = new double[StardustPrototype.DESIGNS.length][NAMES.length];
        for (int mix = 0; mix < NAMES.length; mix++) {
            final double packed = share(model, PARTS[mix], CycleModel::packedClocks);
            shares[0][mix] = packed;
            shares[1][mix] = share(model, PARTS[mix], CycleModel::referenceClocks);
            shares[2][mix] = share(model, PARTS[mix], CycleModel::unpackedClocks);
            found.atLeast(NAMES[mix] + ": packed over reference switch", "1 at least", 1,
                packed / shares[1][mix]);
            found.atLeast("  over NDP switch", "1 at least", 1,
                packed / share(model, PARTS[mix], CycleModel::ndpClocks));
            found.atLeast("  over unpacked cells", "1 at least", 1, packed / shares[2][mix]);
            found.reported("  packed, share of the line rate", "", packed);
        }
        return found.add(plot(shares)).remark("Mixes of our own in place of the traces of databases, web servers "
            + "and Hadoop.");
    }

    /** By design, then mix. */
    private static Plot plot(final double[][] shares) {
        final Plot plot = new Plot("share", "Throughput of mixes of packet sizes at 150 MHz", "mix of packet sizes",
            List.of(NAMES), "share of the line rate", Plot.Scale.LINEAR);
        final double[] x = IntStream.range(0, NAMES.length).asDoubleStream().toArray();
        for (int design = 0; design < shares.length; design++) {
            plot.add(StardustPrototype.DESIGNS[design], Plot.Style.BARS, x, shares[design]);
        }
        return plot;
    }

    /** What a mix gets of the line rate: its time on the line over that on the bus, 1 at most. */
    private static double share(final CycleModel model, final double[] parts,
        final IntToDoubleFunction clocks) {
        double line = 0;
        double bus = 0;
        for (int i = 0; i < parts.length; i++) {
            line += parts[i] / model.linePackets(BYTES[i]);
            bus += parts[i] * clocks.applyAsDouble(BYTES[i]) / CLOCK_HZ;
        }
        return Math.min(1, line / bus);
    }
}
