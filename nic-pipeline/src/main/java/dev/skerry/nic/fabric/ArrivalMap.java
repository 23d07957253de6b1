package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;

/**
 * The circuits from the receivers' point of view: the place on the link of the cell that each node receives in a slot.
 * In lock step it is derived from the schedule; with threads, from the circuit switches. A stage processes a block of
 * nodes per call, so the virtual call is not on the path of a cell. One object per bank; one thread.
 */
public interface ArrivalMap {
    /** Place of a node that is connected to no node and receives nothing. */
    long DARK = -1;

    /**
     * Looks up a block of nodes.
     *
     * @param sent    the slot in which the cells were sent.
     * @param channel 0 to channels - 1.
     * @param firstId id of the first node of the block.
     * @param count   nodes of the block.
     * @param places  out, [0, count): place of each node's cell, an offset of the {@code InFlightCells}, or
     *                {@link #DARK}.
     */
    void arrivals(long sent, int channel, int firstId, int count, long[] places);

    /**
     * Reads the cells that a block of nodes receives. No node of the block may have an empty slot.
     *
     * @param sent    the slot in which the cells were sent.
     * @param channel 0 to channels - 1.
     * @param firstId id of the first node of the block.
     * @param count   nodes of the block.
     * @param into    out: its columns [0, count) are filled.
     */
    default void read(final long sent, final int channel, final int firstId, final int count, final Received into) {
        arrivals(sent, channel, firstId, count, into.place);
        into.link.read(into.place, count, into.route, into.cell, into.feedback);
    }

    /**
     * Cells received by nodes, in columns with one entry per node of a block.
     *
     * @param link     the in-flight cells from which the columns are read.
     * @param place    offset of the cell on the link.
     * @param route    route word.
     * @param cell     cell word; undefined if no cell arrived.
     * @param feedback feedback word.
     */
    record Received(InFlightCells link, long[] place, long[] route, long[] cell, long[] feedback) {
        /** Allocates columns for a number of nodes. */
        public Received(final InFlightCells link, final int nodes) {
            this(link, new long[nodes], new long[nodes], new long[nodes], new long[nodes]);
        }
    }
}
