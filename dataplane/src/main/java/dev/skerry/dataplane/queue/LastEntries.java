package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

/**
 * What {@link RankedOrder} knows of the last entry of each queue with a ring, so that an entry that joins behind it
 * need not look at it: the ends of rings lie far apart, and reading one is a cache miss that writing to it is not. It
 * stands beside the entries of a queue, see {@link RankedEntries}. One thread at a time.
 */
final class LastEntries {
    /** The group of an entry that was not noted: look at the entry. */
    static final int UNKNOWN = Integer.MIN_VALUE;

    private static final int OFFSET = 112;
    private static final int RANK = 0;
    private static final int GROUP = 2;

    private final Region queues;

    /** Of the lines of queues. */
    LastEntries(final Region queues) {
        this.queues = queues;
    }

    /** Notes the entry that is the last of a queue from now on. */
    void set(final int queue, final long rank, final int group) {
        final long at = at(queue);
        queues.setLong(at, RANK, rank);
        queues.setInt(at, GROUP, group);
    }

    private static long at(final int queue) {
        return Region.offset(queue, RankedEntries.QUEUE_BYTES) + OFFSET;
    }

    /** Another entry of a queue is the last one now, or it has changed. */
    void forget(final int queue) {
        queues.setInt(at(queue), GROUP, UNKNOWN);
    }

    /** The rank of the last entry, if its group is known. */
    long rank(final int queue) {
        return queues.getLong(at(queue), RANK);
    }

    /** The group of the last entry, {@link Ranking#ALONE} or {@link #UNKNOWN}; undefined without a ring. */
    int group(final int queue) {
        return queues.getInt(at(queue), GROUP);
    }
}
