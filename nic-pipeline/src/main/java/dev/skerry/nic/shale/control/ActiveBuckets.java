package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;

/**
 * How many buckets are active at every node, and the most that ever were: a bucket is active while a cell waits for it
 * or a token of it is outstanding on any link, each of them a reason (docs/spec/shale.md §9.4). A small bank has a
 * count for each bucket, all in the near caches; others have a {@link BucketLog}. One bank, one thread.
 */
final class ActiveBuckets {
    /** Most counts of a table: with more, its lines leave the nearer caches. */
    private static final int TABLE_COUNTS = 1 << 15;

    /** Null in a small bank. */
    private final BucketLog log;
    /** Of a small bank, else null: reasons by node, then number of the bucket; buckets active, and most ever. */
    private final int[] reasons;
    private final int[] active;
    private final int[] maxActive;
    private final int spraysShift;
    private final int numbers;

    /** Nothing active at the nodes of a bank. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this(arena, shale, nodes, TABLE_COUNTS);
    }

    /** For tests: with a table of at most some counts. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes, final int tableCounts) {
        this.spraysShift = spraysShift(shale);
        this.numbers = numbers(shale);
        final boolean isSmall = (long) numbers * nodes <= tableCounts;
        this.log = isSmall ? null : new BucketLog(arena, shale, nodes);
        this.reasons = isSmall ? new int[nodes * numbers] : null;
        this.active = isSmall ? new int[nodes] : null;
        this.maxActive = isSmall ? new int[nodes] : null;
    }

    /** Off-heap memory of a bank in bytes at most, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return BucketLog.bytes(shale, nodes);
    }

    /**
     * Begins a slot of a block: tokens were spent for cells that start here. May be left out where none was.
     *
     * @param first the first of {@code count} nodes of a block.
     * @param keys  the bucket of each plus 1.
     * @param which 1 where a token was spent, else 0.
     */
    void begin(final int first, final int count, final int[] keys, final int[] which) {
        if (log != null && log.takesRows(first)) {
            log.begin(first, count, keys, which);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (which[i] != 0) {
                add(first + i, keys[i] - 1);
            }
        }
    }

    /**
     * Ends a slot of a block: cells joined queues, then tokens came back.
     *
     * @param first   the first of {@code count} nodes of a block.
     * @param joined  the cells, at most one a node: a reason each, except before a last hop.
     * @param buckets the bucket of a token that came back to each node, -1 for none.
     * @param another the bucket of a second token, -1 for none.
     */
    void end(final int first, final int count, final CellBatch joined, final int[] buckets, final int[] another) {
        if (log != null && log.takesRows(first)) {
            log.end(first, count, joined, buckets, another);
        } else {
            add(joined);
            for (int i = 0; i < count; i++) {
                remove(first + i, buckets[i], another[i]);
            }
        }
        if (log != null) {
            log.onSlot(first, true);
        }
    }

    /** As {@link #end(int, int, CellBatch, int[], int[])}, where tokens came back to {@code some} listed nodes. */
    void end(final int first, final int[] which, final int some, final CellBatch joined, final int[] buckets,
        final int[] another) {
        add(joined);
        for (int k = 0; k < some; k++) {
            remove(first + which[k], buckets[which[k]], another[which[k]]);
        }
        if (log != null) {
            log.onSlot(first, false);
        }
    }

    private void remove(final int node, final int bucket, final int another) {
        if (bucket >= 0) {
            remove(node, bucket);
        }
        if (another >= 0) {
            remove(node, another);
        }
    }

    private void add(final CellBatch joined) {
        for (int k = 0; k < joined.count(); k++) {
            if (Route.tokens(joined.word()[k]) > 0) {
                add(joined.node()[k], Route.bucket(joined.word()[k]));
            }
        }
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        if (log != null) {
            log.add(node, bucket);
        } else if (reasons[place(node, bucket)]++ == 0) {
            maxActive[node] = Math.max(maxActive[node], ++active[node]);
        }
    }

    /** One reason less. */
    void remove(final int node, final int bucket) {
        if (log != null) {
            log.remove(node, bucket);
        } else {
            final int left = --reasons[place(node, bucket)];
            assert left >= 0 : "not active: node=" + node;
            active[node] -= left == 0 ? 1 : 0;
        }
    }

    /** Buckets active at a node. */
    int active(final int node) {
        return log != null ? log.active(node) : active[node];
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        return log != null ? log.maxActive(node) : maxActive[node];
    }

    private int place(final int node, final int bucket) {
        return node * numbers + (bucket >> Route.DESTINATION_SHIFT << spraysShift | bucket & Route.MAX_SPRAYS);
    }

    /** Numbers of buckets. */
    static int numbers(final Shale shale) {
        return shale.nodes() << spraysShift(shale);
    }

    /** Bits of the sprays in the number of a bucket. */
    static int spraysShift(final Shale shale) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(shale.schedule().phases() - 1);
    }
}
