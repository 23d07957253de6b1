package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The entries of {@link RankedQueues}, those of a queue by their place, 0 for the one that leaves first. A queue is two
 * cache lines with its first four entries; the others lie side by side in a ring, each in 32 bytes of one line, in a
 * block as large as it needs.
 *
 * <pre>
 *   0        4       8       12        16        40        64        88        112         120     124  128
 *   +--------+-------+-------+---------+---------+---------+---------+---------+-----------+-------+----+
 *   | length | block | start | unsorted| entry 0 | entry 1 | entry 2 | entry 3 | last rank | group |    |
 *   +--------+-------+-------+---------+---------+---------+---------+---------+-----------+-------+----+
 *                                        an entry: 8 B word, 8 B payload word, 8 B rank
 * </pre>
 *
 * Start is the place of entry 4 in the ring of the block; both are undefined for up to four entries, as is what
 * {@link LastEntries} notes. Unsorted is a number of entries, see {@link RankedOrder}. A queue of up to two entries is
 * one cache line. A place in the middle is opened or closed by moving the entries of its shorter side. One thread at a
 * time.
 */
final class RankedEntries {
    /** Bytes of a queue, its block not counted. */
    static final int QUEUE_BYTES = 128;
    /** Bytes of an entry in a ring, so that it lies on one cache line. */
    static final int RING_ENTRY_BYTES = 32;
    /** Entries beside the fields of a queue. */
    static final int INLINE = 4;

    /** Bytes of an entry beside the fields of a queue. */
    private static final int ENTRY_BYTES = 24;
    private static final int LENGTH = 0;
    private static final int BLOCK = 1;
    private static final int START = 2;
    private static final int UNSORTED = 3;
    private static final int ENTRIES_OFFSET = 16;
    private static final int PAYLOAD = 1;
    private static final int RANK = 2;

    private final Region queues;
    private final EntryBlocks blocks;
    /** Where the entry looked for last lies. */
    private Region region;
    private long at;
    private int fetched;

    RankedEntries(final Arena arena, final int count) {
        this.queues = Region.allocate(arena, (long) count * QUEUE_BYTES);
        this.blocks = new EntryBlocks(arena);
    }

    /** What is noted of the last entries, in the lines of the queues. */
    LastEntries lasts() {
        return new LastEntries(queues);
    }

    int length(final int queue) {
        return queues.getInt(Region.offset(queue, QUEUE_BYTES), LENGTH);
    }

    int unsorted(final int queue) {
        return queues.getInt(Region.offset(queue, QUEUE_BYTES), UNSORTED);
    }

    void setUnsorted(final int queue, final int entries) {
        queues.setInt(Region.offset(queue, QUEUE_BYTES), UNSORTED, entries);
    }

    /** The word of the first entry; undefined for an empty queue. */
    long first(final int queue) {
        return queues.getLong(Region.offset(queue, QUEUE_BYTES) + ENTRIES_OFFSET, 0);
    }

    /** Turns to the entry at a place, which {@link #word}, {@link #payload} and {@link #rank} then give. */
    void seek(final int queue, final int place) {
        final long head = Region.offset(queue, QUEUE_BYTES);
        if (place < INLINE) {
            region = queues;
            at = head + ENTRIES_OFFSET + Region.offset(place, ENTRY_BYTES);
        } else {
            final int block = queues.getInt(head, BLOCK);
            region = blocks.region(block);
            at = inRing(block, queues.getInt(head, START), place);
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
        return region.getLong(at, RANK);
    }

    private void set(final long word, final long payload, final long rank) {
        region.setLong(at, 0, word);
        region.setLong(at, PAYLOAD, payload);
        region.setLong(at, RANK, rank);
    }

    /** Byte offset of an entry behind the inline ones in the region of its block. */
    private static long inRing(final int block, final int start, final int place) {
        return EntryBlocks.offset(block)
            + Region.offset(start + place - INLINE & EntryBlocks.capacity(block) - 1, RING_ENTRY_BYTES);
    }

    /** Puts an entry at a place, 0 to the length; the ones from there on move back. */
    void insert(final int queue, final int place, final long word, final long payload, final long rank) {
        final long head = Region.offset(queue, QUEUE_BYTES);
        final int length = queues.getInt(head, LENGTH);
        if (length >= INLINE) {
            makeRoom(head, length - INLINE);
        }
        queues.setInt(head, LENGTH, length + 1);
        if (place < length) {
            open(queue, head, place, length);
        }
        seek(queue, place);
        set(word, payload, rank);
    }

    /** Puts an entry behind the last one of a queue of {@code length} entries. */
    void append(final int queue, final int length, final long word, final long payload, final long rank) {
        final long head = Region.offset(queue, QUEUE_BYTES);
        if (length < INLINE) {
            region = queues;
            at = head + ENTRIES_OFFSET + Region.offset(length, ENTRY_BYTES);
        } else {
            makeRoom(head, length - INLINE);
            seek(queue, length);
        }
        queues.setInt(head, LENGTH, length + 1);
        set(word, payload, rank);
    }

    /** Makes room for one more entry in a ring. */
    private void makeRoom(final long head, final int inRing) {
        if (inRing == 0) {
            queues.setInt(head, BLOCK, blocks.take(0));
            queues.setInt(head, START, 0);
        } else if (inRing == EntryBlocks.capacity(queues.getInt(head, BLOCK))) {
            resize(head, inRing, EntryBlocks.log(queues.getInt(head, BLOCK)) + 1);
        }
    }

    /** Moves a ring into a block of another size. */
    private void resize(final long head, final int inRing, final int log) {
        final int old = queues.getInt(head, BLOCK);
        final int start = queues.getInt(head, START);
        final int block = blocks.take(log);
        for (int i = INLINE; i < INLINE + inRing; i++) {
            copy(blocks.region(old), inRing(old, start, i), blocks.region(block), inRing(block, 0, i));
        }
        blocks.release(old);
        queues.setInt(head, BLOCK, block);
        queues.setInt(head, START, 0);
    }

    /** Moves the entries from a place on back by one, or the ones before it in the ring forward. */
    private void open(final int queue, final long head, final int place, final int length) {
        if (length <= INLINE || place - INLINE > length - place) {
            for (int i = length - 1; i >= place; i--) {
                move(queue, i, i + 1);
            }
            return;
        }
        queues.setInt(head, START, queues.getInt(head, START) - 1);
        for (int i = INLINE; i < place; i++) {
            move(queue, i + 1, i);
        }
        for (int i = INLINE - 1; i >= place; i--) {
            move(queue, i, i + 1);
        }
    }

    /** Takes out the entry at a place; the ones behind it move up. */
    void remove(final int queue, final int place) {
        final long head = Region.offset(queue, QUEUE_BYTES);
        final int length = queues.getInt(head, LENGTH);
        queues.setInt(head, LENGTH, length - 1);
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
            queues.setInt(head, START, queues.getInt(head, START) + 1);
        }
        if (length > INLINE) {
            giveBack(head, length - 1 - INLINE);
        }
    }

