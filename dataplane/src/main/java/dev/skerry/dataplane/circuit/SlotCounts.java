package dev.skerry.dataplane.circuit;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * How many slots each of several free-running parties has done; replaces a barrier. A party sends into a window of
 * slots that only it writes and only its receivers read. Its count tells receivers that a slot is complete. A
 * receiver's count tells the sender that the slot was read, so links in both directions need nothing else.
 *
 * <p>Assumptions: one thread at a time publishes for a party, and its counts never fall. The memory outlives the
 * threads.
 *
 * <p>Guarantees: what a party did before {@link #publish} happens-before what another does after it has read that
 * count, directly or through the counts of other parties (R1, A1).
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
     * No slot done.
     *
     * @param memory  gives 128 bytes for each party, aligned to 128: native memory that all may access.
     * @param parties at least 1.
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

    /** Publishes how many slots a party has done, 0 or more, never fewer than before. The party's thread calls. */
    public void publish(final int party, final long slots) {
        LONG.setRelease(segment, (long) party * BLOCK_BYTES, slots); // R1: the slots' cells written and read before
    }

    /** How many slots a party has done. Any thread may call. */
    public long slots(final int party) {
        return (long) LONG.getAcquire(segment, (long) party * BLOCK_BYTES); // A1: pairs with R1 in publish
    }
}
