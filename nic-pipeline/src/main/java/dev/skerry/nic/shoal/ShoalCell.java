package dev.skerry.nic.shoal;

/**
 * The route word of a cell, in a queue and on the link.
 *
 * <pre>
 *   63       32 31     16 15          0
 *   +----------+---------+-------------+
 *   | sent in  | source  | destination |    sent in: slot modulo 2^32, set when the source sends it
 *   +----------+---------+-------------+
 * </pre>
 *
 * The word of no cell is all ones, which would be a cell of node 65535.
 */
public final class ShoalCell {
    /** The bits of a word that hold source and destination. */
    public static final long ENDS = 0xFFFF_FFFFL;

    private static final int SOURCE_SHIFT = 16;
    private static final int NODE_MASK = 0xFFFF;
    private static final int SENT_SHIFT = 32;

    private ShoalCell() {
    }

    /** Returns the word of a cell that its source has not sent yet. */
    public static long of(final int source, final int destination) {
        return (long) source << SOURCE_SHIFT | destination;
    }

    /** Returns the same word, sent by its source in a slot. */
    public static long sent(final long word, final long slot) {
        return slot << SENT_SHIFT | word & ENDS;
    }

    /** Returns the destination. */
    public static int destination(final long word) {
        return (int) word & NODE_MASK;
    }

    /** Returns the source. */
    public static int source(final long word) {
        return (int) word >>> SOURCE_SHIFT;
    }

    /** Returns the slots since its source sent it. */
    public static int age(final long word, final long slot) {
        return (int) slot - (int) (word >>> SENT_SHIFT);
    }
}
