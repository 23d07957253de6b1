package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Which flows of each row of a bank of Shoal have cells to send, in the order they became active; a row is a node and a
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
 * Most nodes have one flow, their first, and an admission asks for that of all nodes at once. One thread.
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
    /** By row and number of a flow divided by 64, a bit for each active one. */
    private final long[][] bits;
    private final int[] only;
    /** A bit for each row that has flows, 64 to a word. */
    private final long[] some;

    /**
     * No flows.
     *
     * @param arena    owner of the memory.
     * @param rows     of the bank.
     * @param nodes    of the fabric: a row has a flow to each at most.
     * @param ofNode   most flows of a node, over its rows.
     */
    ActiveFlows(final Arena arena, final int rows, final int nodes, final int ofNode) {
        this.rowBytes = rowBytes(nodes);
        this.rows = Region.allocate(arena, (long) rows * rowBytes);
        this.bits = new long[rows][Throttles.words(ofNode)];
        this.only = new int[rows];
        Arrays.fill(only, NONE);
        this.some = new long[Throttles.words(rows)];
    }

    /** Bytes of a row: an odd number of lines, so that the first ones do not fall into few sets of a cache. */
    static int rowBytes(final int nodes) {
        return ((nodes * Integer.BYTES + LINE - 1) / LINE | 1) * LINE;
    }

    /** An active flow. */
    static int flow(final int destination, final int number) {
        return destination << DESTINATION_SHIFT | number;
    }

    /** The number of a flow among those of its node. */
    static int number(final int flow) {
        return flow & NUMBER_MASK;
    }

    /** The destination node of a flow. */
    static int destination(final int flow) {
        return flow >>> DESTINATION_SHIFT;
    }

    /** Whether the bit of a flow's number is set. */
    static boolean isIn(final long[] bits, final int flow) {
        return (bits[number(flow) >>> BITS_SHIFT] >>> number(flow) & 1) != 0;
    }

    /** The rows of a word that have flows, a bit each. */
    long some(final int word) {
        return some[word];
    }

    /** Whether no row has flows. */
    boolean isEmpty() {
        for (final long word : some) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }

    /** Flows of a row. */
    int size(final int row) {
        return rows.getInt(Region.offset(row, rowBytes));
    }

    /** The flow at a place of a row. */
    int get(final int row, final int place) {
        return rows.getInt(at(row, place));
    }

    /** Which flows of a row there are: a bit for each number, 64 to a word. Not to be written. */
    long[] bits(final int row) {
        return bits[row];
    }

    /** {@link #only(int)} of rows [first, end). */
    void only(final int first, final int end, final int[] into) {
        System.arraycopy(only, first, into, first, end - first);
    }

    /** The flow of a row, if it is the only one and has number 0, else {@link #NONE}. */
    int only(final int row) {
        return only[row];
    }

    /** A flow has cells to send: it is the last of its row. */
    void add(final int row, final int flow) {
        final int size = size(row);
        rows.setInt(at(row, size), flow);
        resize(row, size + 1);
        bits[row][number(flow) >>> BITS_SHIFT] |= 1L << number(flow);
    }

    /** A flow has none any more; those behind it in its row close up. */
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
