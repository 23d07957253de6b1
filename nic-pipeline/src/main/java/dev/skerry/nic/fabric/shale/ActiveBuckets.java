package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.queue.CellBatch;

import java.lang.foreign.Arena;

/**
 * Which buckets are active at every node, and the most that ever were: a bucket is active while a cell waits for it or
 * a token of it is outstanding on any link (spec/shale §9.4). It counts those reasons for each bucket of each node. One
 * thread at a time.
 */
sealed interface ActiveBuckets permits CountedActiveBuckets, HashedActiveBuckets {
    /** A count for every bucket of a node is kept up to this many bytes a node. */
    int COUNTED_BYTES = 1 << 13;
    /** Entries of the first hashed table of a node. */
    int HASHED_ENTRIES = 512;

    /** Nothing active, in the form that suits the number of buckets. */
    static ActiveBuckets of(final Arena arena, final Shale shale, final int nodes) {
        return CountedActiveBuckets.bytesOfNode(shale) <= COUNTED_BYTES
            ? new CountedActiveBuckets(arena, shale, nodes)
            : new HashedActiveBuckets(arena, nodes, HASHED_ENTRIES);
    }

    /** Memory of a bank in bytes, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return CountedActiveBuckets.bytesOfNode(shale) <= COUNTED_BYTES
            ? (long) nodes * CountedActiveBuckets.bytesOfNode(shale)
            : HashedActiveBuckets.bytes(nodes, HASHED_ENTRIES);
    }

    /** One more reason for a bucket to be active, or none: {@code reasons} is 1 or 0. */
    void add(int node, int bucket, int reasons);

    /** One reason less. */
    void remove(int node, int bucket);

    /** One more reason for the bucket of each cell that joined a queue, unless its next hop is the last. */
    default void add(final CellBatch joined) {
        for (int i = 0; i < joined.count(); i++) {
            add(joined.node()[i], Route.bucket(joined.word()[i]), Route.tokens(joined.word()[i]));
        }
    }

    /** One reason more for the buckets of some nodes that follow each other. */
    default void add(final int firstNode, final long which, final int[] buckets) {
        for (long rest = which; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            add(firstNode + i, buckets[i], 1);
        }
    }

    /** One reason less for the buckets of some nodes that follow each other. */
    default void remove(final int firstNode, final long which, final int[] buckets) {
        for (long rest = which; rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            remove(firstNode + i, buckets[i]);
        }
    }

    /** Buckets active at a node. */
    int active(int node);

    /** Most buckets ever active at a node. */
    int maxActive(int node);
}
