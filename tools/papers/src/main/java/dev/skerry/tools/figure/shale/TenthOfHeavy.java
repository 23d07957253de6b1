package dev.skerry.tools.figure.shale;

import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.SizeDistribution;

/**
 * The heavy-tailed sizes with all that is beyond {@value #FROM} packets divided by ten: short flows are as in the
 * paper, the longest has 101 MB, and a run a tenth as long sees as many flows. Immutable; any thread may call.
 */
final class TenthOfHeavy implements FlowSizes {
    /** Packets up to which sizes are the paper's. */
    private static final int FROM = 2107;
    private static final int TENTH = 10;
    private static final int STEPS = 1 << 16;

    @Override
    public long bytes(final double uniform) {
        final long packets = SizeDistribution.HEAVY.packets(uniform);
        return SizeDistribution.PACKET_BYTES * (packets <= FROM ? packets : FROM + (packets - FROM) / TENTH);
    }

    @Override
    public double meanCells(final int payloadBytes) {
        double sum = 0;
        for (int step = 0; step < STEPS; step++) {
            sum += Math.ceilDiv(bytes((step + 0.5) / STEPS), payloadBytes);
        }
        return sum / STEPS;
    }
}
