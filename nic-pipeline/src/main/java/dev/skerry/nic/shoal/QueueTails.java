package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The cells of queues behind their first ones: the second lies in place, others in a {@link SpillPool}; see
 * {@link ShoalQueueLayout}. One thread.
 */
final class QueueTails {
    private final Region firsts;
    private final Region more;
    private final SpillPool pool;

    /** Behind the first cells of some queues. */
    QueueTails(final Arena arena, final int queues, final Region firsts, final SpillPool pool) {
        this.firsts = firsts;
        this.more = Region.allocate(arena, Region.offset(queues, ShoalQueueLayout.MORE_BYTES));
        this.pool = pool;
    }

    /** Writes the cell that comes behind {@code behind} others; the first one where there are none. */
    void put(final int queue, final int behind, final long routeWord, final long cellWord) {
        final long rest = Region.offset(queue, ShoalQueueLayout.MORE_BYTES);
        if (behind == 0) {
            final long first = Region.offset(queue, ShoalQueueLayout.FIRST_BYTES);
            firsts.setLong(first, 0, routeWord);
            firsts.setLong(first, 1, cellWord);
        } else if (behind == 1) {
            more.setLong(rest, ShoalQueueLayout.SECOND, routeWord);
            more.setLong(rest, ShoalQueueLayout.SECOND + 1, cellWord);
        } else {
            final int record = pool.take(routeWord, cellWord);
            if (behind == ShoalQueueLayout.INLINE) {
                more.setInt(rest, ShoalQueueLayout.SPILL_HEAD, record);
            } else {
                pool.setNext(more.getInt(rest, ShoalQueueLayout.SPILL_TAIL), record);
            }
            more.setInt(rest, ShoalQueueLayout.SPILL_TAIL, record);
        }
    }

    /** After the first of several cells has left: the second becomes the first, the oldest spilled one the second. */
    void moveUp(final int queue, final int length) {
        final long first = Region.offset(queue, ShoalQueueLayout.FIRST_BYTES);
        final long rest = Region.offset(queue, ShoalQueueLayout.MORE_BYTES);
        firsts.setLong(first, 0, more.getLong(rest, ShoalQueueLayout.SECOND));
        firsts.setLong(first, 1, more.getLong(rest, ShoalQueueLayout.SECOND + 1));
        if (length > ShoalQueueLayout.INLINE) {
            final int record = more.getInt(rest, ShoalQueueLayout.SPILL_HEAD);
            more.setLong(rest, ShoalQueueLayout.SECOND, pool.first(record));
            more.setLong(rest, ShoalQueueLayout.SECOND + 1, pool.second(record));
            more.setInt(rest, ShoalQueueLayout.SPILL_HEAD, pool.next(record));
            pool.release(record);
        }
    }

    /** Shows the cells of a queue behind its first one in order. */
    void forEach(final int queue, final int length, final ShoalQueues.Visitor visitor) {
        final long rest = Region.offset(queue, ShoalQueueLayout.MORE_BYTES);
        if (length > 1) {
            visitor.cell(more.getLong(rest, ShoalQueueLayout.SECOND), more.getLong(rest, ShoalQueueLayout.SECOND + 1));
        }
        int record = length > ShoalQueueLayout.INLINE ? more.getInt(rest, ShoalQueueLayout.SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            visitor.cell(pool.first(record), pool.second(record));
            record = pool.next(record);
        }
    }
}
