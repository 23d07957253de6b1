package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The entries of {@link RankedQueues}. In a queue they are addressed by place, 0 for the one that leaves first.
 * Inserting or removing in the middle moves the entries on the shorter side. Cells of a batch join and leave together,
 * at most one per queue, in loops without branches that mispredict; rare cases are listed. One thread at a time.
 *
 * <p>The first three entries of a queue are in one cache line and their ranks in half a line; the others form a ring,
 * with 32 bytes of one line per entry, in a block as large as needed.
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
 * Start is the index of entry 3 in the ring of the block; block and start are undefined with up to three entries, and
 * the last rank is undefined for an empty queue. The ends of a ring are far apart, and reading one is a cache miss on
 * which the reader waits, while a write does not wait: therefore the rank of the last entry is stored separately.
 * Unsorted is a number of entries.
 */
final class RankedEntries {
    /** Size of an entry in a ring, in bytes. */
    private static final int RING_ENTRY_BYTES = 32;
    /** Number of entries stored next to the fields of a queue. */
    private static final int INLINE = 3;

    private static final int LINE_BYTES = 64;
    private static final int RANKS_BYTES = 32;

    /** Fields of a queue, in ints. */
    private static final int LENGTH = 0;
    private static final int BLOCK = 1;
    private static final int START = 2;
    private static final int UNSORTED = 3;
    /** Fields of an entry, in longs; the rank only in a ring. */
    private static final int PAYLOAD = 1;
    private static final int RANK = 2;
    /** The rank of the last entry, in longs. */
    private static final int LAST = INLINE;

    private static final int ENTRY_BYTES = 16;
    private static final int ENTRIES_OFFSET = 16;

    /** Offsets of the first and the third inline entry, in longs. */
    private static final int FIRST = ENTRIES_OFFSET / Long.BYTES;
    private static final int THIRD = FIRST + 4;

    private final Region queues;
    private final Region ranks;
    private final EntryBlocks blocks;
    /** Location of the entry found last, and of its rank. */
    private Region region;
    private long at;
    private Region rankRegion;
    private long rankAt;
    /** Cells of a batch that one loop leaves to the next, and the other cells. */
    private final int[] rest;
    private final int[] near;
    private int fetched;

    RankedEntries(final Arena arena, final int count) {
        this.queues = Region.allocate(arena, (long) count * LINE_BYTES);
        this.ranks = Region.allocate(arena, (long) count * RANKS_BYTES);
        this.blocks = new EntryBlocks(arena);
        this.rest = new int[CellBatch.block(count) + 1];
        this.near = new int[CellBatch.block(count) + 1];
    }

    int length(final int queue) {
        return queues.getInt(line(queue), LENGTH);
    }

    int unsorted(final int queue) {
        return queues.getInt(line(queue), UNSORTED);
    }

    void setUnsorted(final int queue, final int entries) {
        queues.setInt(line(queue), UNSORTED, entries);
    }

    /** The word of the first entry; undefined for an empty queue. */
    long first(final int queue) {
        return queues.getLong(line(queue), FIRST);
    }

    /** The rank of the last entry; undefined for an empty queue. */
    long lastRank(final int queue) {
        return ranks.getLong(ranks(queue), LAST);
    }

    /** Finds the entry at a place, whose data {@link #word}, {@link #payload} and {@link #rank} then return. */
    void seek(final int queue, final int place) {
        final long line = line(queue);
        if (place < INLINE) {
            region = queues;
            at = slot(line, place);
            rankRegion = ranks;
            rankAt = ranks(queue) + Region.offset(place, Long.BYTES);
        } else {
            final int block = queues.getInt(line, BLOCK);
            region = blocks.region(block);
            at = inRing(block, queues.getInt(line, START), place);
            rankRegion = region;
            rankAt = at + RANK * Long.BYTES;
        }
    }

    long word() {
        return region.getLong(at, 0);
    }

    void setWord(final long word) {
        region.setLong(at, 0, word);
    }

    long payload() {
        return region.getLong(at, PAYLOAD);
    }

    long rank() {
        return rankRegion.getLong(rankAt);
    }

    private void set(final long word, final long payload, final long rank) {
        region.setLong(at, 0, word);
        region.setLong(at, PAYLOAD, payload);
        rankRegion.setLong(rankAt, rank);
    }

