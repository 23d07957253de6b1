package dev.skerry.nic.shoal;

/**
 * The feedback word of a cell where cells can be lost: the header's rate limit feedback and its last-cell-dropped bit
 * (docs/spec/shoal.md §3.1).
 *
 * <pre>
 *   bit 11        10                0
 *      +---------+-----------------+
 *      | dropped |     feedback    |
 *      +---------+-----------------+
 * </pre>
 *
 * <p>The header has one bit for a cell that came damaged and for one that was refused, because its queue was full or
 * its destination unreachable. The sender has to send a damaged cell again to the same neighbour, and a refused cell
 * another way. The feedback distinguishes them, as nothing else is reported about a damaged cell: dropped with feedback
 * 0 is damaged, dropped with more is refused.
 */
public final class ReportWord {
    /** The bits that are in a header. */
    public static final long HEADER_BITS = (1L << 12) - 1;

    private static final int DROPPED_SHIFT = 11;
    private static final int HEADER_FEEDBACK_SHIFT = 11;
    private static final int HEADER_DROPPED_SHIFT = 8;
    private static final int VALUE_MASK = (1 << DROPPED_SHIFT) - 1;

    private ReportWord() {
    }

    /** Returns the bits of a word at their positions in the lower half of a header (docs/spec/shoal.md §3.1). */
    public static int inHeader(final long word) {
        return feedback(word) << HEADER_FEEDBACK_SHIFT | (int) (word >>> DROPPED_SHIFT & 1) << HEADER_DROPPED_SHIFT;
    }

    /** Returns a report. */
    public static long of(final int feedback, final boolean dropped) {
        assert feedback >= 0 && feedback <= VALUE_MASK : feedback;
        return dropped ? feedback | 1L << DROPPED_SHIFT : feedback;
    }

    /** Returns the largest feedback of a fabric: 2N - 2. */
    public static int maxFeedback(final int nodes) {
        return 2 * nodes - 2;
    }

    /** Returns the feedback as read: up to 2047 if it came damaged. */
    public static int feedback(final long word) {
        return (int) word & VALUE_MASK;
    }

    /** Tells whether the last cell was dropped. */
    public static boolean isDropped(final long word) {
        return (word >>> DROPPED_SHIFT & 1) != 0;
    }
}
