package dev.skerry.nic.stardust.fabric;

import java.util.Arrays;

/**
 * Distribution of the lengths of queues in front of links by stage: the tier of the device and whether the link leads
 * down. Counted in each slot before the link takes its cell, so that a queue of 0 is an idle link
 * (docs/spec/stardust.md §8). One thread.
 */
public final class QueueLengths {
    /** Longer queues count as this length. */
    public static final int MOST = 1023;

    private final long[][] counts;

    public QueueLengths(final int tiers) {
        this.counts = new long[2 * (tiers + 1)][];
    }

    /** Returns the counts of a stage, by length; the array of this object, created on the first call. */
    public long[] stage(final int tier, final boolean down) {
        final int stage = 2 * tier + (down ? 1 : 0);
        if (counts[stage] == null) {
            counts[stage] = new long[MOST + 1];
        }
        return counts[stage];
    }

    /** Returns the longest queue of a stage. */
    public int longest(final int tier, final boolean down) {
        final long[] lengths = stage(tier, down);
        int longest = MOST;
        while (longest > 0 && lengths[longest] == 0) {
            longest--;
        }
        return longest;
    }

    /** Returns the share of all samples of a stage in which a queue had at least a given length. */
    public double atLeast(final int tier, final boolean down, final int length) {
        final long[] lengths = stage(tier, down);
        long longer = 0;
        long samples = 0;
        for (int at = 0; at <= MOST; at++) {
            longer += at >= length ? lengths[at] : 0;
            samples += lengths[at];
        }
        return (double) longer / samples;
    }

    public void clear() {
        Arrays.fill(counts, null);
    }

    public void add(final QueueLengths other) {
        for (int stage = 0; stage < counts.length; stage++) {
            final long[] more = other.counts[stage];
            for (int length = 0; more != null && length <= MOST; length++) {
                stage(stage >>> 1, (stage & 1) != 0)[length] += more[length];
            }
        }
    }
}
