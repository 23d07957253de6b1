package dev.skerry.nic.count;


/** What one bank counts. One thread. */
public final class BankCounters {
    /** An array, as going over a set makes garbage. */
    private static final NicCounter[] DROPS = NicCounter.DROPS.toArray(NicCounter[]::new);

    private final long[] counts = new long[NicCounter.values().length];
    private Outcome.Drop firstDrop;

    /** All at 0. */
    public BankCounters() {
    }

    public void increment(final NicCounter counter) {
        counts[counter.ordinal()]++;
    }

    public void add(final NicCounter counter, final long number) {
        counts[counter.ordinal()] += number;
    }

    /** A number that is counted elsewhere. */
    public void set(final NicCounter counter, final long number) {
        counts[counter.ordinal()] = number;
    }

    public long count(final NicCounter counter) {
        return counts[counter.ordinal()];
    }

    /** Cells lost under any name. */
    public long dropped() {
        long sum = 0;
        for (final NicCounter drop : DROPS) {
            sum += count(drop);
        }
        return sum;
    }

    /** Counts a lost cell. */
    public void drop(final NicCounter reason, final long slot, final int device) {
        counts[reason.ordinal()]++;
        // Of those of a slot the lowest device: the order of devices depends on the banks.
        if (firstDrop == null || slot == firstDrop.slot() && device < firstDrop.node()) {
            firstDrop = new Outcome.Drop(slot, device);
        }
    }

    /** Where the first cell was lost, null if none was. */
    public Outcome.Drop firstDrop() {
        return firstDrop;
    }

    /** Flows that end at the bank and are complete, or can never be. */
    public long settled() {
        return count(NicCounter.FLOWS_COMPLETED) + count(NicCounter.FLOWS_FAILED);
    }
}
