package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Prefetcher;

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
    int HASHED_ENTRIES = 256;

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

    /** Notes the line on which a bucket of a node is, or its search begins. */
    void prefetch(int node, int bucket, Prefetcher lines);

    /** Buckets active at a node. */
    int active(int node);

    /** Most buckets ever active at a node. */
    int maxActive(int node);
}
