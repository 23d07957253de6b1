package dev.skerry.nic.edge;

import dev.skerry.nic.packet.WindowConfig;

/**
 * Sizes the windows so that no cell is ever dropped for lack of memory. Every number that a window spans belongs to a
 * cell that some port has allocated, so all windows together span at most all cells. A ring is a power of two, which
 * doubles the need; a ring that grows exists twice, which doubles it again.
 */
final class EdgeWindows {
    /** Width of a cell's sequence number in the header of Shoal (docs/spec/shoal.md §3.1). */
    private static final int SEQUENCE_BITS = 22;
    /** Time-out of a missing cell, in slots. No fabric without faults holds a cell for that long. */
    private static final long TIMEOUT_SLOTS = 1 << 20;
    /** In a class that waits for higher ones, for as long as they send. */
    private static final long NO_TIMEOUT = Long.MAX_VALUE / 2;
    private static final int UNIT_CELLS = 64;

    private EdgeWindows() {
    }

    /**
     * The windows of a bank.
     *
     * @param portsOfBank its ports.
     * @param ports       all ports.
     */
    static WindowConfig of(final EdgeConfig config, final int portsOfBank, final int ports) {
        final int streams = Math.max(1, portsOfBank * ports * config.classes().count());
        final long places = 4L * ports * config.bufferCells() + 2L * UNIT_CELLS * streams;
        return new WindowConfig(streams, SEQUENCE_BITS, config.bufferCells(),
            Math.toIntExact(Long.highestOneBit(places - 1) << 1),
            config.classes().count() > 1 ? NO_TIMEOUT : TIMEOUT_SLOTS);
    }
}
