package dev.skerry.nic.count;

/**
 * Histogram of durations, in slots or ns: exact up to 16,384, above that in steps of at most 1/8,192 of the value.
 * Reports convert it to an HdrHistogram. It starts small, because the full size would take a megabyte for each of a
 * thousand nodes.
 */
public final class SlotHistogram extends StepHistogram {
    /** Creates an empty histogram. */
    public SlotHistogram() {
        super(14, Integer.SIZE - 1, 1 << 10);
    }

    /** Counts one duration, at least 0. */
    public void record(final int slots) {
        record(slots, 1);
    }

    /** Adds the counts of another histogram. */
    public void add(final SlotHistogram other) {
        addCounts(other);
    }
}
