package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Reasons that single nodes gained and lost, noted in order until {@link BucketCounts} counts those of a node together.
 *
 * <pre>
 *   one node: 4 bytes a reason
 *             +--------+--------+--
 *             | number | number | ..     of the bucket; its complement where the reason was lost
 *             +--------+--------+--
 * </pre>
 *
 * One bank, one thread.
 */
final class NodeNotes {
    /** Reasons of a node that are noted before they are counted: eight cache lines. */
    static final int NOTES = 128;
    private static final int NODE_BYTES = NOTES * Integer.BYTES;

    private final BucketCounts counts;
    private final Region notes;
    /** By node: notes. */
    private final int[] length;
    private long held;

    /** Nothing noted. */
    NodeNotes(final Arena arena, final int nodes, final BucketCounts counts) {
        this.counts = counts;
        this.notes = Region.allocate(arena, bytes(nodes));
        this.length = new int[nodes];
    }

    /** Memory of a bank in bytes. */
    static long bytes(final int nodes) {
        return (long) nodes * NODE_BYTES;
    }

    /** A bucket of a node has gained a reason. */
    void gain(final int node, final int number) {
        add(node, number);
    }

    /** A bucket of a node has lost a reason. */
    void lose(final int node, final int number) {
        add(node, ~number);
    }

    private void add(final int node, final int note) {
        notes.setInt(Region.offset(node, NODE_BYTES) + Region.offset(length[node], Integer.BYTES), note);
        held++;
        if (++length[node] == NOTES) {
            countMost();
        }
    }

    /**
     * Counts the nodes that have about as much noted as the one that is full: the table that reasons are counted in
     * stays in the near caches for all of them, and would not until the next one is full.
     */
    private void countMost() {
        for (int node = 0; node < length.length; node++) {
            if (length[node] >= NOTES / 2) {
                count(node);
            }
        }
    }

    /** Counts what is noted of nodes in [first, end). */
    void count(final int first, final int end) {
        for (int node = first; node < end && held > 0; node++) {
            if (length[node] > 0) {
                count(node);
            }
        }
    }

    private void count(final int node) {
        counts.count(node, notes, Region.offset(node, NODE_BYTES), length[node]);
        held -= length[node];
        length[node] = 0;
    }
}
