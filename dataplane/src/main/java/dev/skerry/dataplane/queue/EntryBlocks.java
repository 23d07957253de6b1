package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Memory for the rings of {@link RankedEntries}: blocks of 4, 8, 16 and more entries, so that the entries of a queue
 * lie side by side. A block that is given back is taken again by a queue that needs one as large. Memory grows by
 * chunks and never shrinks; growing is the only allocation after assembly. One thread at a time.
 *
 * <pre>
 *   bit 31                     5 4         0
 *      +------------------------+-----------+    handle of a block: its first unit, and the logarithm
 *      |          unit          | log units |    of its units; a unit is {@link #UNIT_ENTRIES} entries
 *      +------------------------+-----------+
 * </pre>
 */
final class EntryBlocks {
    /** No block. */
    static final int NONE = -1;
    /** Entries of the smallest block. */
    static final int UNIT_ENTRIES = 4;

    private static final int UNIT_BYTES = UNIT_ENTRIES * RankedLayout.RING_ENTRY_BYTES;
    private static final int LOG_BITS = 5;
    private static final int LOG_MASK = (1 << LOG_BITS) - 1;
    private static final int CHUNK_SHIFT = 11;
    private static final int CHUNK_UNITS = 1 << CHUNK_SHIFT;
    private static final int MAX_CHUNKS = 1 << 26 - CHUNK_SHIFT;

    private final Arena arena;
    /** By chunk; a block of more than a chunk has one region, under the number of its first chunk. */
    private Region[] chunks = new Region[4];
    private int chunkCount;
    /** By logarithm: a block given back, which holds the next one; {@link #NONE} for none. */
    private final int[] free = new int[LOG_MASK + 1];
    /** Units of the last chunk that were never taken. */
    private int fresh;
    private int freshEnd;

    EntryBlocks(final Arena arena) {
        this.arena = arena;
        Arrays.fill(free, NONE);
    }

    /**
     * Takes a block, whose content is undefined.
     *
     * @param log of its units, 0 or more.
     * @throws IllegalStateException if there is no room for it in 2^28 entries.
     */
    int take(final int log) {
        final int block = free[log];
        if (block != NONE) {
            free[log] = region(block).getInt(offset(block));
            return block;
        }
        final int units = 1 << log;
        if (units > freshEnd - fresh) {
            grow(units);
        }
        final int unit = fresh;
        fresh += units;
        return unit << LOG_BITS | log;
    }

    /** Gives a block back. */
    void release(final int block) {
        final int log = log(block);
        region(block).setInt(offset(block), free[log]);
        free[log] = block;
    }

    /** The memory that a block lies in. */
    Region region(final int block) {
        return chunks[block >>> LOG_BITS + CHUNK_SHIFT];
    }

    /** Where its first entry lies there. */
    static long offset(final int block) {
        return Region.offset(block >>> LOG_BITS & CHUNK_UNITS - 1, UNIT_BYTES);
    }

    /** Logarithm of its units. */
    static int log(final int block) {
        return block & LOG_MASK;
    }

    /** Entries of a block, a power of two. */
    static int capacity(final int block) {
        return UNIT_ENTRIES << (block & LOG_MASK);
    }

    /** Adds a chunk, or as many as a block needs. What is left of the last one becomes smaller blocks. */
    private void grow(final int units) {
        for (int left = freshEnd - fresh; left > 0; left = freshEnd - fresh) {
            final int log = Integer.numberOfTrailingZeros(Integer.highestOneBit(left));
            fresh += 1 << log;
            release(fresh - (1 << log) << LOG_BITS | log);
        }
        final int more = Math.max(1, units >>> CHUNK_SHIFT);
        if (more > MAX_CHUNKS - chunkCount) {
            throw new IllegalStateException("queues are full: entries=" + (long) chunkCount * CHUNK_UNITS * UNIT_ENTRIES
                + " (the fabric holds more cells than there is room for; lower the load)");
        }
        if (chunkCount + more > chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * (chunkCount + more));
        }
        chunks[chunkCount] = Region.allocate(arena, (long) more * CHUNK_UNITS * UNIT_BYTES);
        fresh = chunkCount << CHUNK_SHIFT;
        chunkCount += more;
        freshEnd = chunkCount << CHUNK_SHIFT;
    }
}
