package dev.skerry.dataplane.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Access to one ring in memory shared with a peer (docs/spec/memif.md §5, §6), see {@link MemifLayout}. It reads and
 * writes fields unchecked; {@link MemifReceiver} and {@link MemifSender} check what the peer wrote.
 *
 * <p>Only the two counters are ordered; descriptors and bytes are plain, after an acquire and before a release. The
 * partner of each edge is the peer's process (in tests, this class):
 * <ul>
 *   <li>M1: the sender publishes packets; A1: the receiver sees them.</li>
 *   <li>M2: the receiver gives slots back; A2: the sender sees them free.</li>
 * </ul>
 */
public final class MemifRing {
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;
    private final int slots;
    private final long tailOffset;
    private final long descriptors;

    /**
     * A ring at an agreed place.
     *
     * @param region    holds it.
     * @param offset    in the region, in bytes; a multiple of {@link MemifLayout#RING_ALIGNMENT}.
     * @param log2Slots 1 to {@link MemifLayout#MAX_LOG2_SLOTS}.
     * @param lineBytes cache line of the client's build, 64 or 128.
     * @throws IllegalArgumentException if it does not {@link #fits fit}.
     */
    public MemifRing(final MemorySegment region, final long offset, final int log2Slots, final int lineBytes) {
        if (!fits(region.byteSize(), offset, log2Slots, lineBytes)) {
            throw new IllegalArgumentException("a ring must lie aligned in its region: offset=" + offset
                + " log2Slots=" + log2Slots + " region.bytes=" + region.byteSize());
        }
        this.memory = region.asSlice(offset, MemifLayout.ringBytes(log2Slots, lineBytes));
        this.slots = 1 << log2Slots;
        this.tailOffset = lineBytes;
        this.descriptors = 2L * lineBytes;
    }

    /** Whether a ring fits a region of {@code regionBytes} at an offset; takes any values. */
    public static boolean fits(
        final long regionBytes, final long offset, final int log2Slots, final int lineBytes
    ) {
        return log2Slots >= 1 && log2Slots <= MemifLayout.MAX_LOG2_SLOTS
            && offset >= 0 && offset % MemifLayout.RING_ALIGNMENT == 0
            && offset <= regionBytes - MemifLayout.ringBytes(log2Slots, lineBytes);
    }

    /** Number of slots, a power of two. */
    public int slots() {
        return slots;
    }

    /** The ring's first word, {@link MemifLayout#COOKIE} in every ring. */
    public int cookie() {
        return (int) INT.get(memory, MemifLayout.COOKIE_OFFSET);
    }

    /** Writes the cookie. The client calls, before the peer knows of the ring. */
    public void format() {
        INT.set(memory, MemifLayout.COOKIE_OFFSET, MemifLayout.COOKIE);
    }

    /** Sets both counters to 0, at connect, before any packet. */
    public void reset() {
        setHead(0);
        setTail(0);
    }

    /** Says that we poll this ring, which saves the peer a system call a burst (docs/spec/memif.md §8). */
    public void maskInterrupts() {
        SHORT.set(memory, MemifLayout.FLAGS_OFFSET, MemifLayout.MASK_INT);
    }

    /** Whether its reader polls it; else it waits to be woken, which Skerry does not do. */
    boolean isPolled() {
        return ((short) SHORT.get(memory, MemifLayout.FLAGS_OFFSET) & MemifLayout.MASK_INT) != 0;
    }

    /** The client's counter, 0 to 65,535. */
    int head() {
        return (short) SHORT.getAcquire(memory, MemifLayout.HEAD_OFFSET) & MemifLayout.COUNTER_MASK; // A1 C2S, A2 S2C
    }

    /** Publishes the low 16 bits of the client's counter. */
    void setHead(final int head) {
        SHORT.setRelease(memory, MemifLayout.HEAD_OFFSET, (short) head); // M1 on C2S, M2 on S2C: slots were written
    }

    /** The server's counter, 0 to 65,535. */
    int tail() {
        return (short) SHORT.getAcquire(memory, tailOffset) & MemifLayout.COUNTER_MASK; // A2 on C2S, A1 on S2C
    }

    /** Publishes the low 16 bits of the server's counter. */
    void setTail(final int tail) {
        SHORT.setRelease(memory, tailOffset, (short) tail); // M2 on C2S: slots were read; M1 on S2C: they were written
    }

    /** Flags, region and length of a descriptor. */
    long word(final int slot) {
        return (long) LONG.get(memory, descriptors + ((long) slot << MemifLayout.DESCRIPTOR_SHIFT));
    }

    /** Writes flags, region and length of a descriptor. */
    void setWord(final int slot, final long word) {
        LONG.set(memory, descriptors + ((long) slot << MemifLayout.DESCRIPTOR_SHIFT), word);
    }

    /** A descriptor's offset in its region, unsigned. */
    long offset(final int slot) {
        return (long) LONG.get(memory, descriptors + ((long) slot << MemifLayout.DESCRIPTOR_SHIFT) + Long.BYTES)
            & MemifLayout.INT_MASK;
    }

    /** Writes a descriptor's offset, with no metadata. */
    void setOffset(final int slot, final long offset) {
        LONG.set(memory, descriptors + ((long) slot << MemifLayout.DESCRIPTOR_SHIFT) + Long.BYTES, offset);
    }
}
