package dev.skerry.dataplane.ring;

/**
 * Where the parts of an {@link SpscRing} lie in its segment. The producer appends at the tail, the consumer takes from
 * the head: so does every ring, bundle and list of the dataplane.
 *
 * <pre>
 *   byte
 *      0 +-----------------------------------------------+
 *        | tail, 8 bytes: handles offered since creation |  written by the producer, read by the consumer
 *        | (unused)                                      |
 *    128 +-----------------------------------------------+
 *        | head, 8 bytes: handles polled since creation  |  written by the consumer, read by the producer
 *        | (unused)                                      |
 *    256 +-----------------------------------------------+
 *        | slot 0 | slot 1 | ...   4 bytes each          |  written by the producer, read by the consumer
 *        +-----------------------------------------------+
 * </pre>
 *
 * Start and length of the segment are multiples of {@link #BLOCK_BYTES}: two lines of 64 bytes, because the hardware
 * fetches lines in pairs. So neither a position nor a slot shares a pair with a neighbour's data. The handle
 * of position {@code p} is in slot {@code p mod capacity}; the ring is empty at {@code head == tail} and full at
 * {@code tail - head == capacity}.
 */
public final class RingLayout {
    /** Distance in bytes that keeps two threads' writes off each other's cache lines. */
    public static final int BLOCK_BYTES = 128;

    /** Byte offset of the producer's published position. */
    public static final long TAIL_OFFSET = 0;

    /** Byte offset of the consumer's published position. */
    public static final long HEAD_OFFSET = TAIL_OFFSET + BLOCK_BYTES;

    /** Byte offset of slot 0. */
    public static final long SLOTS_OFFSET = HEAD_OFFSET + BLOCK_BYTES;

    /** The largest capacity, in handles. */
    public static final int MAX_CAPACITY = 1 << 30;

    /** Shift from a slot's number to its bytes. */
    static final int SLOT_SHIFT = 2;

    private RingLayout() {
    }

    /**
     * Bytes a ring occupies: a multiple of {@link #BLOCK_BYTES}.
     *
     * @param capacity in handles, see {@link #checkCapacity}.
     */
    public static long lengthBytes(final int capacity) {
        checkCapacity(capacity);
        final long slots = (long) capacity << SLOT_SHIFT;
        return SLOTS_OFFSET + (slots + BLOCK_BYTES - 1 & -BLOCK_BYTES);
    }

    /**
     * Checks that a capacity is a power of two from 1 to {@link #MAX_CAPACITY}.
     *
     * @param capacity in handles.
     * @throws IllegalArgumentException if it is not.
     */
    public static void checkCapacity(final int capacity) {
        if (capacity < 1 || capacity > MAX_CAPACITY || Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                "capacity must be a power of two from 1 to " + MAX_CAPACITY + ": capacity=" + capacity);
        }
    }
}
