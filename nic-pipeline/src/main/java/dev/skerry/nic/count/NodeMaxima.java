package dev.skerry.nic.count;

import dev.skerry.dataplane.queue.CellBatch;

/**
 * Maximum number of forwarded cells that each node of a bank has held, in all its queues and in one of them
 * (docs/spec/shale.md §10.1). Cells of local flows are not counted. Columns by node, 12 bytes per node: a row of nodes
 * is counted with vector instructions. {@link QueueMaxima} also counts each queue. One thread.
 */
public class NodeMaxima {
    private final int[] held;
    private final int[] mostHeld;
    private final int[] mostInQueue;

    public NodeMaxima(final int nodes) {
        this.held = new int[nodes];
        this.mostHeld = new int[nodes];
        this.mostInQueue = new int[nodes];
    }

    /** Accounts for a cell that joined a queue of {@code node}, whose length is now {@code length}. */
    public void onEnqueue(final int node, final int length) {
        held[node]++;
        mostHeld[node] = Math.max(mostHeld[node], held[node]);
        mostInQueue[node] = Math.max(mostInQueue[node], length);
    }

    /**
     * Accounts for a cell that joined a queue.
     *
     * @param queue queue of the bank; meaningless if {@code length} is 0, in which case the cell waits outside the
     *              queues.
     */
    public void onEnqueue(final int node, final int queue, final int length) {
        onEnqueue(node, length);
    }

    /** Accounts for cells that joined queues, at most one per node. */
    public void onEnqueue(final CellBatch joined) {
        final int[] node = joined.node();
        final int[] length = joined.length();
        final int count = joined.count();
        for (int i = 0; i < count; i++) {
            onEnqueue(node[i], length[i]);
        }
    }

    /**
     * Accounts for cells that joined queues of nodes in [first, end), at most one per node.
     *
     * @param first  the first node.
     * @param end    one past the last node.
     * @param length by node: new length of the queue that a cell joined; 0 if none did.
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

    /** Accounts for the cells of a batch that left their queues. */
    public void onDequeue(final CellBatch sent) {
        final int[] held = this.held;
        final int[] node = sent.node();
        final int count = sent.count();
        for (int i = 0; i < count; i++) {
            held[node[i]]--;
        }
    }

    /**
     * Accounts for cells that left queues of nodes in [first, end). {@code left} is 1 for nodes that a cell left, else
     * 0.
     */
    public void onDequeue(final int first, final int end, final int[] left) {
        final int[] held = this.held;
        for (int node = first; node < end; node++) {
            held[node] -= left[node];
        }
    }

    /** Accounts for a cell that left a queue of {@code node}. */
    public void onDequeue(final int node) {
        held[node]--;
    }

    /** Number of forwarded cells in all queues of a node. */
    public int held(final int node) {
        return held[node];
    }

    /** Maximum number of forwarded cells that a node has held. */
    public int maxHeld(final int node) {
        return mostHeld[node];
    }

    /** Maximum number of cells that one queue of a node has held. */
    public int maxQueue(final int node) {
        return mostInQueue[node];
    }

    /** Maximum number of cells that a queue of the bank has held; -1 if individual queues are not counted. */
    public int maxOf(final int queue) {
        return -1;
    }

    /**
     * {@link NodeMaxima} that also tracks the maximum length of each queue of a bank: 4 more bytes per queue, of which
     * a slot touches one per node. One thread.
     */
    public static final class QueueMaxima extends NodeMaxima {
        private final int[] most;

        /**
         * Creates maxima of zero.
         *
         * @param nodes  number of nodes of the bank.
         * @param queues number of queues of the bank.
         */
        public QueueMaxima(final int nodes, final int queues) {
            super(nodes);
            this.most = new int[queues];
        }

        @Override
        public void onEnqueue(final int node, final int queue, final int length) {
            super.onEnqueue(node, queue, length);
            if (length > 0) {
                most[queue] = Math.max(most[queue], length);
            }
        }

        @Override
        public void onEnqueue(final CellBatch joined) {
            super.onEnqueue(joined);
            final int[] queue = joined.queue();
            final int[] length = joined.length();
            final int count = joined.count();
            for (int i = 0; i < count; i++) {
                most[queue[i]] = Math.max(most[queue[i]], length[i]);
            }
        }

        @Override
        public int maxOf(final int queue) {
            return most[queue];
        }
    }
}
