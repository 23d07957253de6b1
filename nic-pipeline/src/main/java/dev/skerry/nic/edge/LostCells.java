package dev.skerry.nic.edge;

import dev.skerry.dataplane.ring.SpscRing;

import java.lang.foreign.Arena;

/**
 * The way of cells that are lost in one bank to the bank of their destination, which puts them in order with what
 * arrives: so each packet that loses a cell is known, and nobody waits for what does not come. A ring from each bank to
 * each other one has room for all cells.
 */
final class LostCells {
    /** By bank that loses, then bank of the destination; null from a bank to itself. */
    private final SpscRing[][] ways;

    /**
     * No cell is lost.
     *
     * @param banks number of banks.
     * @param cells of all ports.
     */
    LostCells(final Arena arena, final int banks, final int cells) {
        this.ways = new SpscRing[banks][banks];
        final int room = Integer.highestOneBit(2 * cells - 1);
        for (int from = 0; from < banks; from++) {
            for (int to = 0; to < banks; to++) {
                ways[from][to] = from == to ? null : new SpscRing(arena, room);
            }
        }
    }

    /** A bank has lost a cell that was to go to another one. The thread of the first. */
    void send(final int from, final int to, final int cell) {
        if (!ways[from][to].producer().offer(cell)) {
            throw new IllegalStateException("more cells are lost than there are: from=" + from + " to=" + to);
        }
    }

    /** The next cell that one bank has lost on its way to another, {@link SpscRing#NONE} if there is none. */
    int next(final int from, final int to) {
        return from == to ? SpscRing.NONE : ways[from][to].consumer().poll();
    }

    /** Lost cells that have not been taken in. */
    int size() {
        int cells = 0;
        for (final SpscRing[] from : ways) {
            for (final SpscRing ring : from) {
                cells += ring == null ? 0 : ring.size();
            }
        }
        return cells;
    }
}
