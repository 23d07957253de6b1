package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * Counts durations, in slots or ns: exact up to 16,384, above that in steps of at most 1/8,192 of the value. Recording
 * costs one increment of a plain array; reports convert it to an HdrHistogram. The array doubles as longer durations
 * come, because full size would take a megabyte for each of a thousand nodes. One thread.
 */
public final class SlotHistogram {
    private static final int EXACT_BITS = 14;
    private static final int EXACT = 1 << EXACT_BITS;
    private static final int HALF = EXACT / 2;
    private static final int MAX_BITS = 31;

    private static final int MAX_LENGTH = EXACT + (MAX_BITS - EXACT_BITS) * HALF;
    private static final int INITIAL_LENGTH = 1 << 10;

    private long[] counts = new long[INITIAL_LENGTH];

    /** Creates an empty histogram. */
    public SlotHistogram() {
    }

    /** Counts one duration, at least 0. */
    public void record(final int slots) {
        record(slots, 1);
    }

    /** Counts one duration, at least 0, some times. */
    public void record(final int slots, final long times) {
        final int index = index(slots);
        if (index >= counts.length) {
            grow(index);
        }
        counts[index] += times;
    }

    private void grow(final int index) {
        final int length = Math.max(2 * counts.length, Integer.highestOneBit(index) * 2);
        counts = Arrays.copyOf(counts, Math.min(length, MAX_LENGTH));
    }

    /** Sets all counts to 0. */
    public void clear() {
        Arrays.fill(counts, 0);
    }

    /** Adds the counts of another histogram. */
    public void add(final SlotHistogram other) {
        // Another thread may be counting in it, and its array may be replaced by a longer one.
        final long[] added = other.counts;
        if (added.length > counts.length) {
            counts = Arrays.copyOf(counts, added.length);
        }
        for (int i = 0; i < added.length; i++) {
            counts[i] += added[i];
        }
    }

    /** Passes every duration that was counted to the visitor, in ascending order. */
    public void forEach(final Visitor visitor) {
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                visitor.counted(value(i), counts[i]);
            }
        }
    }

    /** Receives a duration and how often it was counted. */
    @FunctionalInterface
    public interface Visitor {
        /** Receives one duration, in the unit recorded, and its count. */
        void counted(int slots, long count);
    }

    private static int index(final int slots) {
        if (slots < EXACT) {
            return slots;
        }
        final int shift = MAX_BITS - Integer.numberOfLeadingZeros(slots) - (EXACT_BITS - 1);
        return EXACT + (shift - 1) * HALF + (slots >>> shift) - HALF;
    }

    private static int value(final int index) {
        if (index < EXACT) {
            return index;
        }
        final int shift = (index - EXACT) / HALF + 1;
        return (index - EXACT) % HALF + HALF << shift;
    }
}
