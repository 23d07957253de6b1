package dev.skerry.dataplane.port;

/** The values of a port's counters. The port's thread writes; other threads may read slightly old values. */
public final class PortCounts {
    private static final PortCounter[] COUNTERS = PortCounter.values();

    private final long[] values = new long[COUNTERS.length];

    /** All counters at 0. */
    public PortCounts() {
    }

    /** The value of a counter. */
    public long get(final PortCounter counter) {
        return values[counter.ordinal()];
    }

    /** Adds to a counter. The port's thread calls. */
    public void add(final PortCounter counter, final long number) {
        values[counter.ordinal()] += number;
    }

    /** Counts the packets that a burst has received beyond those it held. The port's thread calls. */
    public void addReceived(final PacketBurst into, final int before) {
        long bytes = 0;
        for (int packet = before; packet < into.size(); packet++) {
            bytes += into.length(packet);
        }
        add(PortCounter.RX_PACKETS, into.size() - before);
        add(PortCounter.RX_BYTES, bytes);
    }

    /** Counts packets that left the port. The port's thread calls. */
    public void addSent(final long packets, final long bytes) {
        add(PortCounter.TX_PACKETS, packets);
        add(PortCounter.TX_BYTES, bytes);
    }

    /** Counts a received packet that is longer than the burst allows. The port's thread calls. */
    public void addTooLong(final long bytes) {
        add(PortCounter.RX_DROPPED_TOO_LONG, 1);
        add(PortCounter.RX_TOO_LONG_BYTES, bytes);
    }

    /** The counters that are not 0, {@code NAME=value} each. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (final PortCounter counter : COUNTERS) {
            if (get(counter) != 0) {
                text.append(text.isEmpty() ? "" : " ").append(counter).append('=').append(get(counter));
            }
        }
        return text.toString();
    }
}