    /** Inserts an entry at a place, 0 to the length; later entries move back. */
    void insert(final int queue, final int place, final long word, final long payload, final long rank) {
        final long line = line(queue);
        final int length = queues.getInt(line, LENGTH);
        if (length >= INLINE) {
            makeRoom(line, length - INLINE);
        }
        queues.setInt(line, LENGTH, length + 1);
        if (place < length) {
            open(queue, line, place, length);
        } else {
            ranks.setLong(ranks(queue), LAST, rank);
        }
        seek(queue, place);
        set(word, payload, rank);
    }

    /** Makes room for one more entry in the ring. */
    private void makeRoom(final long line, final int inRing) {
        if (inRing == 0) {
            queues.setInt(line, BLOCK, blocks.take(0));
            queues.setInt(line, START, 0);
        } else if (inRing == EntryBlocks.capacity(queues.getInt(line, BLOCK))) {
            resize(line, inRing, EntryBlocks.log(queues.getInt(line, BLOCK)) + 1);
        }
    }

    /** Moves a ring into a block of another size. */
    private void resize(final long line, final int inRing, final int log) {
        final int old = queues.getInt(line, BLOCK);
        final int start = queues.getInt(line, START);
        final int block = blocks.take(log);
        final Region source = blocks.region(old);
        final Region target = blocks.region(block);
        for (int i = INLINE; i < INLINE + inRing; i++) {
            final long from = inRing(old, start, i);
            final long to = inRing(block, 0, i);
            target.setLong(to, 0, source.getLong(from, 0));
            target.setLong(to, PAYLOAD, source.getLong(from, PAYLOAD));
            target.setLong(to, RANK, source.getLong(from, RANK));
        }
        blocks.release(old);
        queues.setInt(line, BLOCK, block);
        queues.setInt(line, START, 0);
    }

    /** Moves the entries from a place on back by one, or the ring entries before it forward by one. */
    private void open(final int queue, final long line, final int place, final int length) {
        if (length <= INLINE || place - INLINE > length - place) {
            for (int i = length - 1; i >= place; i--) {
                move(queue, i, i + 1);
            }
            return;
        }
        queues.setInt(line, START, queues.getInt(line, START) - 1);
        for (int i = INLINE; i < place; i++) {
            move(queue, i + 1, i);
        }
        for (int i = INLINE - 1; i >= place; i--) {
            move(queue, i, i + 1);
        }
    }

    /** Removes the entry at a place; later entries move up. */
    void remove(final int queue, final int place) {
        final long line = line(queue);
        final int length = queues.getInt(line, LENGTH);
        queues.setInt(line, LENGTH, length - 1);
        if (length <= INLINE || place - INLINE > length - place) {
            for (int i = place; i < length - 1; i++) {
                move(queue, i + 1, i);
            }
        } else {
            for (int i = place; i < INLINE; i++) {
                move(queue, i + 1, i);
            }
            for (int i = place - 1; i >= INLINE; i--) {
                move(queue, i, i + 1);
            }
            queues.setInt(line, START, queues.getInt(line, START) + 1);
        }
        if (length > INLINE) {
            releaseSpace(line, length - 1 - INLINE);
        }
        if (place == length - 1 && place > 0) {
            seek(queue, place - 1);
            ranks.setLong(ranks(queue), LAST, rank());
        }
    }

    /** Releases a block that is empty, or halves one that is four times as large as needed. */
    private void releaseSpace(final long line, final int inRing) {
        final int block = queues.getInt(line, BLOCK);
        if (inRing == 0) {
            blocks.release(block);
        } else if (4 * inRing <= EntryBlocks.capacity(block) && EntryBlocks.log(block) > 0) {
            resize(line, inRing, EntryBlocks.log(block) - 1);
        }
    }

    private void move(final int queue, final int from, final int to) {
        seek(queue, from);
        final long word = word();
        final long payload = payload();
        final long rank = rank();
        seek(queue, to);
        set(word, payload, rank);
    }

