package dev.skerry.codec;

/**
 * Where the fields of a Shoal header lie ({@link ShoalHeader} draws them), for one header in a register or for a loop
 * over many: no branches, so that such a loop becomes vectors. Stateless; any thread may call.
 */
final class ShoalLayout {
    static final int ID_BITS = 10;
    static final int NUMBER_BITS = 22;
    static final int CLASS_BITS = 2;

    private static final int DESTINATION_SHIFT = 54;
    private static final int SOURCE_SHIFT = 44;
    private static final int NUMBER_SHIFT = 22;
    private static final int FEEDBACK_SHIFT = 11;
    private static final int FLAGS_SHIFT = 8;
    private static final int ID_MASK = (1 << ID_BITS) - 1;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final int FEEDBACK_MASK = (1 << NUMBER_SHIFT - FEEDBACK_SHIFT) - 1;
    static final int FLAGS_MASK = ShoalHeader.SOP | ShoalHeader.EOP | ShoalHeader.LCD;
    static final long CRC_MASK = 0xFF;
    /** Bits that are zero in a dummy and in a control cell: class, sequence number and eop. */
    static final long NOT_IN_DUMMIES = (long) NUMBER_MASK << NUMBER_SHIFT | ShoalHeader.EOP << FLAGS_SHIFT;
    /** Bits that every hop changes: feedback and lcd. */
    static final long HOP_MASK = (long) FEEDBACK_MASK << FEEDBACK_SHIFT | ShoalHeader.LCD << FLAGS_SHIFT;

    private ShoalLayout() {
    }

    /** A header with destination and source, all else zero. */
    static long route(final long destination, final long source) {
        return destination << DESTINATION_SHIFT | source << SOURCE_SHIFT;
    }

    /** A header with class and the low {@code sequenceBits} bits of the sequence number, all else zero. */
    static long number(final long trafficClass, final long sequence, final int sequenceBits) {
        return (trafficClass << sequenceBits | sequence & (1L << sequenceBits) - 1) << NUMBER_SHIFT;
    }

    /** A header with feedback and flags, all else zero. */
    static long hop(final long feedback, final long flags) {
        return feedback << FEEDBACK_SHIFT | flags << FLAGS_SHIFT;
    }

    static int destination(final long header) {
        return (int) (header >>> DESTINATION_SHIFT);
    }

    static int source(final long header) {
        return (int) (header >>> SOURCE_SHIFT) & ID_MASK;
    }

    static int trafficClass(final long header, final int sequenceBits) {
        return ((int) (header >>> NUMBER_SHIFT) & NUMBER_MASK) >>> sequenceBits;
    }

    static int sequence(final long header, final int sequenceBits) {
        return (int) (header >>> NUMBER_SHIFT) & (1 << sequenceBits) - 1;
    }

    static int rawFeedback(final long header) {
        return (int) header >>> FEEDBACK_SHIFT & FEEDBACK_MASK;
    }

    static int flags(final long header) {
        return (int) header >>> FLAGS_SHIFT & FLAGS_MASK;
    }

    /** All ones if source and destination differ, else 0. */
    static long onesIfData(final long header) {
        return -routeDifference(header) >> 63;
    }

    /** All ones for a dummy, else 0. */
    static long onesIfDummy(final long header) {
        return (routeDifference(header) | header >>> FLAGS_SHIFT & ShoalHeader.SOP) - 1 >> 63;
    }

    private static long routeDifference(final long header) {
        return (header >>> DESTINATION_SHIFT ^ header >>> SOURCE_SHIFT) & ID_MASK;
    }
}
