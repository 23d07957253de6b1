package dev.skerry.nic.shoal;

/**
 * What a node keeps for each neighbour: the queue Q_ij with at most one local cell, the size and the turn of the ready
 * queue R_ij (docs/spec/shoal.md §4.1).
 *
 * <pre>
 *   each [link][node]
 *   load, 4 bytes            search, 4 bytes           first, 16 bytes      more, 32 bytes
 *   31     16 15      0      31    16 15       0       0       8      16    0        4        8    16       32
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   | ready  | length |      | turn  | local   |       | route | cell |     | spill  | spill  | pad | second |
 *   |        |        |      |       | flow + 1|       | word  | word |     | head   | tail   |     | cell   |
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   ready: flows that might use the link and have no cell in the queue, when it was last served
 *   local: of the local cell in the queue, 0: none
 *   turn:  place in the node's list of active flows where the next search begins
 * </pre>
 *
 * Most queues hold one cell or none, so the first one lies apart from those behind it: the second, and others in the
 * SpillPool. Loads have one more row, of the link that stands for none: its queues are always empty, so that a report
 * on no queue needs no branch.
 */
public final class ShoalQueueLayout {
    /** No local cell. */
    public static final int NONE = -1;
    /** Bytes of a load. */
    public static final int LOAD_BYTES = Integer.BYTES;
    /** Bytes of a search. */
    public static final int SEARCH_BYTES = Integer.BYTES;
    /** Bytes of a first cell. */
    public static final int FIRST_BYTES = 16;
    /** Bytes of the cells behind it. */
    public static final int MORE_BYTES = 32;
    /** Ints of the cells behind the first one. */
    static final int SPILL_HEAD = 0;
    static final int SPILL_TAIL = 1;
    /** A long of it. */
    static final int SECOND = 2;
    /** Cells outside the pool. */
    static final int INLINE = 2;

    private static final int HALF = 16;
    private static final int HALF_MASK = (1 << HALF) - 1;

    private ShoalQueueLayout() {
    }

    /** Memory in bytes of the queues of some nodes, the pool not counted. */
    static long bytes(final int nodes, final int links) {
        return (long) links * nodes * (FIRST_BYTES + MORE_BYTES + SEARCH_BYTES) + (links + 1L) * nodes * LOAD_BYTES;
    }

    /** A load of cells and ready flows. */
    public static int load(final int length, final int ready) {
        return ready << HALF | length;
    }

    /** Cells of a load. */
    public static int lengthOf(final int load) {
        return load & HALF_MASK;
    }

    /** Ready flows of a load. */
    public static int readyOf(final int load) {
        return load >>> HALF;
    }

    /** A search: the place where it begins, and the flow of the local cell plus 1. */
    public static int search(final int turn, final int localAndOne) {
        return turn << HALF | localAndOne;
    }

    /** The flow of the local cell, {@link #NONE} if there is none. */
    public static int localOf(final int search) {
        return (search & HALF_MASK) - 1;
    }

    /** The place where a search begins. */
    public static int turnOf(final int search) {
        return search >>> HALF;
    }
}
