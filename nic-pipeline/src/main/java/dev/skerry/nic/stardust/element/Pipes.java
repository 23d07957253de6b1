package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Cells under way on the links: a place of two words for each port and each slot of a window of slots. The sender
 * writes the place of its port; the receiver at the other end reads it one propagation delay later.
 *
 * <pre>
 *   row (slot mod window)   | port 0 : first, second | port 1 | ...      first word 0: nothing was sent
 * </pre>
 *
 * A place is the sender's up to its slot and the receiver's afterwards; they meet in between at a barrier.
 */
public final class Pipes {
    private static final int PLACE_SHIFT = 4;

    private final Region region;
    private final long rowBytes;
    private final int window;

    public Pipes(final Arena arena, final int ports, final int window) {
        this.region = Region.allocate(arena, bytes(ports, window));
        this.rowBytes = (long) ports << PLACE_SHIFT;
        this.window = window;
    }

    /** Memory in bytes. */
    public static long bytes(final int ports, final int window) {
        return ((long) ports << PLACE_SHIFT) * window;
    }

    /** Where the row of a slot begins. */
    public long row(final long slot) {
        return slot % window * rowBytes;
    }

    /** The first word of a cell, 0 if nothing was sent. */
    public long first(final long row, final int port) {
        return region.getLong(row + ((long) port << PLACE_SHIFT), 0);
    }

    /** The second word of a cell. */
    public long second(final long row, final int port) {
        return region.getLong(row + ((long) port << PLACE_SHIFT), 1);
    }

    /** Sends a cell. */
    void put(final long row, final int port, final long first, final long second) {
        final long at = row + ((long) port << PLACE_SHIFT);
        region.setLong(at, 0, first);
        region.setLong(at, 1, second);
    }

    /** Sends nothing. */
    void idle(final long row, final int port) {
        region.setLong(row + ((long) port << PLACE_SHIFT), 0, 0L);
    }

    /** Cells that were sent in a slot into some ports. */
    public int cells(final long slot, final int from, final int to) {
        final long row = row(slot);
        int cells = 0;
        for (int port = from; port < to; port++) {
            cells += first(row, port) == 0 ? 0 : 1;
        }
        return cells;
    }
}
