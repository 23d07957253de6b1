package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Number of slots that each of several free-running parties has completed; replaces a barrier. A party sends into a
 * window of slots that only it writes and only its receivers read. Its count tells receivers that a slot is complete. A
 * receiver's count tells the sender that the slot has been read, so links in both directions need nothing else.
 *
 * <p>Assumptions: one thread at a time publishes for a party, and its counts never fall. The memory outlives the
 * threads.
 *
 * <p>Guarantees: actions of a party before {@link #publish} happen-before actions of another party after it has read
 * that count, directly or through the counts of other parties (R1, A1).
 *
 * <p>Progress: wait-free. No allocation.
 *
 * <pre>
 *   byte
 *          0 +---------------------------------------------+
 *            | slots done by party 0, 8 bytes              |
 *        128 +---------------------------------------------+
 *            | slots done by party 1                       |   each count lies alone: written in every slot, read
 *            ...                                               by other threads
 * </pre>
 */
public final class SlotCounts {
    private static final int BLOCK_BYTES = 128;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment segment;
    private final int parties;

    /**
     * Creates counts of 0.
     *
     * @param memory  provides 128 bytes per party, aligned to 128: native memory that all parties may access.
     * @param parties number of parties, at least 1.
     */
    public SlotCounts(final SegmentAllocator memory, final int parties) {
        Bounds.atLeast("parties", parties, 1);
        this.segment = memory.allocate((long) parties * BLOCK_BYTES, BLOCK_BYTES);
        this.parties = parties;
        for (int party = 0; party < parties; party++) {
            LONG.set(segment, (long) party * BLOCK_BYTES, 0L);
        }
    }

    /** Number of parties. */
    public int parties() {
        return parties;
    }

    /** Publishes the number of slots that a party has completed; it never decreases. Called by the party's thread. */
    public void publish(final int party, final long slots) {
        LONG.setRelease(segment, (long) party * BLOCK_BYTES, slots); // R1: the slots' cells have been written and read
    }

    /** Number of slots that a party has completed. Any thread may call. */
    public long slots(final int party) {
        return (long) LONG.getAcquire(segment, (long) party * BLOCK_BYTES); // A1: pairs with R1 in publish
    }
}
