package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;

/**
 * Shares the cells of a source port among the destinations of its packets (docs/spec/edge.md). A cell counts for its
 * destination from the moment it is cut until it is free again, wherever it is: this is an end-to-end window by pair of
 * ports. A destination may have as many cells as are free (the dynamic threshold of Choudhury and Hahne, with factor
 * 1): one alone gets half of the cells, k that stand still get a (k + 1)-th each, and as much stays free for the
 * others. One packet is always admitted to a destination that has none. The thread of the source port.
 */
final class CellShares {
    private final FreeList free;
    private final Region destinations;
    /** By destination: cells cut and not yet free again. */
    private final int[] held;

    CellShares(final FreeList free, final Region destinations, final int ports) {
        this.free = free;
        this.destinations = destinations;
        this.held = new int[ports];
    }

    /** Whether a packet may be cut into this number of cells for a destination. */
    boolean hasRoom(final int to, final int cells) {
        final int room = free.cells() - free.held();
        return cells <= room && (held[to] == 0 || held[to] + cells <= room);
    }

    /** Whether a destination is far enough below its share to ask its port for packets again: half of it is left. */
    boolean hasPlenty(final int to) {
        return 2L * held[to] <= free.cells() - free.held();
    }

    /** A cell was cut. */
    void cut(final int cell, final int to) {
        destinations.setInt((long) cell * Integer.BYTES, to);
        held[to]++;
    }

    /** A cell is about to be freed. */
    void cameHome(final int cell) {
        held[destinations.getInt((long) cell * Integer.BYTES)]--;
    }

    /** Cells that a destination has. */
    int held(final int to) {
        return held[to];
    }

    /** Cells that all destinations have. For checks. */
    int held() {
        int sum = 0;
        for (final int cells : held) {
            sum += cells;
        }
        return sum;
    }
}
