package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.RelayReachability;

/**
 * Nodes of a bank that run, and destinations that no message can be sent to (docs/spec/shoal.md §5.2 step 6): any from
 * a node that is down; a node that every up neighbour reports unreachable; and any from a node that has long been
 * without a neighbour, as nobody could report then. One thread.
 */
final class Presence implements MessageGate {
    private final RelayReachability reachability;
    private final int patienceEpochs;
    private final boolean[] down;
    private final int[] incarnation;
    private final int[] aloneSince;
    private int epoch;

    /**
     * All nodes run.
     *
     * @param nodes          nodes of the bank.
     * @param reachability   connections that they know to be up.
     * @param patienceEpochs epochs that a node waits for a neighbour.
     */
    Presence(final int nodes, final RelayReachability reachability, final int patienceEpochs) {
        this.reachability = reachability;
        this.patienceEpochs = patienceEpochs;
        this.down = new boolean[nodes];
        this.incarnation = new int[nodes];
        this.aloneSince = new int[nodes];
    }

    /** Turns to the epoch of a slot that is sent. */
    void turnTo(final int now) {
        epoch = now;
    }

    /** The epoch of the slot that is sent. */
    int epoch() {
        return epoch;
    }

    /** Whether a node is down. */
    boolean isDown(final int node) {
        return down[node];
    }

    /** A node stops. */
    void stop(final int node) {
        down[node] = true;
    }

    /** A node starts anew, with no neighbour yet. */
    void start(final int node) {
        down[node] = false;
        incarnation[node]++;
        aloneSince[node] = epoch;
    }

    /** A node has lost a neighbour. */
    void lose(final int node) {
        if (reachability.live(node) == 0) {
            aloneSince[node] = epoch;
        }
    }

    /** How often a node has started, not counting the first time. */
    int incarnation(final int node) {
        return incarnation[node];
    }

    /** Whether a node has no neighbour that is up. */
    boolean isAlone(final int node) {
        return reachability.live(node) == 0;
    }

    @Override
    public boolean refuses(final int node, final int destination) {
        return down[node] || reachability.isCutOff(node, destination)
            || isAlone(node) && epoch - aloneSince[node] >= patienceEpochs;
    }
}
