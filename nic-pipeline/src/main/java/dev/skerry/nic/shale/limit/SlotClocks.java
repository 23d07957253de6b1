package dev.skerry.nic.shale.limit;

import java.util.Arrays;

/**
 * Clocks that the pipeline of a node takes in a slot (docs/spec/shale.md §9.2, §9.3): for the cell received, then for
 * the one sent. No slot is skipped if that is more than a slot has; it is counted. One thread.
 */
final class SlotClocks {
    private static final int IDLE = HostLimits.LEAST_CLOCKS;
    /** An entry written to slow memory, or read from there and written to its place: one operation of a PIEO. */
    private static final int ACCESS = 4;

    private final int budget;
    /** By node: clocks of the slot. */
    private final int[] clocks;
    private int most;
    private long overruns;

    SlotClocks(final int nodes, final int budget) {
        this.budget = budget;
        this.clocks = new int[nodes];
        Arrays.fill(clocks, IDLE);
    }

    /** An entry leaves the PIEO, or what came is kept, a cell or tokens or both: a clock each. */
    void work(final int node, final int more) {
        clocks[node] += more;
    }

    /** Something went to slow memory, or came from there. */
    void access(final int node, final boolean did) {
        clocks[node] += did ? ACCESS : 0;
    }

    /** A slot ends at consecutive nodes. */
    void end(final int first, final int count) {
        for (int node = first; node < first + count; node++) {
            most = Math.max(most, clocks[node]);
            overruns += clocks[node] > budget ? 1 : 0;
            clocks[node] = IDLE;
        }
    }

    /** Most clocks of a slot. */
    int most() {
        return most;
    }

    /** Slots of nodes that took more clocks than there are. */
    long overruns() {
        return overruns;
    }
}
