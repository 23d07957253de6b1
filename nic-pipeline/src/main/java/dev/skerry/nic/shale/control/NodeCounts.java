package dev.skerry.nic.shale.control;

import org.agrona.collections.Long2LongCounterMap;

/** Counts for every node of a bank, by a key of at least 0: only counts above 0 take a place. One thread. */
final class NodeCounts {
    /** By node in the upper half, then key. */
    private final Long2LongCounterMap counts = new Long2LongCounterMap(0);
    /** By node: keys with a count. */
    private final int[] size;

    NodeCounts(final int nodes) {
        this.size = new int[nodes];
    }

    /** Keys of a node with a count above 0. */
    int size(final int node) {
        return size[node];
    }

    /** The count of a key. */
    int get(final int node, final int key) {
        return (int) counts.get(of(node, key));
    }

    /** Adds one to the count of a key; returns it. */
    int add(final int node, final int key) {
        final int now = (int) counts.incrementAndGet(of(node, key));
        size[node] += now == 1 ? 1 : 0;
        return now;
    }

    /** Takes one from the count of a key, which is above 0; returns what is left. */
    int remove(final int node, final int key) {
        if (counts.get(of(node, key)) == 0) {
            throw new IllegalStateException("nothing is counted: node of bank=" + node + " key=" + key);
        }
        final int left = (int) counts.decrementAndGet(of(node, key));
        size[node] -= left == 0 ? 1 : 0;
        return left;
    }

    private static long of(final int node, final int key) {
        return (long) node << Integer.SIZE | key;
    }
}
