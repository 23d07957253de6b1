package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The shallow queues in front of the links (docs/spec/stardust.md §4): for each port of a bank's devices one FIFO for
 * each fabric priority. Cells lie in one shared pool, linked in order of arrival, so an empty queue costs a record
 * only. The pool reuses the cells released last, which are still in the cache.
 *
 * <pre>
 *   one queue   0      4      8        12
 *               +------+------+--------+---------+
 *               | head | tail | length | longest |
 *               +------+------+--------+---------+
 * </pre>
 *
 * One thread.
 */
final class LinkQueues {
    private static final int QUEUE_SHIFT = 4;
    private static final int HEAD = 0;
    private static final int TAIL = 1;
    private static final int LENGTH = 2;
    private static final int LONGEST = 3;

    private final Region region;
    private final SpillPool pool;
    private long second;

    LinkQueues(final Arena arena, final int queues, final int maxCells) {
        this.region = Region.allocate(arena, bytes(queues));
        this.pool = new SpillPool(arena, maxCells);
    }

    /** Memory in bytes of empty queues. */
    static long bytes(final int queues) {
        return (long) queues << QUEUE_SHIFT;
    }

    /** Cells in a queue. */
    int length(final int queue) {
        return region.getInt((long) queue << QUEUE_SHIFT, LENGTH);
    }

    /** Most cells that were ever in a queue. */
    int longest(final int queue) {
        return region.getInt((long) queue << QUEUE_SHIFT, LONGEST);
    }

    /** Cells in all queues. */
    int held() {
        return pool.used();
    }

    /** The first word of the oldest cell of a queue that is not empty; it stays. */
    long peek(final int queue) {
        return pool.first(region.getInt((long) queue << QUEUE_SHIFT, HEAD));
    }

    /** Appends a cell. */
    void enqueue(final int queue, final long first, final long with) {
        final long at = (long) queue << QUEUE_SHIFT;
        final int record = pool.take(first, with);
        final int length = region.getInt(at, LENGTH) + 1;
        if (length == 1) {
            region.setInt(at, HEAD, record);
        } else {
            pool.setNext(region.getInt(at, TAIL), record);
        }
        region.setInt(at, TAIL, record);
        region.setInt(at, LENGTH, length);
        if (length > region.getInt(at, LONGEST)) {
            region.setInt(at, LONGEST, length);
        }
    }

    /** Takes out the oldest cell of a queue that is not empty: its first word; {@link #second()} is the other. */
    long dequeue(final int queue) {
        final long at = (long) queue << QUEUE_SHIFT;
        final int record = region.getInt(at, HEAD);
        final long first = pool.first(record);
        second = pool.second(record);
        region.setInt(at, HEAD, pool.next(record));
        region.setInt(at, LENGTH, region.getInt(at, LENGTH) - 1);
        pool.release(record);
        return first;
    }

    /** The second word of the cell taken out last. */
    long second() {
        return second;
    }
}
