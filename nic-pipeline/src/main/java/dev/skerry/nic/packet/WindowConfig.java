package dev.skerry.nic.packet;

import dev.skerry.dataplane.check.Bounds;

/**
 * Sizes of a {@link ReorderWindow}. Immutable.
 *
 * @param streams      number of streams, one per source and class (and per node, for a bank), at least 1.
 * @param sequenceBits width of the sequence number, 2 to 32: 22 for Shoal, 20 with traffic classes.
 * @param windowCells  W, the most cells that the window of a stream spans: a power of two up to 2^(sequenceBits - 1).
 *                     Beyond that, a number ahead could not be told from one behind.
 * @param poolCells    places for cells that all windows share: a power of two, at least 64 and at least 2 W, because a
 *                     window that grows holds its old and its new ring.
 * @param timeoutSlots how long a missing cell is waited for after a later one arrived, in slots, at least 1.
 */
public record WindowConfig(int streams, int sequenceBits, int windowCells, int poolCells, long timeoutSlots) {
    /** Checks every bound. */
    public WindowConfig {
        Bounds.atLeast("streams", streams, 1);
        Bounds.require("sequenceBits", sequenceBits, 2, Integer.SIZE);
        if (Integer.bitCount(windowCells) != 1 || windowCells < 1 || windowCells > 1L << sequenceBits - 1) {
            throw new IllegalArgumentException("windowCells must be a power of two up to 2^(sequenceBits - 1): "
                + "windowCells=" + windowCells + " sequenceBits=" + sequenceBits);
        }
        if (Integer.bitCount(poolCells) != 1 || poolCells < Math.max(2L * windowCells, WindowPool.UNIT_CELLS)) {
            throw new IllegalArgumentException("poolCells must be a power of two, at least 64 and 2 * windowCells: "
                + "poolCells=" + poolCells + " windowCells=" + windowCells);
        }
        Bounds.atLeast("timeoutSlots", timeoutSlots, 1);
    }
}
