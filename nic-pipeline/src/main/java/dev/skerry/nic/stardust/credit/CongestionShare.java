package dev.skerry.nic.stardust.credit;

import dev.skerry.nic.stardust.fabric.IndexSet;

import java.util.Arrays;

/**
 * The share of its capacity that each adapter of a bank hands out in credits (docs/spec/stardust.md §5.1): congestion
 * marks lower it, windows without marks raise it. One thread.
 */
final class CongestionShare {
    private static final double SLOWER = 0.2;
    private static final double FASTER = 0.01;
    private static final double LEAST = 0.25;

    private final double[] share;
    private final int[] received;
    private final int[] marked;

    /** The full share of each adapter. */
    CongestionShare(final int adapters) {
        this.share = new double[adapters];
        this.received = new int[adapters];
        this.marked = new int[adapters];
        Arrays.fill(share, 1);
    }

    /** A cell came to an adapter, marked or not. */
    void onCell(final int adapter, final int fci) {
        received[adapter]++;
        marked[adapter] += fci == 0 ? 0 : 1;
    }

    /**
     * A window ends.
     *
     * @param changed gets the adapters whose share is another now.
     */
    void react(final IndexSet changed) {
        for (int adapter = 0; adapter < share.length; adapter++) {
            final double before = share[adapter];
            if (marked[adapter] > 0) {
                final double part = (double) marked[adapter] / received[adapter];
                share[adapter] = Math.max(LEAST, share[adapter] * (1 - SLOWER * part));
            } else {
                share[adapter] = Math.min(1, share[adapter] + FASTER);
            }
            if (share[adapter] != before) {
                changed.add(adapter);
            }
            received[adapter] = 0;
            marked[adapter] = 0;
        }
    }

    /** The share of an adapter, 1/4 to 1. */
    double of(final int adapter) {
        return share[adapter];
    }
}
