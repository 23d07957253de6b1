package dev.skerry.nic.shoal;

/**
 * Lengths of queues Q_ij, sampled in every turn of a node before a cell joins or leaves, as in the authors' simulator
 * (docs/spec/shoal.md §9.1). Empty queues are not counted; their number is the rest of the turns. One thread.
 */
public final class QueueSamples {
    private final long[] counts;

    /** Creates the counts without samples; a queue holds at most {@code most} cells. */
    public QueueSamples(final int most) {
        this.counts = new long[most + 1];
    }

    /** Samples the queue of one node. */
    public void count(final int length) {
        counts[Math.min(length, counts.length - 1)] += length > 0 ? 1 : 0;
    }

    /**
     * Samples the queues of the nodes of [first, end).
     *
     * @param load loads by node, as of {@link ShoalQueues#load}.
     */
    public void count(final int[] load, final int first, final int end) {
        for (int node = first; node < end; node++) {
            count(ShoalQueues.lengthOf(load[node]));
        }
    }

    /**
     * Returns how often each length was sampled.
     *
     * @param turns turns of all nodes of the bank, including those that were skipped because all queues were empty.
     */
    public long[] byLength(final long turns) {
        final long[] all = counts.clone();
        all[0] = turns;
        for (int length = 1; length < all.length; length++) {
            all[0] -= all[length];
        }
        return all;
    }
}
