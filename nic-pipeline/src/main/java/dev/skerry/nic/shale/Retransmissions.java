package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The cells that sources have to send again, oldest first: after the cells of others and before new ones of their own
 * (docs/spec/shale.md §7). Nodes are numbered within their bank. One thread.
 */
public final class Retransmissions {
    private final EligibilityQueues cells;
    private final QueueBits waiting;
    private final Eligibility rule = this::mayGo;
    /** Within {@link #poll}, else null: between slots it would be state that a new engine does not have. */
    private Admission admission;
    private int queue;
    private int peer;
    private long sent;

    /** None of any node. */
    public Retransmissions(final Arena arena, final int nodes, final SpillPool pool) {
        this.cells = new EligibilityQueues(arena, nodes, pool);
        this.waiting = new QueueBits(nodes);
    }

    /**
     * A node has to send a cell again.
     *
     * @param identity which cell, see {@code Cell}.
     */
    public void add(final int node, final int destination, final long identity) {
        cells.enqueue(node, destination, identity);
        waiting.set(node);
    }

    /**
     * Takes out the oldest cell that a node may send on a link, to the peer or admitted; {@link #destination} and
     * {@link #identity} then describe it.
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

    /** Destination of the cell taken out last. */
    public int destination() {
        return (int) cells.entry();
    }

    /** The cell taken out last. */
    public long identity() {
        return cells.payload();
    }

    /** Whether a node has any. */
    public boolean has(final int node) {
        return waiting.isSet(node);
    }

    /** Which of 64 nodes have any, a bit for each, from one on. */
    public long from(final int firstNode) {
        return waiting.from(firstNode);
    }

    /** Cells that wait at all nodes. */
    public long held() {
        return cells.held();
    }

    /** Cells taken out so far. */
    public long sent() {
        return sent;
    }

    /** Shows every cell of a node with its destination, oldest first, for audits. */
    public void forEach(final int node, final CellQueues.Visitor visitor) {
        cells.forEach(node, visitor);
    }
}
