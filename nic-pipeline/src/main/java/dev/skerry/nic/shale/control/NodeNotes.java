package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Reasons that single nodes gained and lost, noted in order until {@link BucketCounts} counts those of a node together.
 *
 * <pre>
 *   one node: a record for each reason, as in the log of all nodes
 *             +----------------+----------------+--
 *             | gained         | lost           | ..     one of the four is a bucket
 *             +----------------+----------------+--
 * </pre>
 *
 * One bank, one thread.
 */
final class NodeNotes {
    /** Reasons of a node that are noted before they are counted. */
    private static final int RECORDS = 32;
    private static final int RECORD_BYTES = 2 * Long.BYTES;
    private static final int NODE_BYTES = RECORDS * RECORD_BYTES;

    private final BucketCounts counts;
    private final Region notes;
    /** By node: records. */
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

    /** Notes what a node gained and lost, two numbers of buckets or of none in each. */
    void add(final int node, final long gained, final long lost) {
        final long at = Region.offset(node, NODE_BYTES) + Region.offset(length[node], RECORD_BYTES);
        notes.setLong(at, gained);
        notes.setLong(at + Long.BYTES, lost);
        held++;
        if (++length[node] == RECORDS) {
            count(node);
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
        counts.count(node, notes, Region.offset(node, NODE_BYTES), Long.BYTES, RECORD_BYTES, length[node]);
        held -= length[node];
        length[node] = 0;
    }
}
