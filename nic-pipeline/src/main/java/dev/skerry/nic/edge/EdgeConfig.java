package dev.skerry.nic.edge;

import dev.skerry.nic.packet.PacketFormat;
import dev.skerry.schedule.check.Bounds;

/**
 * Sizes and limits of a fabric's edges. Immutable.
 *
 * @param format         how packets lie in cells; its MTU holds for all ports.
 * @param bufferCells    most cells that the packets of one port occupy, from the port they entered by to the port they
 *                       leave by; a power of two, see {@link #leastBufferCells}.
 * @param stallNs        how long a port that is up may refuse every packet before its packets are dropped, in ns.
 * @param slotsPerSecond pace of the slots; 0 for as fast as possible.
 * @param whenFull       what happens to a packet whose destination has its share of the cells.
 * @param queueTargetNs  how long a packet should take at most where more come than can go, in ns; 0 for no target.
 * @param isMarking      whether IP packets that took longer are marked, see {@link PacketEgress.EcnMark}.
 * @param classes        which traffic class a packet is of.
 */
public record EdgeConfig(PacketFormat format, int bufferCells, long stallNs, double slotsPerSecond,
    WhenFull whenFull, long queueTargetNs, boolean isMarking, PacketClasses classes) {
    /** Default time, in ns, for which a port may refuse every packet. */
    public static final long STALL_NS = 200_000_000L;

    /** Default target of queues, in ns. */
    public static final long QUEUE_TARGET_NS = 1_000_000L;

    /** Upper bound of the cells of a port. */
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

    /** The same with slots as fast as they go. */
    public EdgeConfig unpaced() {
        return new EdgeConfig(format, bufferCells, stallNs, 0, whenFull, queueTargetNs, isMarking, classes);
    }

    /** Default cells of a port: twice the cells of an MTU packet that is flooded to all ports, and at least 4,096. */
    public static int usualBufferCells(final PacketFormat format, final int ports) {
        final long least = 2L * leastBufferCells(format, ports);
        return (int) Math.min(MOST_CELLS, Math.max(USUAL_CELLS, Long.highestOneBit(least - 1) << 1));
    }

    /** Fewest cells of a port with which an MTU packet can be flooded to all ports. */
    public static int leastBufferCells(final PacketFormat format, final int ports) {
        return format.cells(format.mtuBytes()) * Math.max(1, ports - 1);
    }

    /** What happens to a packet whose destination has its share of the cells of the source port (docs/spec/edge.md). */
    public enum WhenFull {
        /** It waits at its source, and the port is asked for no more packets of this destination: nothing is lost. */
        WAIT,
        /** It is dropped and counted at its source, by destination. */
        DROP
    }
}
