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

    /** Clocks of the reference switch: a packet takes its words on the bus, and a look-up at least. */
    public static double referenceClocks(final int bytes) {
        return Math.max(LOOK_UP_CLOCKS, Math.ceilDiv(bytes, BUS_BYTES));
    }

    /** Clocks of the NDP switch: one more a packet. */
    public static double ndpClocks(final int bytes) {
        return referenceClocks(bytes) + 1;
    }

    /** Clocks of Stardust with packets in cells of their own: whole cells, the last one as dear as the others. */
    public static double unpackedClocks(final int bytes) {
        return Math.ceilDiv(bytes, CELL_BYTES) * (double) LOOK_UP_CLOCKS;
    }

    /** Clocks of Stardust with packed cells: a packet takes its share of them. */
    public static double packedClocks(final int bytes) {
        return bytes / (double) CELL_BYTES * LOOK_UP_CLOCKS;
    }

    /** The reference switch. */
    public double reference(final int bytes) {
        return share(bytes, referenceClocks(bytes));
    }

    /** The clock at which the reference switch carries the line. */
    public double referenceClockHz(final int bytes) {
        return linePackets(bytes) * referenceClocks(bytes);
    }

    /** The NDP switch. */
    public double ndp(final int bytes) {
        return share(bytes, ndpClocks(bytes));
    }

    /** Stardust with packets in cells of their own. */
    public double unpacked(final int bytes) {
        return share(bytes, unpackedClocks(bytes));
    }

    /** Stardust with packed cells. */
    public double packed(final int bytes) {
        return share(bytes, packedClocks(bytes));
    }

    /** Rate of unpacked cells as a share of that of packed cells, where neither fills the line. */
    public static double unpackedToPacked(final int bytes) {
        return bytes / ((double) CELL_BYTES * Math.ceilDiv(bytes, CELL_BYTES));
    }

    private double share(final int bytes, final double clocks) {
        return Math.min(1, clockHz / (clocks * linePackets(bytes)));
    }
}
