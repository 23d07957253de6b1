package dev.skerry.dataplane.port;

/**
 * Where the parts of a memif ring and of a client's region lie (spec/memif §4, §5).
 * <pre>
 *   ring: byte                                      descriptor, 16 bytes
 *      0 +-----------------+--------+--------+      0        2        4                 8
 *        | cookie          | flags  | head   |      +--------+--------+-----------------+
 *   line +--------+--------+--------+--------+      | flags  | region | length          |
 *        | tail   |                                 +--------+--------+-----------------+
 * 2*line +--------+------------------------         | offset in region| metadata, 0     |
 *        | descriptor 0 | descriptor 1 ...          +-----------------+-----------------+
 *        +---------------------------------
 *
 *   client's region:  | C2S ring | S2C ring | buffers of the C2S ring | buffers of the S2C ring |
 * </pre>
 * Numbers are in the host's order, which is little-endian on all hosts memif is known to run on, and here is taken to
 * be: a descriptor is read as two longs. {@code line} is the cache line of the peer's build, 64 or 128, which no
 * message tells. The head is written by the client only, the tail by the server only, in both directions; both count
 * slots modulo 2^16.
 */
public final class MemifLayout {
    /** First four bytes of every ring. */
    public static final int COOKIE = 0x03E3_1F20;
    /** Cache line of DPDK on x86-64, and of libmemif. */
    public static final int LINE_BYTES = 64;
    /** Rings of more slots are not in the protocol as DPDK speaks it. */
    public static final int MAX_LOG2_SLOTS = 14;
    /** The most slots one packet may span. */
    public static final int MAX_CHAIN = 256;
    /** Rings start at a multiple of this, so that counters and descriptors are aligned. */
    public static final int RING_ALIGNMENT = 16;

    static final long COOKIE_OFFSET = 0;
    static final long FLAGS_OFFSET = 4;
    static final long HEAD_OFFSET = 6;
    static final int DESCRIPTOR_SHIFT = 4;
    static final int COUNTER_MASK = 0xffff;

    /** Ring flag: the consumer polls, do not signal it. */
    static final short MASK_INT = 1;
    /** Descriptor flag: the packet goes on in the next slot. */
    static final long NEXT = 1;
    static final int REGION_SHIFT = 16;
    static final int LENGTH_SHIFT = 32;
    static final long INT_MASK = 0xffff_ffffL;

    private MemifLayout() {
    }

    /**
     * Bytes of a ring.
     *
     * @param log2Slots 1 to {@link #MAX_LOG2_SLOTS}.
     * @param lineBytes 64 or 128.
     */
    public static long ringBytes(final int log2Slots, final int lineBytes) {
        return 2L * lineBytes + (16L << log2Slots);
    }

    /**
     * Offset in a client's region of the buffers of a ring.
     *
     * @param ring        0 for C2S, 1 for S2C.
     * @param log2Slots   1 to {@link #MAX_LOG2_SLOTS}.
     * @param bufferBytes of each buffer.
     */
    public static long buffersOffset(final int ring, final int log2Slots, final int bufferBytes) {
        return 2 * ringBytes(log2Slots, LINE_BYTES) + ((long) ring * strideBytes(bufferBytes) << log2Slots);
    }

    /** From one buffer of a client of ours to the next: whole cache lines. */
    static int strideBytes(final int bufferBytes) {
        return bufferBytes + LINE_BYTES - 1 & -LINE_BYTES;
    }

    /**
     * Bytes of a client's region: two rings and their buffers.
     *
     * @param log2Slots   1 to {@link #MAX_LOG2_SLOTS}.
     * @param bufferBytes of each buffer.
     */
    public static long regionBytes(final int log2Slots, final int bufferBytes) {
        return buffersOffset(2, log2Slots, bufferBytes);
    }
}
