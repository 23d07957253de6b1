package dev.skerry.dataplane.queue;

import static dev.skerry.dataplane.queue.EligibilityLayout.INLINE;
import static dev.skerry.dataplane.queue.EligibilityLayout.LAST_WORD;
import static dev.skerry.dataplane.queue.EligibilityLayout.SPILL_HEAD;
import static dev.skerry.dataplane.queue.EligibilityLayout.SPILL_TAIL;

import dev.skerry.dataplane.memory.Region;

/**
 * The entries of {@link EligibilityQueues} behind the inline ones: a chain of {@link SpillPool} records for each long
 * queue, appended at its tail, taken from its head. {@code at} is the byte offset of a queue in the region. Functions,
 * so that a bank needs no second reference to its memory. One thread.
 */
final class SpillChains {
    private SpillChains() {
    }

    /** Appends an entry to a queue of {@code length} entries, {@link EligibilityLayout#INLINE} or more. */
    static void append(final Region region, final SpillPool pool, final long at, final int length, final long word,
        final long with) {
        final int record = pool.take(word, with);
        if (length == INLINE) {
            region.setInt(at, SPILL_HEAD, record);
        } else {
            pool.setNext(region.getInt(at, SPILL_TAIL), record);
        }
        region.setInt(at, SPILL_TAIL, record);
    }

    /** Moves the oldest entry of a chain to the last inline place. */
    static void refill(final Region region, final SpillPool pool, final long at) {
        final int record = region.getInt(at, SPILL_HEAD);
        region.setLong(at, LAST_WORD, pool.first(record));
        region.setLong(at, LAST_WORD + 1, pool.second(record));
        region.setInt(at, SPILL_HEAD, pool.next(record));
        pool.release(record);
    }

    /** Takes the first eligible record out of the chain of a queue and returns it, or {@link SpillPool#NONE}. */
    static int unlink(final Region region, final SpillPool pool, final long at, final int queue,
        final Eligibility rule) {
        int before = SpillPool.NONE;
        int record = region.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE && !rule.eligible(queue, pool.first(record))) {
            before = record;
            record = pool.next(record);
        }
        if (record == SpillPool.NONE) {
            return record;
        }
        final int next = pool.next(record);
        if (before == SpillPool.NONE) {
            region.setInt(at, SPILL_HEAD, next);
        } else {
            pool.setNext(before, next);
        }
        if (next == SpillPool.NONE) {
            region.setInt(at, SPILL_TAIL, before);
        }
        return record;
    }

    /** Shows the entries of the chain of a queue of {@code length} entries, oldest first. */
    static void forEach(final Region region, final SpillPool pool, final long at, final int length,
        final EligibilityQueues.Visitor visitor) {
        int record = length > INLINE ? region.getInt(at, SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            visitor.entry(pool.first(record), pool.second(record));
            record = pool.next(record);
        }
    }
}
