package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The cells that sources have to send again, oldest first: after forwarded cells and before their own new cells
 * (docs/spec/shale.md §7). Nodes are numbered within their bank. One thread.
 */
public final class Retransmissions {
    private final EligibilityQueues cells;
    private final QueueBits waiting;
    private final Eligibility rule = this::mayGo;
    /** Set within {@link #poll}, otherwise null: between slots it would be state that a new engine does not have. */
    private Admission admission;
    private int queue;
    private int peer;
    private long sent;

    /** Creates an empty set for each node. */
    public Retransmissions(final Arena arena, final int nodes, final SpillPool pool) {
        this.cells = new EligibilityQueues(arena, nodes, pool);
        this.waiting = new QueueBits(nodes);
    }

    /**
     * Adds a cell that a node has to send again.
     *
     * @param identity the cell, see {@code Cell}.
     */
    public void add(final int node, final int destination, final long identity) {
        cells.enqueue(node, destination, identity);
        waiting.set(node);
    }

    /**
     * Removes the oldest cell that a node may send on a link: one to the peer, or an admitted one. {@link #destination}
     * and {@link #identity} then describe it.
     *
     * @return false if there is none.
     */
    public boolean poll(final int onQueue, final int node, final int toPeer, final Admission by) {
        if (!waiting.isSet(node)) {
            return false;
        }
        queue = onQueue;
        peer = toPeer;
        admission = by;
        final boolean found = cells.dequeue(node, rule);
        admission = null;
        if (!found) {
            return false;
        }
        sent++;
        if (cells.length(node) == 0) {
            waiting.clear(node);
        }
        return true;
    }

    private boolean mayGo(final int node, final long destination) {
        return destination == peer || admission.admitLocal(queue, node, (int) destination);
    }

    /** Destination of the cell removed last. */
    public int destination() {
        return (int) cells.entry();
    }

    /** The cell removed last. */
    public long identity() {
        return cells.payload();
    }

    /** Whether a node has any cells to send again. */
    public boolean has(final int node) {
        return waiting.isSet(node);
    }

    /** Bitmap of those of 64 consecutive nodes that have cells to send again. */
    public long from(final int firstNode) {
        return waiting.from(firstNode);
    }

    /** Number of waiting cells of all nodes. */
    public long held() {
        return cells.held();
    }

    /** Number of cells removed so far. */
    public long sent() {
        return sent;
    }

    /** Passes every cell of a node with its destination to a visitor, oldest first, for audits. */
    public void forEach(final int node, final CellQueues.Visitor visitor) {
        cells.forEach(node, visitor);
    }
}
