package dev.skerry.dataplane.port;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Access to one ring in memory shared with a peer (docs/spec/memif.md §5, §6). Fields are read and written unchecked;
 * {@link MemifReceiver} and {@link MemifSender} check what the peer wrote.
 *
 * <p>Only the two counters are ordered; descriptors and bytes are plain, after an acquire and before a release. The
 * other side of each edge is in the peer's process (in tests, this class):
 * <ul>
 * <li>M1: the sender publishes packets; A1: the receiver sees them.</li>
 * <li>M2: the receiver frees slots; A2: the sender sees them free.</li>
 * </ul>
 *
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
 * Numbers are little-endian, the byte order of all hosts on which memif is known to run; a descriptor is read as two
 * longs. {@code line} is the cache line of the peer's build, 64 or 128; it is not part of any message. Unlike elsewhere
 * in the dataplane, the protocol names counters by role: the client writes the head and the server the tail in both
 * directions, so the head is the producer's on C2S and the consumer's on S2C. Both count slots modulo 2^16.
 */
public final class MemifRing {
    /** First four bytes of every ring. */
    public static final int COOKIE = 0x03E3_1F20;
    /** Cache line of DPDK on x86-64, and of libmemif. */
    public static final int LINE_BYTES = 64;
    /** Maximum ring size of DPDK's memif, as a power of two. */
    public static final int MAX_LOG2_SLOTS = 14;
    /** Maximum number of slots that one packet may span. */
    public static final int MAX_CHAIN = 256;
    /** Rings start at a multiple of this many bytes, so that counters and descriptors are aligned. */
    public static final int RING_ALIGNMENT = 16;

    static final long COOKIE_OFFSET = 0;
    static final long FLAGS_OFFSET = 4;
    static final long HEAD_OFFSET = 6;
    static final int DESCRIPTOR_SHIFT = 4;
    static final int COUNTER_MASK = 0xffff;

    /** Ring flag: the consumer polls and must not be signalled. */
    static final short MASK_INT = 1;
    /** Descriptor flag: the packet continues in the next slot. */
    static final long NEXT = 1;
    static final int REGION_SHIFT = 16;
    static final int LENGTH_SHIFT = 32;
    static final long INT_MASK = 0xffff_ffffL;

    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;
    private final int slots;
    private final long tailOffset;
    private final long descriptors;

    /**
     * Maps a ring.
     *
     * @param region    region that holds the ring.
     * @param offset    offset in the region, in bytes; a multiple of {@link #RING_ALIGNMENT}.
     * @param log2Slots 1 to {@link #MAX_LOG2_SLOTS}.
     * @param lineBytes cache line of the client's build, 64 or 128.
     * @throws IllegalArgumentException if it does not {@link #fits fit}.
     */
    public MemifRing(final MemorySegment region, final long offset, final int log2Slots, final int lineBytes) {
        Bounds.refuseIf(!fits(region.byteSize(), offset, log2Slots, lineBytes),
            "a ring must lie aligned in its region: offset=", offset, " log2Slots=", log2Slots, " region.bytes=",
            region.byteSize());
        this.memory = region.asSlice(offset, ringBytes(log2Slots, lineBytes));
        this.slots = 1 << log2Slots;
        this.tailOffset = lineBytes;
        this.descriptors = 2L * lineBytes;
    }

    /** Whether a ring fits a region of {@code regionBytes} at an offset; accepts any values. */
    public static boolean fits(
        final long regionBytes, final long offset, final int log2Slots, final int lineBytes
    ) {
        return log2Slots >= 1 && log2Slots <= MAX_LOG2_SLOTS
            && offset >= 0 && offset % RING_ALIGNMENT == 0
            && offset <= regionBytes - ringBytes(log2Slots, lineBytes);
    }

    /** Number of slots, a power of two. */
    public int slots() {
        return slots;
    }

    /** The ring's first word, {@link #COOKIE} in every ring. */
    public int cookie() {
        return (int) INT.get(memory, COOKIE_OFFSET);
    }

    /** Writes the cookie. Called by the client before the peer knows of the ring. */
    public void format() {
        INT.set(memory, COOKIE_OFFSET, COOKIE);
    }

    /** Sets both counters to 0, at connect, before any packet. */
    public void reset() {
        setHead(0);
        setTail(0);
    }

    /** Announces that we poll this ring, which saves the peer one system call per burst (docs/spec/memif.md §8). */
    public void maskInterrupts() {
        SHORT.set(memory, FLAGS_OFFSET, MASK_INT);
    }

    /** Whether its reader polls it; otherwise the reader waits for interrupts. */
    boolean isPolled() {
        return ((short) SHORT.get(memory, FLAGS_OFFSET) & MASK_INT) != 0;
    }

    /** The client's counter, 0 to 65,535. */
    int head() {
        return (short) SHORT.getAcquire(memory, HEAD_OFFSET) & COUNTER_MASK; // A1 C2S, A2 S2C
    }

    /** Publishes the low 16 bits of the client's counter. */
    void setHead(final int head) {
        SHORT.setRelease(memory, HEAD_OFFSET, (short) head); // M1 on C2S, M2 on S2C: slots were written
    }

    /** The server's counter, 0 to 65,535. */
    int tail() {
        return (short) SHORT.getAcquire(memory, tailOffset) & COUNTER_MASK; // A2 on C2S, A1 on S2C
    }

    /** Publishes the low 16 bits of the server's counter. */
    void setTail(final int tail) {
        SHORT.setRelease(memory, tailOffset, (short) tail); // M2 on C2S: slots were read; M1 on S2C: they were written
    }

    /** Flags, region and length of a descriptor. */
    long word(final int slot) {
        return (long) LONG.get(memory, descriptors + ((long) slot << DESCRIPTOR_SHIFT));
    }

    /** Writes flags, region and length of a descriptor. */
    void setWord(final int slot, final long word) {
        LONG.set(memory, descriptors + ((long) slot << DESCRIPTOR_SHIFT), word);
    }

    /** A descriptor's offset in its region, unsigned. */
    long offset(final int slot) {
        return (long) LONG.get(memory, descriptors + ((long) slot << DESCRIPTOR_SHIFT) + Long.BYTES)
            & INT_MASK;
    }

    /** Writes a descriptor's offset, with no metadata. */
    void setOffset(final int slot, final long offset) {
        LONG.set(memory, descriptors + ((long) slot << DESCRIPTOR_SHIFT) + Long.BYTES, offset);
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
