package dev.skerry.nic.shoal;

/**
 * Lengths of queues Q_ij, sampled in every turn of a node before a cell joins or leaves, as the authors' simulator
 * samples them (docs/spec/shoal.md §9.1). Empty queues are not counted: they are all others. One thread.
 */
public final class QueueSamples {
    private final long[] counts;

    /** No samples; a queue holds at most {@code most} cells. */
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
     * @param load by node, as of {@link ShoalQueues#load}.
     */
    public void count(final int[] load, final int first, final int end) {
        for (int node = first; node < end; node++) {
            count(ShoalQueues.lengthOf(load[node]));
        }
    }

    /**
     * How often each length was sampled.
     *
     * @param turns of all nodes of the bank, those included in which nothing was looked at as all queues were empty.
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
