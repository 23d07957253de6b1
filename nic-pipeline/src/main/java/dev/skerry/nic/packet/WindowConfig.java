package dev.skerry.nic.packet;

/**
 * What a {@link ReorderWindow} is made for. Immutable.
 *
 * @param streams      number of streams, one for each source and class (and node, for a bank), at least 1.
 * @param sequenceBits width of the sequence number, 2 to 32: 22 for Shoal, 20 with traffic classes.
 * @param windowCells  W, how many cells a stream's window spans at most, a power of two up to
 *                     2^(sequenceBits - 1): a number further ahead could as well be one behind.
 * @param poolCells    how many places for cells all windows share, a power of two, at least 64 and 2 W: while a window
 *                     grows, it has its old ring and its new one.
 * @param timeoutSlots how long a missing cell is waited for since a later one came, in slots, at least 1;
 *                     see {@link #timeoutSlots(int, int, long)}.
 */
public record WindowConfig(int streams, int sequenceBits, int windowCells, int poolCells, long timeoutSlots) {
    /** Checks every bound. */
    public WindowConfig {
        if (streams < 1) {
            throw new IllegalArgumentException("streams must be at least 1: streams=" + streams);
        }
        if (sequenceBits < 2 || sequenceBits > Integer.SIZE) {
            throw new IllegalArgumentException("sequenceBits must be 2 to 32: sequenceBits=" + sequenceBits);
        }
        if (Integer.bitCount(windowCells) != 1 || windowCells < 1 || windowCells > 1L << sequenceBits - 1) {
            throw new IllegalArgumentException("windowCells must be a power of two up to 2^(sequenceBits - 1): "
                + "windowCells=" + windowCells + " sequenceBits=" + sequenceBits);
        }
        if (Integer.bitCount(poolCells) != 1 || poolCells < Math.max(2L * windowCells, WindowPool.UNIT_CELLS)) {
            throw new IllegalArgumentException("poolCells must be a power of two, at least 64 and 2 * windowCells: "
                + "poolCells=" + poolCells + " windowCells=" + windowCells);
        }
        if (timeoutSlots < 1) {
            throw new IllegalArgumentException("timeoutSlots must be at least 1: timeoutSlots=" + timeoutSlots);
        }
    }

    /**
     * How long a cell of Shoal can be under way after a later one of its stream came: each of its two queues holds at
     * most N cells and sends one an epoch (docs/spec/shoal.md §3.3).
     *
     * @param nodes          N.
     * @param epochSlots     slots of an epoch.
     * @param roundTripSlots propagation there and back, in slots.
     */
    public static long timeoutSlots(final int nodes, final int epochSlots, final long roundTripSlots) {
        return 2L * (nodes + 1) * epochSlots + roundTripSlots;
    }
}