    /** Gives back a block that no entry is in, or that is four times as large as it needs to be. */
    private void giveBack(final long head, final int inRing) {
        final int block = queues.getInt(head, BLOCK);
        if (inRing == 0) {
            blocks.release(block);
        } else if (4 * inRing <= EntryBlocks.capacity(block) && EntryBlocks.log(block) > 0) {
            resize(head, inRing, EntryBlocks.log(block) - 1);
        }
    }

    /** Takes the first entry out of each queue of a batch, from one on, and completes the batch; none is empty. */
    void removeFirst(final int from, final CellBatch batch) {
        final Region memory = queues;
        fetchStarts(batch.queue, from, batch.count);
        for (int k = from; k < batch.count; k++) {
            final long head = Region.offset(batch.queue[k], QUEUE_BYTES);
            final long first = head + ENTRIES_OFFSET;
            final int left = memory.getInt(head, LENGTH) - 1;
            final int unsorted = memory.getInt(head, UNSORTED);
            batch.word[k] = memory.getLong(first, 0);
            batch.cell[k] = memory.getLong(first, PAYLOAD);
            batch.length[k] = left;
            memory.setInt(head, LENGTH, left);
            memory.setInt(head, UNSORTED, Math.max(0, unsorted - 1));
            copy(memory, first + ENTRY_BYTES, memory, first);
            if (left > 1) {
                copy(memory, first + 2 * ENTRY_BYTES, memory, first + ENTRY_BYTES);
                copy(memory, first + 3 * ENTRY_BYTES, memory, first + 2 * ENTRY_BYTES);
            }
            if (left >= INLINE) {
                final int block = memory.getInt(head, BLOCK);
                final int start = memory.getInt(head, START);
                copy(blocks.region(block), inRing(block, start, INLINE), memory, first + 3 * ENTRY_BYTES);
                memory.setInt(head, START, start + 1);
                giveBack(head, left - INLINE);
            }
        }
    }

    /** Reads the starts of rings in a loop of its own, so that cache misses overlap. */
    private void fetchStarts(final int[] queue, final int from, final int end) {
        final Region memory = queues;
        int read = 0;
        for (int k = from; k < end; k++) {
            final long head = Region.offset(queue[k], QUEUE_BYTES);
            if (memory.getInt(head, LENGTH) > INLINE) {
                final int block = memory.getInt(head, BLOCK);
                read += blocks.region(block).getInt(inRing(block, memory.getInt(head, START), INLINE));
            }
        }
        // Stored so that the compiler keeps the reads.
        fetched += read;
    }

    /** As the starts, the lines of queues that an entry joins. The ends of rings are written, not read. */
    void fetchQueues(final int[] queue, final int count) {
        final Region memory = queues;
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += memory.getInt(Region.offset(queue[i], QUEUE_BYTES), LENGTH);
        }
        fetched += read;
    }

    private void move(final int queue, final int from, final int to) {
        seek(queue, from);
        final Region source = region;
        final long sourceAt = at;
        seek(queue, to);
        copy(source, sourceAt, region, at);
    }

    private static void copy(final Region source, final long from, final Region target, final long to) {
        target.setLong(to, 0, source.getLong(from, 0));
        target.setLong(to, PAYLOAD, source.getLong(from, PAYLOAD));
        target.setLong(to, RANK, source.getLong(from, RANK));
    }
}
