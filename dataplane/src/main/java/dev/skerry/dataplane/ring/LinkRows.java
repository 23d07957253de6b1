package dev.skerry.dataplane.ring;

import static dev.skerry.dataplane.ring.LinkBundleLayout.WORD_SHIFT;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The rows of a {@link LinkBundle}, see {@link LinkBundleLayout}. Both ends share it: its fields never change, and a
 * row's bytes belong to the end that the positions give them to.
 *
 * @param words   the rows of words.
 * @param surplus the count of second cells of each row.
 * @param lanes   words in a row.
 * @param rows    a power of two.
 * @param bytes   of a row.
 */
record LinkRows(Region words, Region surplus, int lanes, int rows, long bytes) {
    static LinkRows allocate(final Arena arena, final int lanes, final int rows) {
        final long bytes = LinkBundleLayout.rowBytes(lanes);
        final Region words = Region.allocate(arena, bytes * rows);
        words.fill((byte) -1);
        return new LinkRows(words, Region.allocate(arena, (long) rows << WORD_SHIFT), lanes, rows, bytes);
    }

    /** Byte offset in {@link #words} of a slot's row. */
    long row(final long slot) {
        return (slot & rows - 1) * bytes;
    }

    /** Byte offset in {@link #words} of a lane's word of a slot. */
    long at(final long slot, final int lane) {
        return row(slot) + ((long) lane << WORD_SHIFT);
    }

    /** Counts a second cell of a lane. */
    void countSurplus(final long slot) {
        final long before = surplus.getLong(surplusAt(slot));
        surplus.setLong(surplusAt(slot),
            LinkBundleLayout.isOf(before, slot) ? before + 1 : LinkBundleLayout.word(slot, 1));
    }

    /** Second cells of all lanes in a slot. */
    int surplus(final long slot) {
        final long word = surplus.getLong(surplusAt(slot));
        return LinkBundleLayout.isOf(word, slot) ? (int) word : 0;
    }

    private long surplusAt(final long slot) {
        return (slot & rows - 1) << WORD_SHIFT;
    }
}
