package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker;
import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.resources.Parallelism;

import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What packing saves: Stardust Figure 3 (docs/spec/stardust.md §9, §10 row 2), by the formulas and by counting the
 * cells of the packer, with Appendix B (row 19) and the waste of unpacked cells (§3.4, row 21).
 */
public final class StardustPacking {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-packing", "Figure 3, Appendix B, section 3.4",
        "pipelines that packets need, packed into cells or not", 0.01, 0.01, StardustPacking::measure);

    private static final int[] BYTES = {64, 513, 1025};
    private static final double[] GAIN = {4.000, 1.412, 1.176};
    private static final double[] PIPELINES = {4.762, 6.379, 6.507};
    private static final int WASTED = 257;
    private static final int PACKETS = 100_000;
    /** Packets in cells that are a credit's: 4096 bytes and the rest of the last packet. */
    private static final int CREDIT_PACKETS = Math.ceilDiv(Parallelism.CREDIT_BYTES, WASTED);

    private StardustPacking() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Parallelism device = Parallelism.PAPER;
        for (int i = 0; i < BYTES.length; i++) {
            found.within("gain, packets of " + BYTES[i] + " B", GAIN[i], 0.001, device.gain(BYTES[i]));
            found.within("the same by the packer's cells", GAIN[i], 0.001, byCells(BYTES[i]));
            found.within("pipelines with packing, " + BYTES[i] + " B", PIPELINES[i], 0.001,
                device.packedOnBus(BYTES[i]));
        }
        found.within("pipelines, 64 B, gaps of 20 B", 19.047, 0.001, device.pipelines(64));
        found.within("pipelines, 256 B, gaps of 8 B (the paper says 20)", 6.06, 0.001,
            new Parallelism(12.8e12, 8, 1e9, 1).pipelines(256));
        found.within("pipelines, 256 B, gaps of 20 B", 5.797, 0.001, device.pipelines(256));
        found.within("cells times 256 over bytes, 257 B, unpacked", 1.99, 0.005, waste(Packing.NONE));
        found.within("the same packed a credit at a time", 1.058, 0.005, waste(Packing.CONTINUOUS));
        return found.add(plot());
    }

    /** Bus words of single packets over those of the packets of a credit, by what the packer makes of them. */
    private static double byCells(final int bytes) {
        final long packets = Math.ceilDiv(Parallelism.CREDIT_BYTES, bytes);
        return (double) cells(Packing.NONE, bytes, packets) / cells(Packing.CONTINUOUS, bytes, packets);
    }

    private static long cells(final Packing packing, final int bytes, final long packets) {
        return CellPacker.cellsOf(packing, Parallelism.BUS_BYTES, bytes, packets, false);
    }

    /** Bytes of cells over bytes of packets. */
    private static double waste(final Packing packing) {
        final long each = packing == Packing.NONE ? PACKETS : CREDIT_PACKETS;
        return (double) Parallelism.BUS_BYTES * cells(packing, WASTED, each) / ((double) each * WASTED);
    }

    private static Plot plot() {
        return new Plot("pipelines", "Pipelines of a device of 12.8 Tb/s at 1 GHz", "packet size (B)",
            "pipelines in parallel")
            .add("standard switch", Plot.Style.LINE, sizes(b -> b), sizes(Parallelism.PAPER::switchOnBus))
            .add("Stardust Fabric Element", Plot.Style.LINE, sizes(b -> b), sizes(Parallelism.PAPER::packedOnBus));
    }

    private static double[] sizes(final IntToDoubleFunction value) {
        return IntStream.rangeClosed(64, 1500).mapToDouble(value).toArray();
    }
}
