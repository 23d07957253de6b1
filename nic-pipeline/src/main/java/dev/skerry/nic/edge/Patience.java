package dev.skerry.nic.edge;

/**
 * How long a port that is up has refused every packet. Only time between two offers counts, and of each pause at most
 * {@link #MOST_STEP_NS}: while the system keeps the thread waiting nobody offers anything, and the port is not to
 * blame. One thread.
 */
final class Patience {
    /** More than an idle thread sleeps between two offers. */
    static final long MOST_STEP_NS = 10_000_000;

    private final long stallNs;
    private long nowNs;
    private long waitedNs;
    private boolean over;

    /**
     * A port that has refused nothing.
     *
     * @param stallNs how long it may.
     */
    Patience(final long stallNs) {
        this.stallNs = stallNs;
    }

    /** Nothing waits for the port. */
    void rest(final long now) {
        nowNs = now;
        waitedNs = 0;
    }

    /** Something waits, and is about to be offered. */
    void offer(final long now) {
        waitedNs += Math.min(now - nowNs, MOST_STEP_NS);
        nowNs = now;
    }

    /** The port took a packet. */
    void took() {
        waitedNs = 0;
        over = false;
    }

    /** The port took none; whether it is stalled, and stays so until it takes one. */
    boolean isOver() {
        over |= waitedNs > stallNs;
        return over;
    }
}
