package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

/**
 * Where the words of an {@link EligibilityQueues} queue lie: one cache line a queue.
 *
 * <pre>
 *   0       4            8            12    16       32       48       64
 *   +-------+------------+------------+-----+--------+--------+--------+
 *   | length| spill head | spill tail | pad | entry 0| entry 1| entry 2|    entry: 8 B word, 8 B payload word
 *   +-------+------------+------------+-----+--------+--------+--------+
 * </pre>
 *
 * Entry 0 is the oldest. Spill head and tail are records of the {@link SpillPool}: the oldest and the newest entry that
 * is not inline; undefined while there is none.
 */
final class EligibilityLayout {
    /** Bytes of one queue, the pool not counted. */
    static final int QUEUE_BYTES = 64;
    /** Bytes of an inline entry. */
    static final int ENTRY_BYTES = 16;

    /** Fields of a queue, in ints. */
    static final int LENGTH = 0;
    static final int SPILL_HEAD = 1;
    static final int SPILL_TAIL = 2;

    private static final int ENTRIES_OFFSET = 16;

    /** Entries that lie inline. */
    static final int INLINE = (QUEUE_BYTES - ENTRIES_OFFSET) / ENTRY_BYTES;
    /** Where the first and the last inline entry begin, in longs. */
    static final int FIRST_WORD = ENTRIES_OFFSET / Long.BYTES;
    static final int LAST_WORD = FIRST_WORD + (INLINE - 1) * 2;

    private EligibilityLayout() {
    }

    /** Byte offset of the inline entry at a position of the queue at a byte offset. */
    static long slot(final long at, final int position) {
        return at + ENTRIES_OFFSET + Region.offset(position, ENTRY_BYTES);
    }
}