    /**
     * Appends the cells of a batch that belong after the last entry of their queue and fit its inline entries, and
     * writes the new lengths into the batch.
     *
     * @param joiningRanks rank of each cell of the batch.
     * @return number of remaining cells, which {@link #remaining} lists.
     */
    int append(final CellBatch batch, final long[] joiningRanks) {
        final Region lines = queues;
        final Region notes = ranks;
        final int[] queue = batch.queue;
        int joining = 0;
        int left = 0;
        fetchQueues(queue, batch.count);
        for (int i = 0; i < batch.count; i++) {
            final long line = line(queue[i]);
            final int length = lines.getInt(line, LENGTH);
            final int isSorted = Branchless.ifPositive(length ^ lines.getInt(line, UNSORTED));
            final int isAfter = (int) (notes.getLong(ranks(queue[i]), LAST) - joiningRanks[i] >>> Long.SIZE - 1);
            final int isBehind = isSorted & isAfter | Branchless.ifZero(length);
            near[joining] = i;
            rest[left] = i;
            joining += isBehind & Branchless.ifPositive(INLINE - length);
            left = i + 1 - joining;
        }
        for (int k = 0; k < joining; k++) {
            final int i = near[k];
            final long line = line(queue[i]);
            final int length = lines.getInt(line, LENGTH);
            final long slot = slot(line, length);
            final long note = ranks(queue[i]);
            lines.setInt(line, LENGTH, length + 1);
            lines.setLong(slot, 0, batch.word[i]);
            lines.setLong(slot, PAYLOAD, batch.cell[i]);
            notes.setLong(note + Region.offset(length, Long.BYTES), joiningRanks[i]);
            notes.setLong(note, LAST, joiningRanks[i]);
            batch.length[i] = length + 1;
        }
        return left;
    }

    /** The k-th cell of the last batch that was not appended to its queue. */
    int remaining(final int k) {
        return rest[k];
    }

    /**
     * Removes the first entry of each queue of a batch, starting at an index, and completes the batch; no queue is
     * empty.
     */
    void removeFirst(final int from, final CellBatch batch) {
        final Region lines = queues;
        final Region notes = ranks;
        final int[] queue = batch.queue;
        int more = 0;
        for (int k = from; k < batch.count; k++) {
            final long line = line(queue[k]);
            final long note = ranks(queue[k]);
            final int left = lines.getInt(line, LENGTH) - 1;
            batch.word[k] = lines.getLong(line, FIRST);
            batch.cell[k] = lines.getLong(line, FIRST + PAYLOAD);
            batch.length[k] = left;
            lines.setInt(line, LENGTH, left);
            lines.setInt(line, UNSORTED, Math.max(0, lines.getInt(line, UNSORTED) - 1));
            lines.setLong(line, FIRST, lines.getLong(line, FIRST + 2));
            lines.setLong(line, FIRST + 1, lines.getLong(line, FIRST + 3));
            lines.setLong(line, FIRST + 2, lines.getLong(line, THIRD));
            lines.setLong(line, FIRST + 3, lines.getLong(line, THIRD + PAYLOAD));
            notes.setLong(note, 0, notes.getLong(note, 1));
            notes.setLong(note, 1, notes.getLong(note, 2));
            rest[more] = k;
            more += Branchless.ifPositive(left - INLINE + 1);
        }
        refill(queue, more);
    }

    /** Moves the first ring entry of each listed queue to its inline entries. */
    private void refill(final int[] queue, final int count) {
        final Region lines = queues;
        fetchStarts(queue, count);
        for (int k = 0; k < count; k++) {
            final long line = line(queue[rest[k]]);
            final int block = lines.getInt(line, BLOCK);
            final int start = lines.getInt(line, START);
            final Region ring = blocks.region(block);
            final long first = inRing(block, start, INLINE);
            lines.setLong(line, THIRD, ring.getLong(first, 0));
            lines.setLong(line, THIRD + PAYLOAD, ring.getLong(first, PAYLOAD));
            ranks.setLong(ranks(queue[rest[k]]), INLINE - 1, ring.getLong(first, RANK));
            lines.setInt(line, START, start + 1);
            releaseSpace(line, lines.getInt(line, LENGTH) - INLINE);
        }
    }

