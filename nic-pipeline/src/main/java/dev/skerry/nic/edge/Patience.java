package dev.skerry.nic.edge;

/**
 * Measures how long a port that is up has refused every packet. Only time between two offers counts, and a pause
 * between two offers counts at most {@link #MOST_STEP_NS}: while the system does not run the thread, nothing is offered
 * and the port is not to blame. One thread.
 */
final class Patience {
    /** Longer than an idle thread sleeps between two offers. */
    static final long MOST_STEP_NS = 10_000_000;

    private final long stallNs;
    private long nowNs;
    private long waitedNs;
    private boolean over;

    /**
     * Creates the measure for a port that has refused nothing.
     *
     * @param stallNs how long it may refuse, in ns.
     */
    Patience(final long stallNs) {
        this.stallNs = stallNs;
    }

    /** Nothing waits for the port: the measure restarts. */
    void rest(final long now) {
        nowNs = now;
        waitedNs = 0;
    }

    /** Something waits and is about to be offered. */
    void offer(final long now) {
        waitedNs += Math.min(now - nowNs, MOST_STEP_NS);
        nowNs = now;
    }

    /** The port took a packet. */
    void took() {
        waitedNs = 0;
        over = false;
    }

    /** The port took no packet. Returns whether it is stalled; it stays so until it takes one. */
    boolean isOver() {
        over |= waitedNs > stallNs;
        return over;
    }
}
