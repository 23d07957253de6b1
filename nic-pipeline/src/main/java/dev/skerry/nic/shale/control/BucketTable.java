package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

/**
 * The reasons of {@link ActiveBuckets} where nodes have few buckets: a count for each, all in the near caches. One
 * bank, one thread.
 */
final class BucketTable {
    private final int spraysShift;
    private final int numbers;
    /** By node, then number of the bucket. */
    private final int[] reasons;
    private final int[] active;
    private final int[] maxActive;

    /** Nothing active at the nodes of a bank. */
    BucketTable(final Shale shale, final int nodes) {
        this.spraysShift = spraysShift(shale);
        this.numbers = numbers(shale);
        this.reasons = new int[nodes * numbers];
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
    }

    void add(final int node, final int bucket) {
        if (reasons[place(node, bucket)]++ == 0) {
            maxActive[node] = Math.max(maxActive[node], ++active[node]);
        }
    }

    void remove(final int node, final int bucket) {
        final int left = --reasons[place(node, bucket)];
        assert left >= 0 : "not active: node=" + node;
        active[node] -= left == 0 ? 1 : 0;
    }

    /** Buckets active at a node. */
    int active(final int node) {
        return active[node];
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        return maxActive[node];
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
