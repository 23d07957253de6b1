package dev.skerry.tools.resources;

/**
 * The prototype of Figure 8a in clock cycles: 4 ports of 10GE over a bus of 32 bytes, two cycles per look-up, cells of
 * 64 bytes (docs/spec/stardust.md §10 row 4). All results are shares of the line rate, at most 1.
 *
 * @param lineBps bits per second of all ports.
 * @param clockHz frequency of the bus, Hz.
 */
public record CycleModel(double lineBps, double clockHz) {
    private static final int BUS_BYTES = 32;
    private static final int CELL_BYTES = 64;
    private static final int LOOK_UP_CLOCKS = 2;
    private static final int GAP_BYTES = 20;

    /** Returns the prototype at a clock frequency. */
    public static CycleModel prototype(final double clockHz) {
        return new CycleModel(40e9, clockHz);
    }

    /** Returns the packets of a size on the line per second. */
    public double linePackets(final int bytes) {
        return lineBps / (8.0 * (bytes + GAP_BYTES));
    }

    /** Returns the clock frequency at which the reference switch carries the line rate. */
    public double referenceClockHz(final int bytes) {
        return linePackets(bytes) * Design.REFERENCE.clocks(bytes);
    }

    /** Returns the rate of unpacked cells as a share of that of packed cells, if neither fills the line. */
    public static double unpackedToPacked(final int bytes) {
        return bytes / ((double) CELL_BYTES * Math.ceilDiv(bytes, CELL_BYTES));
    }

    /** The designs that Figure 8 compares. */
    public enum Design {
        /** The reference switch: a packet takes its words on the bus, at least the time of a look-up. */
        REFERENCE,
        /** The NDP switch: one more cycle per packet. */
        NDP,
        /** Stardust with packets in cells of their own: every cell takes a look-up, and the last one a whole cell. */
        UNPACKED,
        /** Stardust with packed cells, which are only sent full: a packet takes its share of them. */
        PACKED;

        /** Returns the clock cycles of a packet of a size. */
        public double clocks(final int bytes) {
            return switch (this) {
                case REFERENCE -> Math.max(LOOK_UP_CLOCKS, Math.ceilDiv(bytes, BUS_BYTES));
                case NDP -> REFERENCE.clocks(bytes) + 1;
                case UNPACKED -> Math.ceilDiv(bytes, CELL_BYTES) * (double) LOOK_UP_CLOCKS;
                case PACKED -> bytes / (double) CELL_BYTES * LOOK_UP_CLOCKS;
            };
        }

        /** Returns the share of the line rate by the formula, at most 1. */
        public double share(final CycleModel prototype, final int bytes) {
            return Math.min(1, prototype.clockHz / (clocks(bytes) * prototype.linePackets(bytes)));
        }
    }
}
