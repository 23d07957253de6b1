package dev.skerry.nic;

/**
 * The most each node of a bank ever held: forwarded cells in all its queues, and in one of them (spec/shale §10.1).
 * Local flows are not counted. One thread.
 */
final class NodeMaxima {
    private final int[] held;
    private final int[] maxHeld;
    private final int[] maxQueue;

    NodeMaxima(final int nodes) {
        this.held = new int[nodes];
        this.maxHeld = new int[nodes];
        this.maxQueue = new int[nodes];
    }

    /** A cell joined a queue that is now {@code length} long. */
    void onEnqueue(final int node, final int length) {
        final int now = ++held[node];
        if (now > maxHeld[node]) {
            maxHeld[node] = now;
        }
        if (length > maxQueue[node]) {
            maxQueue[node] = length;
        }
    }

    /** A cell left its queue. */
    void onDequeue(final int node) {
        held[node]--;
    }

    /** Cells in the queues of a node. */
    int held(final int node) {
        return held[node];
    }

    /** Most cells ever in the queues of a node. */
    int maxHeld(final int node) {
        return maxHeld[node];
    }

    /** Most cells ever in one queue of a node. */
    int maxQueue(final int node) {
        return maxQueue[node];
    }
}
