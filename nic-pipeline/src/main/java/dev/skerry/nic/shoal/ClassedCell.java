package dev.skerry.nic.shoal;

/**
 * The route word of a cell where there are traffic classes, in a queue and on the link: that of {@link ShoalCell}, of
 * which only bits that no node id needs are put to use.
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
    /** Most classes. */
    public static final int MAX_CLASSES = 4;

    private static final int CLASS_SHIFT = 26;
    private static final int SOURCE_SHIFT = 16;
    private static final int SOURCE_MASK = (1 << 10) - 1;
    private static final long AWAITED = 1L << 31;

    private ClassedCell() {
    }

    /** The word of a cell that its source has not sent yet. */
    public static long of(final int source, final int destination, final int trafficClass) {
        return (long) trafficClass << CLASS_SHIFT | ShoalCell.of(source, destination);
    }

    /** Where it comes from. */
    public static int source(final long word) {
        return (int) word >>> SOURCE_SHIFT & SOURCE_MASK;
    }

    /** Its class. */
    public static int trafficClass(final long word) {
        return (int) word >>> CLASS_SHIFT & MAX_CLASSES - 1;
    }

    /** The word of a cell that waits to be sent again; {@code awaited}: its flow awaits the report. */
    public static long waiting(final long word, final boolean awaited) {
        return awaited ? word | AWAITED : word;
    }

    /** Whether the flow of a waiting cell awaits the report. */
    public static boolean isAwaited(final long waiting) {
        return (waiting & AWAITED) != 0;
    }

    /** The word with which a waiting cell is sent. */
    public static long unwaiting(final long waiting) {
        return waiting & ~AWAITED;
    }
}
