package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.check.Bounds;

/**
 * Where the parts of a {@link LinkBundle} lie.
 *
 * <pre>
 *   positions   byte {@link RingLayout#TAIL_OFFSET}    tail: first slot not published    written by the producer
 *               byte {@link RingLayout#HEAD_OFFSET}  head: first slot not freed        written by the consumer
 *   words       row (slot mod rows), each on cache lines of its own:
 *               +--------+--------+-----+----------+--------------------+
 *               | lane 0 | lane 1 | ... | lane n-1 | up to a whole line |      8 bytes a lane
 *               +--------+--------+-----+----------+--------------------+
 *   surplus     row (slot mod rows): 8 bytes, how many second cells were put into lanes in that slot; rarely written
 *
 *   a word      63           32 31            0
 *               +--------------+--------------+
 *               | slot, low 32 | handle       |      handle -1: dark
 *               +--------------+--------------+
 * </pre>
 *
 * The stamp tells a word of this slot from one that an earlier slot left in the lane.
 *
 * <p>What travels between caches in a slot is the row and the two positions. A ring of single words for each port would
 * move both positions of every port as well, and put neighbouring slots of a port on a line rather than neighbouring
 * ports of a slot: for a leaf switch of 64 ports, with one link of 32 lanes each way to its nodes and eight of 4 lanes
 * each way to its spines, that is 60 lines a slot in place of 384.
 *
 * <p>More rows than the agents run apart only cost cache: twice the slots that a sender may be ahead of its receiver,
 * at least 16, are enough. Shoal with 512 nodes, 4 channels and switches of 64 ports has 128 links of 32 lanes between
 * nodes and leaves and 1,024 of 4 lanes (padded to 8) between leaves and spines: 96 KiB a row, 1.5 MiB with 16 rows,
 * 6 MiB with 64, and under 1 MiB for the rest.
 */
final class LinkBundleLayout {
    /** Both positions, each on a block of its own. */
    static final long POSITIONS_BYTES = 2 * RingLayout.BLOCK_BYTES;

    /** Shift from a lane, or the surplus of a row, to its bytes. */
    static final int WORD_SHIFT = 3;

    private static final int LINE_BYTES = 64;
    private static final int STAMP_SHIFT = 32;

    private LinkBundleLayout() {
    }

    /** The word of a handle in a slot. */
    static long word(final long slot, final int handle) {
        return slot << STAMP_SHIFT | Integer.toUnsignedLong(handle);
    }

    /** Whether a word carries the stamp of a slot. */
    static boolean isOf(final long word, final long slot) {
        return (int) (word >>> STAMP_SHIFT) == (int) slot;
    }

    /** Bytes of a row: whole cache lines. */
    static long rowBytes(final int lanes) {
        return ((long) lanes << WORD_SHIFT) + LINE_BYTES - 1 & -LINE_BYTES;
    }

    /** Bytes of a bundle: positions, words and surplus. */
    static long bytes(final int lanes, final int rows) {
        check(lanes, rows);
        return POSITIONS_BYTES + (rowBytes(lanes) + Long.BYTES) * rows;
    }

    /** Refuses a bundle without lanes, and rows that are not a power of two. */
    static void check(final int lanes, final int rows) {
        Bounds.atLeast("lanes", lanes, 1);
        RingLayout.checkCapacity(rows);
    }
}
