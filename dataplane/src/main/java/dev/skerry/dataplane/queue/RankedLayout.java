package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

/**
 * Where the entries of a queue of {@link RankedQueues} lie: the first three in a cache line, their ranks in half a
 * line, the others side by side in a ring, each in 32 bytes of one line, in a block as large as it needs.
 *
 * <pre>
 *   0        4       8       12        16        32        48        64       entry: 8 B word, 8 B payload word
 *   +--------+-------+-------+---------+---------+---------+---------+
 *   | length | block | start | unsorted| entry 0 | entry 1 | entry 2 |
 *   +--------+-------+-------+---------+---------+---------+---------+
 *   0        8        16       24          32       in the ring: 8 B word, 8 B payload word, 8 B rank
 *   +--------+--------+--------+-----------+
 *   | rank 0 | rank 1 | rank 2 | last rank |
 *   +--------+--------+--------+-----------+
 * </pre>
 *
 * Start is the place of entry 3 in the ring of the block; both are undefined for up to three entries, as is the last
 * rank without any. The ends of rings lie far apart, and reading one is a cache miss that writing to it is not: so the
 * rank of the last entry is noted. Unsorted is a number of entries, see {@link RankedQueues}.
 */
final class RankedLayout {
    /** Bytes of a queue, its block not counted. */
    static final int QUEUE_BYTES = 96;
    /** Bytes of an entry in a ring. */
    static final int RING_ENTRY_BYTES = 32;
    /** Entries beside the fields of a queue. */
    static final int INLINE = 3;

    static final int LINE_BYTES = 64;
    static final int RANKS_BYTES = 32;

    /** Fields of a queue, in ints. */
    static final int LENGTH = 0;
    static final int BLOCK = 1;
    static final int START = 2;
    static final int UNSORTED = 3;
    /** Fields of an entry, in longs; the rank only in a ring. */
    static final int PAYLOAD = 1;
    static final int RANK = 2;
    /** The rank of the last entry, in longs. */
    static final int LAST = INLINE;

    private static final int ENTRY_BYTES = 16;
    private static final int ENTRIES_OFFSET = 16;

    /** Where the first and the last entry of a line begin, in longs. */
    static final int FIRST = ENTRIES_OFFSET / Long.BYTES;
    static final int THIRD = FIRST + 4;

    private RankedLayout() {
    }

    /** Byte offset of the line of a queue. */
    static long line(final int queue) {
        return Region.offset(queue, LINE_BYTES);
    }

    /** Byte offset of the ranks of a queue. */
    static long ranks(final int queue) {
        return Region.offset(queue, RANKS_BYTES);
    }

    /** Byte offset of an entry of the line at a byte offset. */
    static long slot(final long line, final int place) {
        return line + ENTRIES_OFFSET + Region.offset(place, ENTRY_BYTES);
    }

    /** Byte offset of an entry behind the inline ones in the region of its block. */
    static long inRing(final int block, final int start, final int place) {
        return EntryBlocks.offset(block)
            + Region.offset(start + place - INLINE & EntryBlocks.capacity(block) - 1, RING_ENTRY_BYTES);
    }
}
