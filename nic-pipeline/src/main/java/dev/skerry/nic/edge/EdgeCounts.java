package dev.skerry.nic.edge;

/** The values of a port's counters. The port's thread writes; other threads may read values that lag. */
public final class EdgeCounts {
    private static final EdgeCounter[] COUNTERS = EdgeCounter.values();

    private final long[] values = new long[COUNTERS.length];

    EdgeCounts() {
    }

    public long get(final EdgeCounter counter) {
        return values[counter.ordinal()];
    }

    /** Packets dropped, over all drop counters. */
    public long dropped() {
        long sum = 0;
        for (final EdgeCounter counter : COUNTERS) {
            sum += counter.isDrop() ? get(counter) : 0;
        }
        return sum;
    }

    void add(final EdgeCounter counter, final long number) {
        values[counter.ordinal()] += number;
    }
}
