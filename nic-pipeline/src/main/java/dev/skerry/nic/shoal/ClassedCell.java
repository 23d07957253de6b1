package dev.skerry.nic.shoal;

/**
 * The route word of a cell with a traffic class, in a queue and on the link. It has the layout of {@link ShoalCell} and
 * uses bits that no node id needs.
 *
 * <pre>
 *   63       32 31   30  28 27   26 25     16 15          0
 *   +----------+----+------+-------+---------+-------------+
 *   | sent in  | aw |  0   | class | source  | destination |    class: 0 is the highest
 *   +----------+----+------+-------+---------+-------------+
 *   aw: its flow awaits the report; only of a cell that waits to be sent again
 * </pre>
 */
public final class ClassedCell {
    /** Largest number of classes. */
    public static final int MAX_CLASSES = 4;

    private static final int CLASS_SHIFT = 26;
    private static final int SOURCE_SHIFT = 16;
    private static final int SOURCE_MASK = (1 << 10) - 1;
    private static final long AWAITED = 1L << 31;

    private ClassedCell() {
    }

    /** Returns the word of a cell that its source has not sent yet. */
    public static long of(final int source, final int destination, final int trafficClass) {
        return (long) trafficClass << CLASS_SHIFT | ShoalCell.of(source, destination);
    }

    /** Returns the source. */
    public static int source(final long word) {
        return (int) word >>> SOURCE_SHIFT & SOURCE_MASK;
    }

    /** Returns the traffic class. */
    public static int trafficClass(final long word) {
        return (int) word >>> CLASS_SHIFT & MAX_CLASSES - 1;
    }

    /**
     * Returns the word of a cell that waits to be sent again.
     *
     * @param word    the word with which it is sent.
     * @param awaited whether its flow awaits the report.
     */
    public static long waiting(final long word, final boolean awaited) {
        return awaited ? word | AWAITED : word;
    }

    /** Tells whether the flow of a waiting cell awaits the report. */
    public static boolean isAwaited(final long waiting) {
        return (waiting & AWAITED) != 0;
    }

    /** Returns the word with which a waiting cell is sent. */
    public static long unwaiting(final long waiting) {
        return waiting & ~AWAITED;
    }
}
