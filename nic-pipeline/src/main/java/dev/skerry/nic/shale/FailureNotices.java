package dev.skerry.nic.shale;

import dev.skerry.codec.ShaleToken;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * Failure notices of nodes to their neighbours, one queue per link, sent before the ordinary tokens (docs/spec/shale.md
 * §8.3 e). A notice is a {@link ShaleToken} of kind invalidation or re-validation; an ordinary token has kind 0 while
 * it travels as a word, which is only its bucket.
 *
 * <pre>
 *   one link
 *   0        4        8         16
 *   +--------+--------+---------+
 *   | first  | last   | filter  |    records of the {@link SpillPool}, -1: nothing waits
 *   +--------+--------+---------+    a bit for the hash of each waiting bucket; bits stay until the queue is empty
 * </pre>
 *
 * A third kind of notice reports that a cell sent by the peer is missing; it has the kind of a token and the bucket
 * {@code <peer,0>}, of which there are no tokens, and precedes all others. With it, both ends of a link that may miss
 * cells agree again on the tokens they have spent (docs/spec/shale.md §8.5 leaves that to the payload of idle cells).
 *
 * <p>A notice that revokes a queued one removes it instead of joining the queue, so a queue holds at most one notice
 * per bucket. In most cases there is nothing to revoke. The filter shows this without walking the queue, whose records
 * are far apart in memory while all nodes report a failure to each other. One thread at a time.
 */
public final class FailureNotices {
    /** No notice. */
    static final int NONE = -1;

    private static final int KIND_SHIFT = 23;
    private static final int BUCKET_MASK = (1 << KIND_SHIFT) - 1;
    private static final int LAST = 4;
    private static final int FILTER = 8;
    private static final int LINK_BYTES = 16;
    private static final int SPREAD = 0x9E3779B9;

    private final Region region;
    private final SpillPool pool;
    private long waiting;

    FailureNotices(final Arena arena, final int links, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) links * LINK_BYTES);
        this.pool = pool;
        for (int link = 0; link < links; link++) {
            region.setInt((long) link * LINK_BYTES, SpillPool.NONE);
        }
    }

    /** Memory of a number of links in bytes. */
    static long bytes(final int links) {
        return (long) links * LINK_BYTES;
    }

    /** A notice that the paths of a bucket are lost, or available again. */
    static int of(final int bucket, final boolean lost) {
        return (lost ? ShaleToken.KIND_INVALIDATION : ShaleToken.KIND_REVALIDATION) << KIND_SHIFT | bucket;
    }

    /** A notice that a cell of a neighbour is missing. */
    static int missing(final int peer) {
        return ShaleToken.of(peer, 0);
    }

    /** Whether a notice reports a missing cell. */
    public static boolean isMissing(final int notice) {
        return notice >>> KIND_SHIFT == ShaleToken.KIND_TOKEN;
    }

    /** Whether a word is a notice that paths are lost, or available again. */
    public static boolean isNotice(final int notice) {
        final int kind = notice >>> KIND_SHIFT;
        return kind == ShaleToken.KIND_INVALIDATION || kind == ShaleToken.KIND_REVALIDATION;
    }

    /** Whether a notice of a feedback word other than {@link #NONE} is an ordinary token. */
    public static boolean isToken(final int notice) {
        return notice >>> KIND_SHIFT == ShaleToken.KIND_NONE;
    }

    /** 1 for a feedback word with a notice that is not an ordinary token, else 0. */
    static int oneIfNotice(final long feedback) {
        assert NONE >> KIND_SHIFT == -1 : "kinds of notices are above 0";
        return (-((int) feedback >> KIND_SHIFT) | -((int) (feedback >>> Integer.SIZE) >> KIND_SHIFT))
            >>> Integer.SIZE - 1;
    }

    /** Whether a notice that is not a token reports that paths are lost rather than available again. */
    static boolean isLoss(final int notice) {
        return notice >>> KIND_SHIFT == ShaleToken.KIND_INVALIDATION;
    }

    /** The bucket of a notice. */
    static int bucket(final int notice) {
        return notice & BUCKET_MASK;
    }

    /** Whether no notice is queued. */
    boolean isEmpty(final int link) {
        return region.getInt((long) link * LINK_BYTES) == SpillPool.NONE;
    }

    /** Whether no notice is queued for any of several consecutive links. */
    boolean areEmpty(final int first, final int count) {
        int all = SpillPool.NONE;
        for (int i = 0; waiting > 0 && i < count; i++) {
            all &= region.getInt(Region.offset(first + i, LINK_BYTES));
        }
        return all == SpillPool.NONE;
    }

    /** Appends a notice, unless it revokes a queued one. */
    void add(final int link, final int notice) {
        final long at = (long) link * LINK_BYTES;
        final long bit = bit(notice);
        if ((region.getLong(at + FILTER) & bit) != 0 && meets(at, notice)) {
            return;
        }
        final int added = pool.take(notice, 0);
        waiting++;
        if (region.getInt(at) == SpillPool.NONE) {
            region.setInt(at, added);
        } else {
            pool.setNext(region.getInt(at + LAST), added);
        }
        region.setInt(at + LAST, added);
        region.setLong(at + FILTER, region.getLong(at + FILTER) | bit);
    }

    /** Whether a notice of the same bucket is queued; it is removed if this one revokes it. */
    private boolean meets(final long at, final int notice) {
        int before = SpillPool.NONE;
        int record = region.getInt(at);
        while (record != SpillPool.NONE && bucket((int) pool.first(record)) != bucket(notice)) {
            before = record;
            record = pool.next(record);
        }
        if (record != SpillPool.NONE && pool.first(record) != notice) {
            remove(at, before, record);
        }
        return record != SpillPool.NONE;
    }

    /** Inserts a notice before all others. */
    void addFirst(final int link, final int notice) {
        final long at = (long) link * LINK_BYTES;
        final int added = pool.take(notice, 0);
        waiting++;
        if (region.getInt(at) == SpillPool.NONE) {
            region.setInt(at + LAST, added);
        }
        pool.setNext(added, region.getInt(at));
        region.setInt(at, added);
        region.setLong(at + FILTER, region.getLong(at + FILTER) | bit(notice));
    }

    /** The first notice, or {@link #NONE}. */
    int peek(final int link) {
        final int record = region.getInt((long) link * LINK_BYTES);
        return record == SpillPool.NONE ? NONE : (int) pool.first(record);
    }

    /** Removes and returns the first notice, or {@link #NONE}. */
    int poll(final int link) {
        final long at = (long) link * LINK_BYTES;
        final int record = region.getInt(at);
        if (record == SpillPool.NONE) {
            return NONE;
        }
        final int notice = (int) pool.first(record);
        remove(at, SpillPool.NONE, record);
        return notice;
    }

    /** Discards all queued notices. */
    void clear(final int link) {
        while (poll(link) != NONE) {
            continue;
        }
    }

    private void remove(final long at, final int before, final int record) {
        final int next = pool.next(record);
        if (before == SpillPool.NONE) {
            region.setInt(at, next);
        } else {
            pool.setNext(before, next);
        }
        if (next == SpillPool.NONE) {
            region.setInt(at + LAST, before);
        }
        if (region.getInt(at) == SpillPool.NONE) {
            region.setLong(at + FILTER, 0);
        }
        pool.release(record);
        waiting--;
    }

    private static long bit(final int notice) {
        return 1L << (bucket(notice) * SPREAD >>> Integer.SIZE - 6);
    }
}
