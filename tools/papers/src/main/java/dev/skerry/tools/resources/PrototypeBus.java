package dev.skerry.tools.resources;

/**
 * The bus of the prototype of Figure 8a, stepped clock by clock while a full line brings packets of one size
 * (docs/spec/stardust.md §10 row 4): what {@link CycleModel} has as formulas, done. Stateless.
 */
public enum PrototypeBus {
    /** A packet takes its words on the bus, and a look-up at least. */
    REFERENCE,
    /** One clock more a packet. */
    NDP,
    /** Packets in cells of their own: every cell takes a look-up, the last one whole. */
    UNPACKED,
    /** Packets follow one another in cells, which only leave full. */
    PACKED;

    private static final int BUS_BYTES = 32;
    private static final int CELL_BYTES = 64;
    private static final int LOOK_UP_CLOCKS = 2;
    /** Clocks that are stepped for each byte of a packet, so that long ones are as many as short ones. */
    private static final int CLOCKS_A_BYTE = 60;

    /** The part of the packets of a full line that the bus carries. */
    public double share(final CycleModel prototype, final int bytes) {
        final double perClock = prototype.linePackets(bytes) / prototype.clockHz();
        final long clocks = (long) CLOCKS_A_BYTE * bytes;
        double come = 0;
        double waiting = 0;
        double carried = 0;
        double unit = 0;
        int busy = 0;
        for (long clock = 0; clock < clocks; clock++) {
            come += perClock;
            waiting += perClock;
            final double next = this == PACKED ? (double) CELL_BYTES / bytes : 1;
            if (busy == 0 && waiting >= next) {
                waiting -= next;
                busy = clocks(bytes);
                unit = next / busy;
            }
            if (busy > 0) {
                busy--;
                carried += unit;
            }
        }
        // A bus that falls behind is further behind by then.
        return waiting < 2 ? 1 : carried / come;
    }

    /** Clocks for which the bus is taken at once: by a packet, or by a cell where packets share cells. */
    private int clocks(final int bytes) {
        if (this == PACKED) {
            return LOOK_UP_CLOCKS;
        }
        int words = 0;
        int cells = 0;
        for (int left = bytes; left > 0; left -= BUS_BYTES) {
            words++;
        }
        for (int left = bytes; left > 0; left -= CELL_BYTES) {
            cells++;
        }
        return this == UNPACKED ? LOOK_UP_CLOCKS * cells : Math.max(LOOK_UP_CLOCKS, words) + (this == NDP ? 1 : 0);
    }
}
