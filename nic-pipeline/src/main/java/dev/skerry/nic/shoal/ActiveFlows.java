package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The active flows of each row of a bank of Shoal, in the order in which they became active. A row is a node and a
 * traffic class, see {@link ShoalFlowScheduler}.
 *
 * <pre>
 *   one row                                        beside it, by row
 *   0       4        8                             +------------+  +------+
 *   +-------+--------+--------+--                  | bits: one  |  | only |
 *   | count | flow   | flow   | ..                 | a number   |  |      |
 *   +-------+--------+--------+--                  +------------+  +------+
 *   flow: bits 31..16 its destination, 15..0 its number
 *   only: the flow, if it is the only one and has number 0
 * </pre>
 *
 * <p>Most nodes have only their first flow, and an admission reads that flow of all nodes at once. One thread.
 */
final class ActiveFlows {
    /** No flow. */
    static final int NONE = -1;

    private static final int LINE = 64;
    private static final int BITS_SHIFT = 6;
    private static final int DESTINATION_SHIFT = 16;
    private static final int NUMBER_MASK = (1 << DESTINATION_SHIFT) - 1;

    private final int rowBytes;
    private final Region rows;
    /** One bit for each active flow, by row, then by the number of the flow divided by 64. */
    private final long[][] bits;
    private final int[] only;
    /** One bit for each row that has flows, 64 to a word. */
    private final long[] some;

    /**
     * Creates rows without flows.
     *
     * @param arena  owner of the memory.
     * @param rows   rows of the bank.
     * @param nodes  nodes of the fabric: a row has at most one flow to each.
     * @param ofNode largest number of flows of a node, over its rows.
     */
    ActiveFlows(final Arena arena, final int rows, final int nodes, final int ofNode) {
        this.rowBytes = rowBytes(nodes);
        this.rows = Region.allocate(arena, (long) rows * rowBytes);
        this.bits = new long[rows][Throttles.words(ofNode)];
        this.only = new int[rows];
        Arrays.fill(only, NONE);
        this.some = new long[Throttles.words(rows)];
    }

    /**
     * Returns the bytes of a row: an odd number of cache lines, so that the first lines of rows spread over the sets of
     * a cache.
     */
    static int rowBytes(final int nodes) {
        return ((nodes * Integer.BYTES + LINE - 1) / LINE | 1) * LINE;
    }

    /** Returns the word of an active flow. */
    static int flow(final int destination, final int number) {
        return destination << DESTINATION_SHIFT | number;
    }

    /** Returns the number of a flow among those of its node. */
    static int number(final int flow) {
        return flow & NUMBER_MASK;
    }

    /** Returns the destination node of a flow. */
    static int destination(final int flow) {
        return flow >>> DESTINATION_SHIFT;
    }

    /** Tells whether the bit of a flow's number is set. */
    static boolean isIn(final long[] bits, final int flow) {
        return (bits[number(flow) >>> BITS_SHIFT] >>> number(flow) & 1) != 0;
    }

    /** Returns one bit for each row of a word, set if it has flows. */
    long some(final int word) {
        return some[word];
    }

    /** Tells whether no row has flows. */
    boolean isEmpty() {
        for (final long word : some) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of flows of a row. */
    int size(final int row) {
        return rows.getInt(Region.offset(row, rowBytes));
    }

    /** Returns the flow at a place of a row. */
    int get(final int row, final int place) {
        return rows.getInt(at(row, place));
    }

    /** Returns one bit for each number of a flow of a row, 64 to a word, set if it is active. Not to be modified. */
    long[] bits(final int row) {
        return bits[row];
    }

    /** Copies {@link #only(int)} of rows [first, end) to the start of an array. */
    void only(final int first, final int end, final int[] into) {
        System.arraycopy(only, first, into, first, end - first);
    }

    /** Returns the flow of a row if it is the only one and has number 0, else {@link #NONE}. */
    int only(final int row) {
        return only[row];
    }

    /** Appends a flow to its row. */
    void add(final int row, final int flow) {
        final int size = size(row);
        rows.setInt(at(row, size), flow);
        resize(row, size + 1);
        bits[row][number(flow) >>> BITS_SHIFT] |= 1L << number(flow);
    }

    /** Removes a flow from its row; those behind it move up. */
    void remove(final int row, final int flow) {
        final int size = size(row);
        int place = 0;
        while (get(row, place) != flow) {
            place++;
        }
        for (; place < size - 1; place++) {
            rows.setInt(at(row, place), get(row, place + 1));
        }
        resize(row, size - 1);
        bits[row][number(flow) >>> BITS_SHIFT] &= ~(1L << number(flow));
    }

    private void resize(final int row, final int size) {
        rows.setInt(Region.offset(row, rowBytes), size);
        only[row] = size == 1 && number(get(row, 0)) == 0 ? get(row, 0) : NONE;
        some[row >>> BITS_SHIFT] = some[row >>> BITS_SHIFT] & ~(1L << row) | (size > 0 ? 1L << row : 0);
    }

    private long at(final int row, final int place) {
        return Region.offset(row, rowBytes) + Integer.BYTES + Region.offset(place, Integer.BYTES);
    }
}
