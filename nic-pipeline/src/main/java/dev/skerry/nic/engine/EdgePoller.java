package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.IdleStrategy;

/** The edges of the banks of one worker in lock step, looked at every few slots. One thread. */
public final class EdgePoller {
    private final Edge[] edges;
    private final IdleStrategy strategy;
    private long until;
    private long next;

    /**
     * Edges that have not been looked at.
     *
     * @param edges    of the worker's banks.
     * @param strategy what it does while there is nothing to do.
     */
    public EdgePoller(final Edge[] edges, final IdleStrategy strategy) {
        this.edges = edges;
        this.strategy = strategy;
    }

    /** Looks at all edges, if it is time to; returns the slot to go to, not included. */
    public long poll(final long slot) {
        if (slot >= next || slot >= until) {
            next = slot + NicAgent.BATCH_SLOTS;
            until = 0;
            for (final Edge edge : edges) {
                until = Math.max(until, edge.poll(slot));
            }
            if (until > slot) {
                strategy.reset();
            }
        }
        return until;
    }

    /** There is nothing to do. */
    public void idle() {
        strategy.idle();
    }
}
