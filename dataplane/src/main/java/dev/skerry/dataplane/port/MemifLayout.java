package dev.skerry.dataplane.port;

/**
 * Where the parts of a memif ring and of a client's region lie (docs/spec/memif.md §4, §5).
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
 * Numbers are little-endian, the host's order on all hosts memif is known to run on; a descriptor is read as two longs.
 * {@code line} is the cache line of the peer's build, 64 or 128; no message names it. Here, unlike elsewhere in the
 * dataplane, the protocol names counters by role: the client writes the head and the server the tail in both
 * directions, so the head is the producer's on C2S and the consumer's on S2C. Both count slots modulo 2^16.
 */
public final class MemifLayout {
    /** First four bytes of every ring. */
    public static final int COOKIE = 0x03E3_1F20;
    /** Cache line of DPDK on x86-64, and of libmemif. */
    public static final int LINE_BYTES = 64;
    /** The largest ring of DPDK's memif, as a power of two. */
    public static final int MAX_LOG2_SLOTS = 14;
    /** The most slots one packet may span. */
    public static final int MAX_CHAIN = 256;
    /** Rings start at a multiple of this many bytes, so that counters and descriptors are aligned. */
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

    /** Distance between buffers of our client in bytes: whole cache lines. */
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
