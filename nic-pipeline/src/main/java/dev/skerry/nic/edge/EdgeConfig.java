package dev.skerry.nic.edge;

import dev.skerry.nic.packet.PacketFormat;

/**
 * What edges are made for. Immutable.
 *
 * @param format         how packets lie in cells; its MTU is that of all ports.
 * @param bufferCells    cells that the packets of a port may take up in the fabric at once, from being taken from the
 *                       port to being handed to another; a power of two, see {@link #leastBufferCells}.
 * @param stallNs        how long a port that is up may take no packet before those for it are dropped.
 * @param slotsPerSecond how fast slots go by, 0 for as fast as they can.
 */
public record EdgeConfig(PacketFormat format, int bufferCells, long stallNs, double slotsPerSecond) {
    /** Usual patience with a port that takes no packet. */
    public static final long STALL_NS = 200_000_000L;

    /** Most cells of a port. */
    public static final int MOST_CELLS = 1 << 20;

    private static final int USUAL_CELLS = 1 << 12;

    /** Checks every bound. */
    public EdgeConfig {
        if (Integer.bitCount(bufferCells) != 1 || bufferCells < 1 || bufferCells > MOST_CELLS) {
            throw new IllegalArgumentException("bufferCells must be a power of two up to " + MOST_CELLS
                + ": bufferCells=" + bufferCells);
        }
        if (stallNs < 0) {
            throw new IllegalArgumentException("stallNs must be at least 0: stallNs=" + stallNs);
        }
        if (!(slotsPerSecond >= 0)) {
            throw new IllegalArgumentException("slotsPerSecond must be at least 0: slotsPerSecond=" + slotsPerSecond);
        }
    }

    /** The cells that suffice for a packet of any length, flooded to all ports: at least twice that, and 4,096. */
    public static int usualBufferCells(final PacketFormat format, final int ports) {
        final long least = 2L * leastBufferCells(format, ports);
        return (int) Math.min(MOST_CELLS, Math.max(USUAL_CELLS, Long.highestOneBit(least - 1) << 1));
    }

    /** The fewest cells with which a packet of any length can be flooded. */
    public static int leastBufferCells(final PacketFormat format, final int ports) {
        return format.cells(format.mtuBytes()) * Math.max(1, ports - 1);
    }
}
