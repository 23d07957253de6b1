package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * A bank of first-come, first-served queues that are mostly empty; all entries are in a {@link SpillPool}. An empty
 * queue costs eight bytes. Queues are numbered from 0; a number outside the bank is caught by an assertion only. One
 * thread at a time.
 *
 * <pre>
 *   0      4      8
 *   +------+------+
 *   | head | tail |    records of the pool, the oldest and the newest; head is NONE for an empty queue
 *   +------+------+
 * </pre>
 */
public final class ChainedFifos {
    /** Size of a queue in bytes, without its entries. */
    public static final int QUEUE_BYTES = 8;

    private final Region region;
    private final SpillPool pool;
    private long entry;
    private long payload;

    /**
     * Creates a bank of empty queues.
     *
     * @param arena  owner of the memory.
     * @param queues number of queues, at least 1.
     * @param pool   holds the entries; used by the same thread.
     */
    public ChainedFifos(final Arena arena, final int queues, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) queues * QUEUE_BYTES);
        this.pool = pool;
        region.fill((byte) SpillPool.NONE);
    }

    /** Adds an entry of two words. */
    public void enqueue(final int queue, final long word, final long with) {
        pool.append(region, Region.offset(queue, QUEUE_BYTES), isEmpty(queue), word, with);
    }

    /** Removes the oldest entry of a non-empty queue; {@link #entry} and {@link #payload} return its words. */
    public void dequeue(final int queue) {
        final int record = pool.poll(region, Region.offset(queue, QUEUE_BYTES));
        entry = pool.first(record);
        payload = pool.second(record);
    }

    /** Whether a queue is empty. */
    public boolean isEmpty(final int queue) {
        return head(queue) == SpillPool.NONE;
    }

    /** Number of entries in a queue, determined by counting them. */
    public int length(final int queue) {
        int length = 0;
        for (int record = head(queue); record != SpillPool.NONE; record = pool.next(record)) {
            length++;
        }
        return length;
    }

    /** The first word of the entry removed last. */
    public long entry() {
        return entry;
    }

    /** The second word of the entry removed last. */
    public long payload() {
        return payload;
    }

    /** Passes every entry of a queue, oldest first, to a visitor, which must not modify the queues. */
    public void forEach(final int queue, final CellQueues.Visitor visitor) {
        pool.forEach(head(queue), visitor);
    }

    private int head(final int queue) {
        return region.getInt(Region.offset(queue, QUEUE_BYTES));
    }
}
