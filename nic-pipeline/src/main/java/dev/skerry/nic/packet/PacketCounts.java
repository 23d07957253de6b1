package dev.skerry.nic.packet;

/** The values of the counters of one sender or receiver. One thread. */
public final class PacketCounts {
    private static final PacketCounter[] COUNTERS = PacketCounter.values();

    private final long[] values = new long[COUNTERS.length];

    /** Creates counters that are all 0. */
    public PacketCounts() {
    }

    public long get(final PacketCounter counter) {
        return values[counter.ordinal()];
    }

    /** Cells dropped, over all drop counters. */
    public long dropped() {
        long sum = 0;
        for (final PacketCounter counter : COUNTERS) {
            sum += counter.isDrop() ? get(counter) : 0;
        }
        return sum;
    }

    /**
     * Checks that cells received = cells delivered + cells held + drops.
     *
     * @param held cells held by the {@link ReorderWindow} and the {@link PacketReassembler} together.
     * @throws IllegalStateException if the law is broken.
     */
    public void verify(final long held) {
        final long received = get(PacketCounter.CELLS_RECEIVED);
        final long delivered = get(PacketCounter.CELLS_DELIVERED);
        if (received != delivered + held + dropped()) {
            throw new IllegalStateException("cells are not conserved: received=" + received + " delivered=" + delivered
                + " held=" + held + " dropped=" + dropped());
        }
    }

    /** One more. */
    public void increment(final PacketCounter counter) {
        values[counter.ordinal()]++;
    }

    void add(final PacketCounter counter, final long number) {
        values[counter.ordinal()] += number;
    }

    void addTo(final int ordinal, final long number) {
        values[ordinal] += number;
    }
}
