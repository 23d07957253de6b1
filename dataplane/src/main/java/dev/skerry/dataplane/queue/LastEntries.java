package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * What {@link RankedOrder} knows of the last entry of each queue, so that an entry that joins behind it need not look
 * at it: the ends of rings lie far apart, and reading one is a cache miss that writing to it is not.
 *
 * <pre>
 *   0        8       12     16
 *   +--------+-------+------+
 *   |  rank  | group |      |    group {@link #UNKNOWN}: look at the entry
 *   +--------+-------+------+
 * </pre>
 *
 * One thread at a time.
 */
final class LastEntries {
    /** Bytes of a queue. */
    static final int BYTES = 16;
    /** The group of an entry that was not noted. */
    static final int UNKNOWN = Integer.MIN_VALUE;

    private static final int RANK = 0;
    private static final int GROUP = 2;

    private final Region lasts;
    private int fetched;

    /** Of empty queues, of which nothing is known. */
    LastEntries(final Arena arena, final int queues) {
        this.lasts = Region.allocate(arena, (long) queues * BYTES);
    }

    /** Notes the entry that is the last of a queue from now on. */
    void set(final int queue, final long rank, final int group) {
        final long at = Region.offset(queue, BYTES);
        lasts.setLong(at, RANK, rank);
        lasts.setInt(at, GROUP, group);
    }

    /** Reads what is noted of queues in a loop of its own, so that cache misses overlap. */
    void fetch(final int[] queue, final int count) {
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += group(queue[i]);
        }
        // Stored so that the compiler keeps the reads.
        fetched += read;
    }

    /** Another entry of a queue is the last one now, or it has changed. */
    void forget(final int queue) {
        lasts.setInt(Region.offset(queue, BYTES), GROUP, UNKNOWN);
    }

    /** The rank of the last entry, if its group is known. */
    long rank(final int queue) {
        return lasts.getLong(Region.offset(queue, BYTES), RANK);
    }

    /** The group of the last entry, {@link Ranking#ALONE} or {@link #UNKNOWN}; undefined for an empty queue. */
    int group(final int queue) {
        return lasts.getInt(Region.offset(queue, BYTES), GROUP);
    }
}
