package dev.skerry.schedule;

import java.util.Arrays;

/** A set of nodes as a bitmap, so that a look-up touches little memory. One writer, before the set is shared. */
final class NodeSet {
    private final long[] bits;

    private NodeSet(final int nodes) {
        this.bits = new long[nodes + Long.SIZE - 1 >>> 6];
    }

    /** The set of all nodes below {@code nodes}. */
    static NodeSet all(final int nodes) {
        final NodeSet set = new NodeSet(nodes);
        Arrays.fill(set.bits, -1L);
        return set;
    }

    boolean contains(final int node) {
        return (bits[node >>> 6] >>> node & 1) != 0;
    }

    void remove(final int node) {
        bits[node >>> 6] &= ~(1L << node);
    }
}
