package dev.skerry.nic.count;

import dev.skerry.dataplane.queue.CellBatch;

/**
 * The most forwarded cells that each node of a bank ever held, in all its queues and in one of them
 * (docs/spec/shale.md §10.1). Cells of local flows are not counted. Columns by node, 12 bytes per node: a row of nodes
 * is counted with vector instructions. {@link QueueMaxima} counts each queue besides. One thread.
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

    /** A cell joined a queue of {@code node}, whose length is now {@code length}. */
    public void onEnqueue(final int node, final int length) {
        held[node]++;
        mostHeld[node] = Math.max(mostHeld[node], held[node]);
        mostInQueue[node] = Math.max(mostInQueue[node], length);
    }

    /**
     * The same, and which queue it is.
     *
     * @param queue of the bank; meaningless where {@code length} is 0, as the cell then waits outside of the queues.
     */
    public void onEnqueue(final int node, final int queue, final int length) {
        onEnqueue(node, length);
    }

    /** Cells joined queues, at most one at each node. */
    public void onEnqueue(final CellBatch joined) {
        final int[] node = joined.node();
        final int[] length = joined.length();
        final int count = joined.count();
        for (int i = 0; i < count; i++) {
            onEnqueue(node[i], length[i]);
        }
    }

    /**
     * Cells joined queues of nodes in [first, end), at most one at each node.
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

    /** Each cell of the batch left its queue. */
    public void onDequeue(final CellBatch sent) {
        final int[] held = this.held;
        final int[] node = sent.node();
        final int count = sent.count();
        for (int i = 0; i < count; i++) {
            held[node[i]]--;
        }
    }

    /** Cells left queues of nodes in [first, end). {@code left} has, by node, 1 if a cell left and 0 if not. */
    public void onDequeue(final int first, final int end, final int[] left) {
        final int[] held = this.held;
        for (int node = first; node < end; node++) {
            held[node] -= left[node];
        }
    }

    /** A cell left a queue of {@code node}. */
    public void onDequeue(final int node) {
        held[node]--;
    }

    /** Forwarded cells in all queues of a node. */
    public int held(final int node) {
        return held[node];
    }

    /** Most forwarded cells that a node ever held. */
    public int maxHeld(final int node) {
        return mostHeld[node];
    }

    /** Most cells that one queue of a node ever held. */
    public int maxQueue(final int node) {
        return mostInQueue[node];
    }

    /** Most cells that a queue of the bank ever held; -1 where queues are not counted one by one. */
    public int maxOf(final int queue) {
        return -1;
    }

    /**
     * {@link NodeMaxima} that also has the most cells that each queue of a bank ever held: 4 bytes a queue more, of
     * which a slot touches one a node. One thread.
     */
    public static final class QueueMaxima extends NodeMaxima {
        private final int[] most;

        /**
         * Nothing held.
         *
         * @param nodes  of the bank.
         * @param queues of the bank.
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
