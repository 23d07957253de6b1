package dev.skerry.nic.shale.control;

import static dev.skerry.nic.shale.control.TokenLedgerLayout.SPILL_HEAD;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

/**
 * Entries of {@link TokenLists} past the inline ones: a chain of records of the pool for each link that has any,
 * newest first. Rare, so it is searched record by record. One thread.
 */
final class SpilledTokens {
    private final Region links;
    private final SpillPool pool;

    /**
     * No entries.
     *
     * @param links records of {@link TokenLedgerLayout}, which hold the head of each chain.
     */
    SpilledTokens(final Region links, final SpillPool pool) {
        this.links = links;
        this.pool = pool;
    }

    /** Adds an entry to the link at an offset. */
    void add(final long at, final int key, final boolean isFirst) {
        final int record = pool.take(key, 0);
        pool.setNext(record, isFirst ? SpillPool.NONE : links.getInt(at, SPILL_HEAD));
        links.setInt(at, SPILL_HEAD, record);
    }

    /** Takes out the newest entry of a link that has one. */
    int take(final long at) {
        final int record = links.getInt(at, SPILL_HEAD);
        final int key = (int) pool.first(record);
        links.setInt(at, SPILL_HEAD, pool.next(record));
        pool.release(record);
        return key;
    }

    /** Entries of a link that are a key. */
    int count(final long at, final int key) {
        int found = 0;
        for (int record = links.getInt(at, SPILL_HEAD); record != SpillPool.NONE; record = pool.next(record)) {
            found += pool.first(record) == key ? 1 : 0;
        }
        return found;
    }

    /** Takes out an entry; false if there is none. */
    boolean remove(final long at, final int key) {
        int before = SpillPool.NONE;
        int record = links.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE && pool.first(record) != key) {
            before = record;
            record = pool.next(record);
        }
        if (record == SpillPool.NONE) {
            return false;
        }
        if (before == SpillPool.NONE) {
            links.setInt(at, SPILL_HEAD, pool.next(record));
        } else {
            pool.setNext(before, pool.next(record));
        }
        pool.release(record);
        return true;
    }

    /** Copies the entries of a link, newest first, to an array from a place on. */
    void copy(final long at, final int[] into, final int from) {
        int record = links.getInt(at, SPILL_HEAD);
        for (int i = from; record != SpillPool.NONE; i++) {
            into[i] = (int) pool.first(record);
            record = pool.next(record);
        }
    }

    /** Takes out all entries of a link. */
    void clear(final long at) {
        int record = links.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE) {
            final int next = pool.next(record);
            pool.release(record);
            record = next;
        }
    }
}
