package dev.skerry.nic.edge;

/** The values of a port's counters. The port's thread writes; other threads may read values that lag. */
public final class EdgeCounts {
    private static final EdgeCounter[] COUNTERS = EdgeCounter.values();

    private final long[] values = new long[COUNTERS.length];

    private final long[] droppedFor;

    EdgeCounts(final int ports) {
        this.droppedFor = new long[ports];
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

    /** {@link EdgeCounter#DROPPED_DESTINATION_FULL} of one destination, by the number of its port. */
    public long droppedFor(final int to) {
        return droppedFor[to];
    }

    void dropFor(final int to) {
        add(EdgeCounter.DROPPED_DESTINATION_FULL, 1);
        droppedFor[to]++;
    }

    void add(final EdgeCounter counter, final long number) {
        values[counter.ordinal()] += number;
    }
}
