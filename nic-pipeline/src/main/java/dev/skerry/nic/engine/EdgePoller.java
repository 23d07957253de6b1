package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.Edge;
import org.agrona.concurrent.IdleStrategy;

/** Polls the edges of one worker's banks in lock step, at most every few slots. The worker's thread. */
public final class EdgePoller {
    private final Edge[] edges;
    private final IdleStrategy strategy;
    private long until;
    private long next;

    /**
     * Edges that have not been polled.
     *
     * @param edges    of the worker's banks.
     * @param strategy idles while no edge has work.
     */
    public EdgePoller(final Edge[] edges, final IdleStrategy strategy) {
        this.edges = edges;
        this.strategy = strategy;
    }

    /** Polls all edges if one may have news; returns the slot up to which the fabric may go, not included. */
    public long poll(final long slot) {
        if (slot >= next || slot >= until) {
            next = slot + FreeRunning.NicAgent.BATCH_SLOTS;
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

    /** Idles once. */
    public void idle() {
        strategy.idle();
    }
}