    /** Reads the lines of the queues that cells join in a separate loop, so that cache misses overlap. */
    private void fetchQueues(final int[] queue, final int count) {
        final Region lines = queues;
        final Region notes = ranks;
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += lines.getInt(line(queue[i]), LENGTH) + notes.getInt(ranks(queue[i]), 0);
        }
        // Stored, so that the compiler keeps the reads.
        fetched += read;
    }

    /** Like {@link #fetchQueues}, for the starts of rings. */
    private void fetchStarts(final int[] queue, final int count) {
        final Region lines = queues;
        int read = 0;
        for (int k = 0; k < count; k++) {
            final long line = line(queue[rest[k]]);
            final int block = lines.getInt(line, BLOCK);
            read += blocks.region(block).getInt(inRing(block, lines.getInt(line, START), INLINE));
        }
        fetched += read;
    }

    /** Byte offset of the line of a queue. */
    private static long line(final int queue) {
        return Region.offset(queue, LINE_BYTES);
    }

    /** Byte offset of the ranks of a queue. */
    private static long ranks(final int queue) {
        return Region.offset(queue, RANKS_BYTES);
    }

    /** Byte offset of an inline entry, given the byte offset of its line. */
    private static long slot(final long line, final int place) {
        return line + ENTRIES_OFFSET + Region.offset(place, ENTRY_BYTES);
    }

    /** Byte offset of a ring entry in the region of its block. */
    private static long inRing(final int block, final int start, final int place) {
        return EntryBlocks.offset(block)
            + Region.offset(start + place - INLINE & EntryBlocks.capacity(block) - 1, RING_ENTRY_BYTES);
    }

    /**
     * Memory for the rings of {@link RankedEntries}: blocks of 4, 8, 16 and more entries, so that the entries of a
     * queue are contiguous. A released block is reused by a queue that needs the same size. Memory grows by chunks and
     * never shrinks; growing is the only allocation after construction. One thread at a time.
     *
     * <pre>
     *   bit 31                     5 4         0
     *      +------------------------+-----------+    handle of a block: its first unit, and the logarithm
     *      |          unit          | log units |    of its units; a unit is {@link #UNIT_ENTRIES} entries
     *      +------------------------+-----------+
     * </pre>
     */
    private static final class EntryBlocks {
        /** No block. */
        static final int NONE = -1;
        /** Number of entries in the smallest block. */
        static final int UNIT_ENTRIES = 4;

        private static final int UNIT_BYTES = UNIT_ENTRIES * RING_ENTRY_BYTES;
        private static final int LOG_BITS = 5;
        private static final int LOG_MASK = (1 << LOG_BITS) - 1;
        private static final int CHUNK_SHIFT = 11;
        private static final int CHUNK_UNITS = 1 << CHUNK_SHIFT;
        private static final int MAX_CHUNKS = 1 << 26 - CHUNK_SHIFT;

        private final Arena arena;
        /** Regions by chunk; a block larger than a chunk has one region, under the number of its first chunk. */
        private Region[] chunks = new Region[4];
        private int chunkCount;
        /** First free block of each size, which holds the next one; or {@link #NONE}. */
        private final int[] free = new int[LOG_MASK + 1];
        /** Range of units in the last chunk that were never used. */
        private int fresh;
        private int freshEnd;

        EntryBlocks(final Arena arena) {
            this.arena = arena;
            Arrays.fill(free, NONE);
        }

        /**
         * Allocates a block, whose content is undefined.
         *
         * @param log logarithm of its number of units, 0 or more.
         * @throws IllegalStateException if it does not fit within 2^28 entries.
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

        /** Frees a block. */
        void release(final int block) {
            final int log = log(block);
            region(block).setInt(offset(block), free[log]);
            free[log] = block;
        }

        /** The region that contains a block. */
        Region region(final int block) {
            return chunks[block >>> LOG_BITS + CHUNK_SHIFT];
        }

        /** Byte offset of its first entry in that region. */
        static long offset(final int block) {
            return Region.offset(block >>> LOG_BITS & CHUNK_UNITS - 1, UNIT_BYTES);
        }

        /** Logarithm of its number of units. */
        static int log(final int block) {
            return block & LOG_MASK;
        }

        /** Number of entries in a block, a power of two. */
        static int capacity(final int block) {
            return UNIT_ENTRIES << (block & LOG_MASK);
        }

        /**
         * Adds a chunk, or as many as a block needs. The unused rest of the last one is divided into smaller free
         * blocks.
         */
        private void grow(final int units) {
            for (int left = freshEnd - fresh; left > 0; left = freshEnd - fresh) {
                final int log = Integer.numberOfTrailingZeros(Integer.highestOneBit(left));
                fresh += 1 << log;
                release(fresh - (1 << log) << LOG_BITS | log);
            }
            final int more = Math.max(1, units >>> CHUNK_SHIFT);
            if (more > MAX_CHUNKS - chunkCount) {
                throw new IllegalStateException("queues are full: entries=" + (long) chunkCount * CHUNK_UNITS
                    * UNIT_ENTRIES
                    + " (the fabric holds more cells than the queues have room for; lower the load)");
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
}
