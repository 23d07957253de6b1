package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;

/** The values of a port's counters. The port's thread writes; other threads may read values that lag. */
public final class EdgeCounts {
    private static final EdgeCounter[] COUNTERS = EdgeCounter.values();

    private final long[] values = new long[COUNTERS.length];

    private final long[] droppedFor;
    /** What the port took and did not send. */
    private long unsent;
    private long unsentBytes;

    EdgeCounts(final int ports) {
        this.droppedFor = new long[ports];
    }

    public long get(final EdgeCounter counter) {
        return values[counter.ordinal()];
    }

    /** Packets dropped: over all drop counters, and what the port took and did not send, which it counts itself. */
    public long dropped() {
        long sum = unsent;
        for (final EdgeCounter counter : COUNTERS) {
            sum += counter.isDrop() ? get(counter) : 0;
        }
        return sum;
    }

    /** {@link EdgeCounter#DROPPED_DESTINATION_FULL} of one destination, by the number of its port. */
    public long droppedFor(final int to) {
        return droppedFor[to];
    }

    /** Takes back what the port has taken and, as it counts now, not sent. */
    void settle(final PortCounts port) {
        final long lost = get(EdgeCounter.TX_PACKETS) + unsent - port.get(PortCounter.TX_PACKETS);
        if (lost > unsent) {
            final long lostBytes = get(EdgeCounter.TX_BYTES) + unsentBytes - port.get(PortCounter.TX_BYTES);
            add(EdgeCounter.TX_PACKETS, unsent - lost);
            add(EdgeCounter.TX_BYTES, unsentBytes - lostBytes);
            unsent = lost;
            unsentBytes = lostBytes;
        }
    }

    void dropFor(final int to) {
        add(EdgeCounter.DROPPED_DESTINATION_FULL, 1);
        droppedFor[to]++;
    }

    void add(final EdgeCounter counter, final long number) {
        values[counter.ordinal()] += number;
    }
}
