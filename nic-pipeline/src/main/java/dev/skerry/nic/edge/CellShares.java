package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;

/**
 * Shares the cells of a source port among the destinations of its packets (docs/spec/edge.md); a destination here is a
 * queue, a port and a traffic class. A cell counts for its destination from the moment it is cut until it is free
 * again, wherever it is: this is an end-to-end window by pair of ports. A destination may have as many cells as are
 * free (the dynamic threshold of Choudhury and Hahne, with factor 1): one alone gets half of the cells, k that stand
 * still get a (k + 1)-th each, and as much stays free for the others. One packet is always admitted to a destination
 * that has none. {@link QueueTarget} bounds it further. The thread of the source port.
 */
final class CellShares {
    private final FreeList free;
    private final Region destinations;
    /** By destination: cells cut and not yet free again. */
    private final int[] held;
    private final QueueTarget target;

    CellShares(final FreeList free, final Region destinations, final int queues) {
        this.free = free;
        this.destinations = destinations;
        this.held = new int[queues];
        this.target = new QueueTarget(queues, free.cells());
    }

    /** Whether a packet may be cut into this number of cells for a destination. */
    boolean hasRoom(final int to, final int cells) {
        final int room = free.cells() - free.held();
        if (held[to] == 0) {
            return cells <= room;
        }
        if (held[to] + cells > room) {
            target.full(to);
            return false;
        }
        return target.hasRoom(to, held[to], cells);
    }

    /** Whether a destination is far enough below its share to ask its port for packets again: half of it is left. */
    boolean hasPlenty(final int to) {
        return held[to] == 0 || 2L * held[to] <= free.cells() - free.held() && target.hasPlenty(to, held[to]);
    }

    /** A cell was cut. */
    void cut(final int cell, final int to) {
        destinations.setInt((long) cell * Integer.BYTES, to);
        held[to]++;
    }

    /** A cell is about to be freed. */
    void cameHome(final int cell) {
        final int to = destinations.getInt((long) cell * Integer.BYTES);
        held[to]--;
        target.cameHome(to);
    }

    /** Bounds cells by time. */
    QueueTarget target() {
        return target;
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
