package dev.skerry.nic.fabric.stardust;

import dev.skerry.nic.NicCounter;
import dev.skerry.nic.Outcome;

/** What one bank counts. One thread. */
final class Tally {
    private final long[] counts = new long[NicCounter.values().length];
    private Outcome.Drop firstDrop;

    /** All at 0. */
    Tally() {
    }

    void increment(final NicCounter counter) {
        counts[counter.ordinal()]++;
    }

    void add(final NicCounter counter, final long number) {
        counts[counter.ordinal()] += number;
    }

    long count(final NicCounter counter) {
        return counts[counter.ordinal()];
    }

    /** Counts a lost cell. */
    void drop(final NicCounter reason, final long slot, final int device) {
        counts[reason.ordinal()]++;
        if (firstDrop == null) {
            firstDrop = new Outcome.Drop(slot, device);
        }
    }

    /** Where the first cell was lost, null if none was. */
    Outcome.Drop firstDrop() {
        return firstDrop;
    }
}
