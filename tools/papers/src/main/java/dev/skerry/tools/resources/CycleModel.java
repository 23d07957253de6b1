package dev.skerry.tools.resources;

/**
 * The prototype of Figure 8a by its clocks: 4 ports of 10GE over a bus of 32 bytes, two clocks a look-up, cells of 64
 * bytes (docs/spec/stardust.md §10 row 4). All results are shares of the line rate, 1 at most.
 *
 * @param lineBps bits a second of all ports.
 * @param clockHz of the bus.
 */
public record CycleModel(double lineBps, double clockHz) {
    private static final int BUS_BYTES = 32;
    private static final int CELL_BYTES = 64;
    private static final int LOOK_UP_CLOCKS = 2;
    private static final int GAP_BYTES = 20;

    /** The prototype at a clock. */
    public static CycleModel prototype(final double clockHz) {
        return new CycleModel(40e9, clockHz);
    }

    /** Packets of a size on the line in a second. */
    public double linePackets(final int bytes) {
        return lineBps / (8.0 * (bytes + GAP_BYTES));
    }

    /** The clock at which the reference switch carries the line. */
    public double referenceClockHz(final int bytes) {
        return linePackets(bytes) * Design.REFERENCE.clocks(bytes);
    }

    /** Rate of unpacked cells as a share of that of packed cells, where neither fills the line. */
    public static double unpackedToPacked(final int bytes) {
        return bytes / ((double) CELL_BYTES * Math.ceilDiv(bytes, CELL_BYTES));
    }

    /** What Figure 8 compares. */
    public enum Design {
        /** The reference switch: a packet takes its words on the bus, and a look-up at least. */
        REFERENCE,
        /** The NDP switch: one clock more a packet. */
        NDP,
        /** Stardust with packets in cells of their own: every cell takes a look-up, the last one whole. */
        UNPACKED,
        /** Stardust with packed cells, which only leave full: a packet takes its share of them. */
        PACKED;

        /** Clocks of a packet of a size. */
        public double clocks(final int bytes) {
            return switch (this) {
                case REFERENCE -> Math.max(LOOK_UP_CLOCKS, Math.ceilDiv(bytes, BUS_BYTES));
                case NDP -> REFERENCE.clocks(bytes) + 1;
                case UNPACKED -> Math.ceilDiv(bytes, CELL_BYTES) * (double) LOOK_UP_CLOCKS;
                case PACKED -> bytes / (double) CELL_BYTES * LOOK_UP_CLOCKS;
            };
        }

        /** The share of the line rate by the formula, 1 at most. */
        public double share(final CycleModel prototype, final int bytes) {
            return Math.min(1, prototype.clockHz / (clocks(bytes) * prototype.linePackets(bytes)));
        }
    }
}
