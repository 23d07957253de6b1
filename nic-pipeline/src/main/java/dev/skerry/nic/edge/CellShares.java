package dev.skerry.nic.edge;

import dev.skerry.dataplane.memory.FreeList;
import dev.skerry.dataplane.memory.Region;

import java.util.Arrays;

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
    final QueueTarget target;

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

    /**
     * How many cells of a source port each destination may have, so that a cell is home again within a time, the target
     * (docs/spec/edge.md): as many as came home in a window of that length. Time is counted in slots here, so a fabric
     * that rests or that others keep from running changes nothing. The thread of the source port.
     */
    static final class QueueTarget {
        /** Cells that a destination may have in any case: some packets, or a burst of its port would never be whole. */
        static final int LEAST_CELLS = 32;
        /** Share by which a limit falls in a window, at most: a port that takes packets in bursts keeps its bursts. */
        private static final int FALL_SHIFT = 3;

        private final int most;
        /**
         * By destination: its limit, cells that came home in this window, whether packets had to wait for the limit.
         */
        private final int[] limit;
        private final int[] home;
        private final boolean[] isFull;
        private long startSlot;
        private long windowSlots;

        /**
         * Limits that bound nothing until the first window has a length.
         *
         * @param queues number of destinations.
         * @param most   cells of the port.
         */
        QueueTarget(final int queues, final int most) {
            this.most = most;
            this.limit = new int[queues];
            this.home = new int[queues];
            this.isFull = new boolean[queues];
            Arrays.fill(limit, most);
        }

        /** Sets how many slots a window has; 0: no limits. */
        void setWindow(final long slots) {
            windowSlots = slots;
            if (slots == 0) {
                Arrays.fill(limit, most);
            }
        }

        /** Ends the window if its time is over. */
        void pass(final long slot) {
            final long passed = slot - startSlot;
            if (windowSlots > 0 && passed >= windowSlots) {
                for (int to = 0; to < limit.length; to++) {
                    final long came = (home[to] * windowSlots + passed - 1) / passed;
                    final int fallen = isFull[to] ? limit[to] - (limit[to] >> FALL_SHIFT) : limit[to];
                    limit[to] = Math.clamp(Math.max(came, fallen), Math.min(LEAST_CELLS, most), most);
                }
                Arrays.fill(home, 0);
                Arrays.fill(isFull, false);
                startSlot = slot;
            }
        }

        /** Whether a destination may have more cells; if not, its limit may fall. Two packets are always allowed. */
        boolean hasRoom(final int to, final int held, final int cells) {
            final boolean has = held + cells <= Math.max(limit[to], 2 * cells);
            isFull[to] |= !has;
            return has;
        }

        /** Whether a destination is far enough below its limit to ask its port for packets again. */
        boolean hasPlenty(final int to, final int held) {
            return held <= limit[to] - (limit[to] >> 2);
        }

        /** A destination has its share of the cells for another reason: the limit may fall. */
        void full(final int to) {
            isFull[to] = true;
        }

        /** A cell came home. */
        void cameHome(final int to) {
            home[to]++;
        }

        /** Most cells of a destination. */
        int limit(final int to) {
            return limit[to];
        }
    }
}
