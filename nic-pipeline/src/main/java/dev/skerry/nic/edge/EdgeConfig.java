package dev.skerry.nic.edge;

import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.schedule.check.Bounds;

/**
 * Sizes and limits of a fabric's edges. Immutable.
 *
 * @param format         format of packets in cells; its MTU applies to all ports.
 * @param bufferCells    maximum number of cells that the packets of one port occupy, from their ingress port to their
 *                       egress port; a power of two, see {@link #leastBufferCells}.
 * @param stallNs        time in ns for which a port that is up may refuse every packet before its packets are dropped.
 * @param slotsPerSecond pace of the slots; 0 for as fast as possible.
 * @param whenFull       treatment of packets whose destination has used its share of the cells.
 * @param queueTargetNs  target for the maximum packet latency under congestion, in ns; 0 for no target.
 * @param isMarking      whether IP packets that took longer are marked, see {@link PacketEgress.EcnMark}.
 * @param classes        classification of packets into traffic classes.
 */
public record EdgeConfig(PacketFormat format, int bufferCells, long stallNs, double slotsPerSecond,
    WhenFull whenFull, long queueTargetNs, boolean isMarking, PacketClasses classes) {
    /** Default time, in ns, for which a port may refuse every packet. */
    public static final long STALL_NS = 200_000_000L;

    /** Default target of queues, in ns. */
    public static final long QUEUE_TARGET_NS = 1_000_000L;

    /** Maximum number of cells of a port. */
    public static final int MOST_CELLS = 1 << 20;

    private static final int USUAL_CELLS = 1 << 12;

    /** Checks every bound. */
    public EdgeConfig {
        Bounds.refuseIf(Integer.bitCount(bufferCells) != 1 || bufferCells < 1 || bufferCells > MOST_CELLS,
            "bufferCells must be a power of two up to ", MOST_CELLS, ": bufferCells=", bufferCells);
        Bounds.atLeast("stallNs", stallNs, 0);
        Bounds.atLeast("queueTargetNs", queueTargetNs, 0);
        Bounds.refuseIf(!(slotsPerSecond >= 0), "slotsPerSecond must be at least 0: slotsPerSecond=", slotsPerSecond);
    }

    /** This configuration without a pace: slots are as fast as possible. */
    public EdgeConfig unpaced() {
        return new EdgeConfig(format, bufferCells, stallNs, 0, whenFull, queueTargetNs, isMarking, classes);
    }

    /** Default number of cells of a port: twice the cells of an MTU packet flooded to all ports, and at least 4,096. */
    public static int usualBufferCells(final PacketFormat format, final int ports) {
        final long least = 2L * leastBufferCells(format, ports);
        return (int) Math.min(MOST_CELLS, Math.max(USUAL_CELLS, Long.highestOneBit(least - 1) << 1));
    }

    /** Minimum number of cells of a port that allows an MTU packet to be flooded to all ports. */
    public static int leastBufferCells(final PacketFormat format, final int ports) {
        return format.cells(format.mtuBytes()) * Math.max(1, ports - 1);
    }

    /** Treatment of packets whose destination has used its share of the source port's cells (docs/spec/edge.md). */
    public enum WhenFull {
        /**
         * The packet waits at its source, and the port is requested to hold back packets to this destination: nothing
         * is lost.
         */
        WAIT,
        /** The packet is dropped and counted at its source, by destination. */
        DROP
    }
}
