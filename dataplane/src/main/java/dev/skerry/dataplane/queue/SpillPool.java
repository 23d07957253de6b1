package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Linked records for entries that do not fit the inline part of a small queue or table. Banks of queues keep their
 * first few entries on one or two cache lines; the rare others are stored here, so that a bank is sized for the usual
 * case and still accepts every entry.
 *
 * <pre>
 *   0        8        16    20    24
 *   +--------+--------+-----+-----+
 *   | first  | second | next| pad |   next: record index or NONE; free records are linked by it too
 *   +--------+--------+-----+-----+
 * </pre>
 *
 * The oldest record of a queue is the head of a chain, its newest the tail; the owner of the queue stores both. The
 * pool grows by whole chunks and never shrinks; growing is the only allocation after construction. One thread at a
 * time.
 */
public final class SpillPool {
    /** No record. */
    public static final int NONE = -1;

    private static final int FIRST = 0;
    private static final int SECOND = 8;
    private static final int NEXT = 16;
    private static final int RECORD_BYTES = 24;
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_RECORDS = 1 << CHUNK_SHIFT;

    private final Arena arena;
    private final int maxChunks;
    private Region[] chunks = new Region[4];
    private int chunkCount;
    private int free = NONE;
    private int used;

    /**
     * Creates an empty pool; the first chunk is allocated with the first record.
     *
     * @param arena      provides the chunks.
     * @param maxRecords limit at which {@link #take} fails; rounded up to whole chunks of 4,096.
     */
    public SpillPool(final Arena arena, final int maxRecords) {
        this.arena = arena;
        this.maxChunks = (int) (((long) maxRecords + CHUNK_RECORDS - 1) >> CHUNK_SHIFT);
    }

    /**
     * Allocates a record, writes both values, and sets its next to {@link #NONE}.
     *
     * @return the record, 0 or more.
     * @throws IllegalStateException if the pool has reached its limit.
     */
    public int take(final long first, final long second) {
        if (free == NONE) {
            grow();
        }
        final int record = free;
        final Region chunk = chunks[record >>> CHUNK_SHIFT];
        final long at = offset(record);
        free = chunk.getInt(at + NEXT);
        chunk.setLong(at + FIRST, first);
        chunk.setLong(at + SECOND, second);
        chunk.setInt(at + NEXT, NONE);
        used++;
        return record;
    }

    /** Frees a record; the caller must not use it afterwards. */
    public void release(final int record) {
        setNext(record, free);
        free = record;
        used--;
    }

    /** First value of a record. */
    public long first(final int record) {
        return chunks[record >>> CHUNK_SHIFT].getLong(offset(record) + FIRST);
    }

    /** Second value of a record. */
    public long second(final int record) {
        return chunks[record >>> CHUNK_SHIFT].getLong(offset(record) + SECOND);
    }

    /** The record after this one, or {@link #NONE}. */
    public int next(final int record) {
        return chunks[record >>> CHUNK_SHIFT].getInt(offset(record) + NEXT);
    }

    /** Links a record to the one after it. */
    public void setNext(final int record, final int next) {
        chunks[record >>> CHUNK_SHIFT].setInt(offset(record) + NEXT, next);
    }

    /**
     * Appends a record to a chain.
     *
     * @param chains holds the chain's head and tail, two ints at an offset.
     */
    public void append(final Region chains, final long at, final boolean isEmpty, final long first,
        final long second) {
        final int record = take(first, second);
        if (isEmpty) {
            chains.setInt(at, record);
        } else {
            setNext(chains.getInt(at + Integer.BYTES), record);
        }
        chains.setInt(at + Integer.BYTES, record);
    }

    /** Removes the head of a non-empty chain and frees it; its values stay readable until the next allocation. */
    public int poll(final Region chains, final long at) {
        final int record = chains.getInt(at);
        chains.setInt(at, next(record));
        release(record);
        return record;
    }

    /** Passes the records of a chain to a visitor, starting with the head. */
    public void forEach(final int head, final CellQueues.Visitor visitor) {
        for (int record = head; record != NONE; record = next(record)) {
            visitor.entry(first(record), second(record));
        }
    }

    /** Number of allocated records. */
    public int used() {
        return used;
    }

    private void grow() {
        if (chunkCount == maxChunks) {
            throw new IllegalStateException("spill pool full: records=" + (long) chunkCount * CHUNK_RECORDS
                + " (the fabric holds more cells than there is memory for; lower the load)");
        }
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunkCount * 2);
        }
        chunks[chunkCount] = Region.allocate(arena, (long) CHUNK_RECORDS * RECORD_BYTES);
        final int base = chunkCount++ << CHUNK_SHIFT;
        for (int i = CHUNK_RECORDS - 1; i >= 0; i--) {
            setNext(base + i, free);
            free = base + i;
        }
    }

    private static long offset(final int record) {
        return (long) (record & CHUNK_RECORDS - 1) * RECORD_BYTES;
    }
}
