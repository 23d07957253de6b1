package dev.skerry.nic.flow;

import java.lang.foreign.MemorySegment;

/** Where the payload of a cell lies between its source and its destination. */
public interface PayloadStore {
    /**
     * At the source: stores the payload of a cell.
     *
     * @param identity flow and sequence number, see {@link Cell}.
     * @return the cell word that travels.
     */
    long inject(long identity);

    /**
     * At the destination: reads the payload and frees its place.
     *
     * @param cell the cell word that travelled.
     * @return flow and sequence number, see {@link Cell}.
     */
    long deliver(long cell);

    /**
     * On the way: which cell it is. Any bank's store knows; in the simplest case the word that travels says it.
     *
     * @param cell the cell word that travels.
     * @return flow and sequence number, see {@link Cell}.
     */
    default long identify(final long cell) {
        return cell;
    }

    /**
     * On the way: copies the beginning of the payload, as much as there is and fits. Does nothing where no payload is
     * kept.
     *
     * @param cell the cell word that travels.
     */
    default void copy(final long cell, final MemorySegment into) {
    }

    /**
     * Where a cell is lost: frees the place of its payload, if it does not stay with the flow.
     *
     * @param cell the cell word that travelled.
     */
    default void discard(final long cell) {
    }
}
