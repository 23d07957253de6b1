package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * Histogram of durations: exact below 2^exactBits, above that in steps of at most 2^(1 - exactBits) of the value.
 * Recording costs one increment of a plain array, which doubles for longer durations. One thread records; another one
 * may read counts that lag.
 */
public abstract sealed class StepHistogram permits NanoHistogram, SlotHistogram {
    long[] counts;
    private final int exactBits;
    private final int maxLength;

    /**
     * Creates an empty histogram.
     *
     * @param exactBits     exponent of the exact range, see the class description.
     * @param maxBits       width of the longest duration.
     * @param initialLength initial capacity in steps.
     */
    StepHistogram(final int exactBits, final int maxBits, final int initialLength) {
        this.exactBits = exactBits;
        this.maxLength = (1 << exactBits) + (maxBits - exactBits << exactBits - 1);
        this.counts = new long[initialLength];
    }

    /** Counts a duration, at least 0, {@code times} times. */
    public final void record(final long duration, final long times) {
        final int step = step(duration);
        if (step >= counts.length) {
            counts = Arrays.copyOf(counts, Math.min(maxLength, Math.max(2 * counts.length, step + 1)));
        }
        counts[step] += times;
    }

    /** Adds the counts of another histogram of the same kind. */
    final void addCounts(final StepHistogram other) {
        // Another thread may be counting in it, and its array may be replaced by a longer one.
        final long[] added = other.counts;
        if (added.length > counts.length) {
            counts = Arrays.copyOf(counts, added.length);
        }
        for (int step = 0; step < added.length; step++) {
            counts[step] += added[step];
        }
    }

    /** Sets all counts to 0. */
    public final void clear() {
        Arrays.fill(counts, 0);
    }

    /** Passes every counted duration to the visitor, in ascending order. */
    public final void forEach(final Visitor visitor) {
        for (int step = 0; step < counts.length; step++) {
            if (counts[step] > 0) {
                visitor.counted(value(step), counts[step]);
            }
        }
    }

    /** Receives a duration and its count. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one duration, in the unit recorded, and its count. */
        void counted(long duration, long count);
    }

    private int step(final long duration) {
        final int shift = Long.SIZE - exactBits - Long.numberOfLeadingZeros(duration);
        return shift <= 0 ? (int) duration : (shift << exactBits - 1) + (int) (duration >>> shift);
    }

    /** Logarithm of the width of a step. */
    final int shift(final int step) {
        return Math.max(0, (step >>> exactBits - 1) - 1);
    }

    /** The duration that represents a step: its shortest one. */
    long value(final int step) {
        final int shift = shift(step);
        return (long) step - ((long) shift << exactBits - 1) << shift;
    }
}
