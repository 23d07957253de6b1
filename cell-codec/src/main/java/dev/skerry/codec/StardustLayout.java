package dev.skerry.codec;

/**
 * Where the fields of a Stardust header lie ({@link StardustHeader} draws them). Type and version are in the same place
 * in a control message ({@link StardustControl}). Stateless; any thread may call.
 */
final class StardustLayout {
    static final int TYPE_SHIFT = 62;
    static final int PRIORITY_SHIFT = 60;
    static final int VERSION_SHIFT = 56;
    static final int FCI_SHIFT = 54;
    static final int EPOCH_SHIFT = 48;
    static final int DESTINATION_SHIFT = 32;
    static final int SOURCE_SHIFT = 16;
    static final int PORT_SHIFT = 4;
    static final int SEQUENCE_SHIFT = 32;
    static final int LENGTH_SHIFT = 22;
    static final int START_SHIFT = 6;
    static final int TEN_BITS = 0x3FF;
    static final long RESERVED_IN_HEAD = 1L << 52;
    static final long RESERVED_IN_TAIL = 0x3FL << 16 | 0x3F;

    private static final int FCI_BITS = 2;
    private static final int[] FCI_CHANGE = fciChanges();

    private StardustLayout() {
    }

    /** A head with type, this version, priority and the low bits of the epoch, all else zero. */
    static long cell(final long type, final long priority, final long epoch) {
        return type << TYPE_SHIFT | priority << PRIORITY_SHIFT | (long) StardustHeader.VERSION << VERSION_SHIFT
            | (epoch & 0xF) << EPOCH_SHIFT;
    }

    /** A head with the route of a cell, all else zero. */
    static long stream(final long destination, final long source, final long port, final long trafficClass) {
        return destination << DESTINATION_SHIFT | source << SOURCE_SHIFT | port << PORT_SHIFT | trafficClass;
    }

    /** A tail. */
    static long tail(final long sequence, final long length, final long firstStart) {
        return sequence << SEQUENCE_SHIFT | length << LENGTH_SHIFT | firstStart << START_SHIFT;
    }

    /**
     * How a changed congestion level changes the CRC of its frame.
     *
     * @param change exclusive or of both levels, 0 to 3.
     * @param length bytes of payload, 0 to 1,023.
     * @return exclusive or of both CRCs.
     */
    static int crcChange(final int change, final int length) {
        return FCI_CHANGE[length << FCI_BITS | change];
    }

    private static int[] fciChanges() {
        final int[] changes = new int[TEN_BITS + 1 << FCI_BITS];
        for (int length = 0; length <= TEN_BITS; length++) {
            for (int change = 1; change <= StardustHeader.MAX_FCI; change++) {
                changes[length << FCI_BITS | change] = Crc32c.change(change << 6, StardustHeader.BYTES - 2 + length);
            }
        }
        return changes;
    }
}
