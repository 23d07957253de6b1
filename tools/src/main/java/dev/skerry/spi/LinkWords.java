package dev.skerry.spi;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;

import java.util.List;
import java.util.Set;

/**
 * The layout of the words on the links of a fabric. It is used by the reader and writer of recorded traces and for the
 * cell header of a device (docs/rtl.md). By default, a link carries only a cell word. Immutable.
 */
@SuppressWarnings("exports")
public interface LinkWords {
    /** The layout with only a cell word. */
    LinkWords PLAIN = new LinkWords() {
    };

    /**
     * A field of a word.
     *
     * @param word {@code route}, {@code cell} or {@code feedback}.
     * @param name name of the field.
     * @param low  least significant bit.
     * @param bits width in bits.
     */
    record Field(String word, String name, int low, int bits) {
        /** Returns the value of the field in a word. */
        public long of(final long value) {
            return value >>> low & -1L >>> Long.SIZE - bits;
        }
    }

    /** Returns the fields of all words, most significant field first within each word (docs/words.md). */
    default List<Field> fields() {
        return List.of(new Field("cell", "flow", 32, 32), new Field("cell", "sequence", 0, 32));
    }

    /** Returns the names of the trace columns after kind, slot and node; null if traces are not supported. */
    default String columns() {
        return "channel,dst_mac,src,dst,seq,dummy";
    }

    /**
     * Returns the values of these columns.
     *
     * @param channel  channel on which the cell is sent or received.
     * @param receiver id of the receiving node.
     * @param ends     source, destination and sequence number of the cell; a dummy has its sender as both ends.
     */
    default String line(final NodeCells cells, final int channel, final int receiver, final String ends) {
        return channel + "," + receiver + "," + ends + "," + (cells.isCell(channel) ? 0 : 1);
    }

    /** Tells whether a trace line also contains the failure reports that nodes exchange. */
    default boolean takesFaults() {
        return false;
    }

    /** Returns the columns that a trace must have to be read, in addition to source, destination, number and dummy. */
    default Set<String> readColumns() {
        return Set.of();
    }

    /** Returns the route word of a cell from a trace or header. */
    default long route(final DescribedCell cell) {
        return 0;
    }

    /**
     * Returns the feedback word of a cell or dummy from a trace or header.
     *
     * @param report failure report in the line or header; 0 if there is none.
     */
    default long feedback(final DescribedCell cell, final int report) {
        return InFlightCells.NO_FEEDBACK;
    }

    /** Returns the number of payload bytes that a header checksum covers; they are zero. */
    default int payloadBytes() {
        return 0;
    }

    /**
     * Returns a cell or dummy with all that its header says about it.
     *
     * @param plain  state and ends of the cell, without sprays, phase and tokens.
     * @param sentIn slot in which it was sent.
     */
    default DescribedCell described(final DescribedCell plain, final long sentIn, final long route,
        final long feedback) {
        return plain;
    }

    /**
     * Returns the cell that needs the most bits in a header.
     *
     * @param plain  a cell with the largest ends.
     * @param guards whether nodes report failures to each other.
     */
    default DescribedCell largest(final DescribedCell plain, final boolean guards) {
        return plain;
    }

    /** Sets the header fields that a {@link DescribedCell} does not contain. */
    default void complete(final HeaderDescription header, final long[] values, final long route, final long feedback) {
    }
}
