package dev.skerry.nic.count;

import dev.skerry.dataplane.queue.CellBatch;

import java.util.Arrays;

/**
 * The most each node of a bank ever held: forwarded cells in all its queues, and in one of them (docs/spec/shale.md
 * §10.1). Local flows are not counted. Columns by node, 12 bytes for each: where a row of nodes sends or receives they
 * are counted as vectors. One thread.
 */
public final class NodeMaxima {
    private final int[] held;
    private final int[] mostHeld;
    private final int[] mostInQueue;
    /** By node: of the queue that a cell of a batch joins. */
    private final int[] lengths;

    public NodeMaxima(final int nodes) {
        this.held = new int[nodes];
        this.mostHeld = new int[nodes];
        this.mostInQueue = new int[nodes];
        this.lengths = new int[nodes];
    }

    /** A cell joined a queue that is now {@code length} long. */
    public void onEnqueue(final int node, final int length) {
        held[node]++;
        mostHeld[node] = Math.max(mostHeld[node], held[node]);
        mostInQueue[node] = Math.max(mostInQueue[node], length);
    }

    /** Cells joined queues, all of them of nodes from one to before another. */
    public void onEnqueue(final int first, final int end, final CellBatch joined) {
        final int[] node = joined.node();
        final int[] length = joined.length();
        final int[] column = lengths;
        final int count = joined.count();
        Arrays.fill(column, first, end, 0);
        for (int i = 0; i < count; i++) {
            column[node[i]] = length[i];
        }
        onEnqueue(first, end, column);
    }

    /**
     * Cells joined queues of nodes that follow each other, one at each or none.
     *
     * @param first  the first node.
     * @param end    one past the last.
     * @param length of the queue that a cell joined, by node; 0 where none did.
     */
    public void onEnqueue(final int first, final int end, final int[] length) {
        final int[] held = this.held;
        final int[] mostHeld = this.mostHeld;
        final int[] mostInQueue = this.mostInQueue;
        for (int node = first; node < end; node++) {
            held[node] += -length[node] >>> 31;
        }
        for (int node = first; node < end; node++) {
            mostHeld[node] = Math.max(mostHeld[node], held[node]);
            mostInQueue[node] = Math.max(mostInQueue[node], length[node]);
        }
    }

    /** Cells left their queues. */
    public void onDequeue(final CellBatch sent) {
        final int[] held = this.held;
        final int[] node = sent.node();
        final int count = sent.count();
        for (int i = 0; i < count; i++) {
            held[node[i]]--;
        }
    }

    /** Cells left queues of nodes that follow each other: by node, 1 where one did, else 0. */
    public void onDequeue(final int first, final int end, final int[] left) {
        final int[] held = this.held;
        for (int node = first; node < end; node++) {
            held[node] -= left[node];
        }
    }

    /** A cell left its queue. */
    public void onDequeue(final int node) {
        held[node]--;
    }

    /** Cells in the queues of a node. */
    public int held(final int node) {
        return held[node];
    }

    /** Most cells ever in the queues of a node. */
    public int maxHeld(final int node) {
        return mostHeld[node];
    }

    /** Most cells ever in one queue of a node. */
    public int maxQueue(final int node) {
        return mostInQueue[node];
    }
}
