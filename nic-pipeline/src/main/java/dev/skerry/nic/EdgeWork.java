package dev.skerry.nic;

import org.agrona.concurrent.IdleStrategy;

/** The edges of the banks of one worker of {@link LockStep}, looked at every few slots. One thread. */
final class EdgeWork {
    private final Edge[] edges;
    private final IdleStrategy strategy;
    private long until;
    private long next;

    EdgeWork(final Assembly assembly, final NodeRange banks, final IdleStrategy strategy) {
        this.edges = new Edge[banks.size()];
        for (int i = 0; i < edges.length; i++) {
            edges[i] = assembly.edge(banks.first() + i);
        }
        this.strategy = strategy;
    }

    /** Looks at all edges, if it is time to; returns the slot to go to, not included. */
    long poll(final long slot) {
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
    void idle() {
        strategy.idle();
    }
}
