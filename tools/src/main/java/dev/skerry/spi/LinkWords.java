package dev.skerry.spi;

import dev.skerry.codec.header.DescribedCell;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;

import java.util.List;
import java.util.Set;

/**
 * The meaning of the words on the links of a fabric, for those who write or read them elsewhere: in the lines of a
 * recorded trace and in the header of a device (docs/rtl.md). By default there is only a cell. Immutable.
 */
@SuppressWarnings("exports")
public interface LinkWords {
    /** Words of only a cell. */
    LinkWords PLAIN = new LinkWords() {
    };

    /**
     * A field of a word on a link.
     *
     * @param word {@code route}, {@code cell} or {@code feedback}.
     * @param name its name.
     * @param low  its least significant bit.
     * @param bits its width.
     */
    record Field(String word, String name, int low, int bits) {
        /** Returns the value of the field in a word. */
        public long of(final long value) {
            return value >>> low & -1L >>> Long.SIZE - bits;
        }
    }

    /** Returns the fields of the words of a cell, the most significant ones of each word first (docs/words.md). */
    default List<Field> fields() {
        return List.of(new Field("cell", "flow", 32, 32), new Field("cell", "sequence", 0, 32));
    }

    /** Returns the names of the columns of a trace behind kind, slot and node; null if traces are not supported. */
    default String columns() {
        return "channel,dst_mac,src,dst,seq,dummy";
    }

    /**
     * Returns the values of these columns.
     *
     * @param channel  channel on which something is sent or received.
     * @param receiver id of the node that receives it.
     * @param ends     its source, destination and number; a dummy goes from its sender to its sender.
     */
    default String line(final NodeCells cells, final int channel, final int receiver, final String ends) {
        return channel + "," + receiver + "," + ends + "," + (cells.isCell(channel) ? 0 : 1);
    }

    /** Tells whether a line also holds what nodes report to each other about failures. */
    default boolean takesFaults() {
        return false;
    }

    /** Returns the columns that a trace must have besides source, destination, number and dummy to be read. */
    default Set<String> readColumns() {
        return Set.of();
    }

    /** Returns the route word of a cell that was read. */
    default long route(final DescribedCell cell) {
        return 0;
    }

    /**
     * Returns the feedback word of a cell or dummy that was read.
     *
     * @param report report of the line or header; 0 if it has none.
     */
    default long feedback(final DescribedCell cell, final int report) {
        return InFlightCells.NO_FEEDBACK;
    }

    /** Returns the bytes of a payload under a checksum of the header; they are zero. */
    default int payloadBytes() {
        return 0;
    }

    /**
     * Returns a cell or dummy with all that a header contains about it.
     *
     * @param plain  its state and ends, without sprays, phase and tokens.
     * @param sentIn slot in which it was sent.
     */
    default DescribedCell described(final DescribedCell plain, final long sentIn, final long route,
        final long feedback) {
        return plain;
    }

    /**
     * Returns the cell that needs most room in a header.
     *
     * @param plain  the largest ends.
     * @param guards whether nodes report failures to each other.
     */
    default DescribedCell largest(final DescribedCell plain, final boolean guards) {
        return plain;
    }

    /** Sets fields of a header that a described cell does not have. */
    default void complete(final HeaderDescription header, final long[] values, final long route, final long feedback) {
    }
}
