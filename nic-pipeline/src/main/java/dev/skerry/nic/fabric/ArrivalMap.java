package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;

/**
 * The circuits as receiving NICs see them: where on the link the cell lies that each node receives in a slot. In lock
 * step that is arithmetic on the schedule; with threads it is what the circuit switches handed out. A stage asks for a
 * block of nodes at a time, so the choice costs nothing on the path. One for each bank; one thread.
 */
public interface ArrivalMap {
    /** Place of a node that receives nothing, as it is connected to no one. */
    long DARK = -1;

    /**
     * Looks up a block of nodes.
     *
     * @param sent    the slot the cells were sent in.
     * @param channel 0 to channels - 1.
     * @param firstId id of the first node of the block.
     * @param count   nodes of the block.
     * @param places  gets the place of each node's cell, an offset of the {@code InFlightCells}, or {@link #DARK}.
     */
    void arrivals(long sent, int channel, int firstId, int count, long[] places);

    /**
     * Reads what a block of nodes receives; none of them is dark.
     *
     * @param sent    the slot the cells were sent in.
     * @param channel 0 to channels - 1.
     * @param firstId id of the first node of the block.
     * @param count   nodes of the block.
     * @param into    gets it, that of the first node first.
     */
    default void read(final long sent, final int channel, final int firstId, final int count, final Received into) {
        arrivals(sent, channel, firstId, count, into.place);
        into.link.read(into.place, count, into.route, into.cell, into.feedback);
    }

    /**
     * What nodes receive, in columns as long as a bank has nodes.
     *
     * @param link     where it is read.
     * @param place    where on the link it lies.
     * @param route    what it says.
     * @param cell     which cell it is, undefined where there is none.
     * @param feedback what rode along.
     */
    record Received(InFlightCells link, long[] place, long[] route, long[] cell, long[] feedback) {
        /** Columns for so many nodes. */
        public Received(final InFlightCells link, final int nodes) {
            this(link, new long[nodes], new long[nodes], new long[nodes], new long[nodes]);
        }
    }
}
