package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * What a node keeps for each neighbour: the queue Q_ij of cells that go to it, first in first out, with at most one
 * local cell among them, and the size and the turn of the ready queue R_ij (docs/spec/shoal.md §4.1).
 *
 * <pre>
 *   each [link][node]
 *   load, 4 bytes            search, 4 bytes           first, 16 bytes      more, 32 bytes
 *   31     16 15      0      31    16 15       0       0       8      16    0        4        8    16       32
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   | ready  | length |      | turn  | local   |       | route | cell |     | spill  | spill  | pad | second |
 *   |        |        |      |       | flow + 1|       | word  | word |     | head   | tail   |     | cell   |
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   ready: flows that might use the link, and do not yet have a cell in the queue, when it was last served
 *   local: of the local cell in the queue, 0: none
 *   turn:  place in the node's list of active flows where the next search begins
 * </pre>
 *
 * What a slot asks of all nodes streams, and is worked on in columns; reports ask for loads anywhere, which therefore
 * lie close together. Most queues have no cell or one, so the first one lies apart from those behind it: the second,
 * and others in the SpillPool. The loads have a row more for each node's link NO_LINK, which is always empty, so that a
 * report on no queue needs no branch.
 *
 * <p>Callers pass the number of a queue, {@code link * nodes + node}. One thread.
 */
public final class ShoalQueues {
    /** No local cell. */
    public static final int NONE = -1;

    private static final int HALF = 16;
    private static final int HALF_MASK = (1 << HALF) - 1;
    private static final int FIRST_BYTES = 16;
    private static final int MORE_BYTES = 32;
    /** Ints of what comes after the first cell. */
    private static final int SPILL_HEAD = 0;
    private static final int SPILL_TAIL = 1;
    /** A long of it. */
    private static final int SECOND = 2;
    /** Cells outside the pool. */
    private static final int INLINE = 2;

    private final Region loads;
    private final Region searches;
    private final Region firsts;
    private final Region more;
    private final SpillPool pool;
    private final int nodes;
    private final int noLink;
    private final int[] list;
    private long held;
    private long word;
    private long cell;

    /**
     * Empty queues.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param pool  where long queues go on; of the same thread.
     */
    public ShoalQueues(final Arena arena, final int nodes, final int links, final SpillPool pool) {
        this.loads = Region.allocate(arena, (links + 1L) * nodes * Integer.BYTES);
        this.searches = Region.allocate(arena, (long) links * nodes * Integer.BYTES);
        this.firsts = Region.allocate(arena, (long) links * nodes * FIRST_BYTES);
        this.more = Region.allocate(arena, (long) links * nodes * MORE_BYTES);
        this.pool = pool;
        this.nodes = nodes;
        this.noLink = links;
        this.list = new int[nodes];
    }

    /** Memory in bytes, the pool not counted. */
    public static long bytes(final int nodes, final int links) {
        return (long) links * nodes * (FIRST_BYTES + MORE_BYTES + 2 * Integer.BYTES) + (long) nodes * Integer.BYTES;
    }

    /** The link that stands for none. */
    public int noLink() {
        return noLink;
    }

    /** The number of the queue of a link of a node. */
    public int queue(final int link, final int node) {
        return link * nodes + node;
    }

    /** Cells in the queue. */
    public int length(final int queue) {
        return length(loads, queue);
    }

    private static int length(final Region loads, final int queue) {
        return loads.getInt(Region.offset(queue, Integer.BYTES)) & HALF_MASK;
    }

    /** Ready flows when the queue was last served. */
    public int ready(final int queue) {
        return loads.getInt(Region.offset(queue, Integer.BYTES)) >>> HALF;
    }

    /** Where in the node's list of active flows the next search begins. */
    public int turn(final int queue) {
        return searches.getInt(Region.offset(queue, Integer.BYTES)) >>> HALF;
    }

    /** Notes what a search has found: ready flows, and where the next one begins. */
    public void setSearched(final int queue, final int flows, final int turn) {
        final long at = Region.offset(queue, Integer.BYTES);
        loads.setInt(at, load(loads.getInt(at) & HALF_MASK, flows));
        searches.setInt(at, search(turn, searches.getInt(at) & HALF_MASK));
    }

    /** The flow of the local cell in the queue, {@link #NONE} if there is none. */
    public int local(final int queue) {
        return localOf(searches.getInt(Region.offset(queue, Integer.BYTES)));
    }

    /** Writes it. */
    public void setLocal(final int queue, final int flow) {
        final long at = Region.offset(queue, Integer.BYTES);
        searches.setInt(at, searches.getInt(at) & ~HALF_MASK | flow + 1);
    }

    /** What a cell would have to wait for in a queue: Eq. 6, cells and ready flows (docs/spec/shoal.md §4.2). */
    public int load(final int queue) {
        final int load = loads.getInt(Region.offset(queue, Integer.BYTES));
        return (load & HALF_MASK) + (load >>> HALF);
    }

    /** By node, the loads of the queues of a link; {@link #lengthOf} takes one apart. */
    public void getLoads(final int link, final int first, final int end, final int[] into) {
        loads.getInts(Region.offset(queue(link, first), Integer.BYTES), into, first, end - first);
    }

    /** Writes them. */
    public void setLoads(final int link, final int first, final int end, final int[] from) {
        loads.setInts(Region.offset(queue(link, first), Integer.BYTES), from, first, end - first);
    }

    /** By node, what the searches of a link go by; {@link #localOf} and {@link #turnOf} take it apart. */
    public void getSearches(final int link, final int first, final int end, final int[] into) {
        searches.getInts(Region.offset(queue(link, first), Integer.BYTES), into, first, end - first);
    }

    /** Writes it. */
    public void setSearches(final int link, final int first, final int end, final int[] from) {
        searches.setInts(Region.offset(queue(link, first), Integer.BYTES), from, first, end - first);
    }

    /** A load. */
    public static int load(final int length, final int ready) {
        return ready << HALF | length;
    }

    /** Cells of a load. */
    public static int lengthOf(final int load) {
        return load & HALF_MASK;
    }

    /** What a search goes by: where it begins, and the flow of the local cell plus 1. */
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

    /** The route word of the first cell of a queue that has one. */
    public long first(final int queue) {
        return firsts.getLong(Region.offset(queue, FIRST_BYTES), 0);
    }

    /** Appends a cell; returns the length of the queue afterwards. */
    public int append(final int queue, final long routeWord, final long cellWord) {
        final long at = Region.offset(queue, Integer.BYTES);
        final int load = loads.getInt(at);
        put(queue, load & HALF_MASK, routeWord, cellWord);
        loads.setInt(at, load + 1);
        held++;
        return (load & HALF_MASK) + 1;
    }

    /** Takes out the first cell of a queue that has one; {@link #word()} and {@link #cell()} then give its words. */
    public void pop(final int queue) {
        final long first = Region.offset(queue, FIRST_BYTES);
        final long at = Region.offset(queue, Integer.BYTES);
        final int load = loads.getInt(at);
        word = firsts.getLong(first, 0);
        cell = firsts.getLong(first, 1);
        if ((load & HALF_MASK) > 1) {
            moveUp(queue, load & HALF_MASK);
        }
        loads.setInt(at, load - 1);
        held--;
    }

    /**
     * Appends cells, each to a queue of another node.
     *
     * @param which     places in the columns, so many of them.
     * @param firstNode the node of place 0.
     * @param links     the link of the queue that each cell joins.
     * @param words     the route words.
     * @param cells     the cell words.
     * @param lengths   gets the lengths of the queues afterwards, by node.
     */
    public void append(final int[] which, final int count, final int firstNode, final int[] links, final long[] words,
        final long[] cells, final int[] lengths) {
        final Region counts = loads;
        final Region memory = firsts;
        final int[] others = list;
        final int stride = nodes;
        int behindOthers = 0;
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int queue = links[i] * stride + firstNode + i;
            final int load = counts.getInt(Region.offset(queue, Integer.BYTES));
            final int behind = load & HALF_MASK;
            counts.setInt(Region.offset(queue, Integer.BYTES), load + 1);
            lengths[firstNode + i] = behind + 1;
            if (behind == 0) {
                final long at = Region.offset(queue, FIRST_BYTES);
                memory.setLong(at, 0, words[i]);
                memory.setLong(at, 1, cells[i]);
            } else {
                others[behindOthers++] = i;
            }
        }
        for (int k = 0; k < behindOthers; k++) {
            final int i = others[k];
            put(queue(links[i], firstNode + i), lengths[firstNode + i] - 1, words[i], cells[i]);
        }
        held += count;
    }

    /**
     * Puts cells at the end of queues of a link. Their loads are the caller's to write.
     *
     * @param link  the link.
     * @param which the nodes, from a place to another.
     * @param loads by node, of the queues with the cell counted.
     * @param words the route words, by node.
     * @param cells the cell words.
     */
    public void put(final int link, final int[] which, final int from, final int end, final int[] loads,
        final long[] words, final long[] cells) {
        final Region memory = firsts;
        final int[] others = list;
        final int firstQueue = queue(link, 0);
        int behindOthers = 0;
        for (int k = from; k < end; k++) {
            final int node = which[k];
            if (lengthOf(loads[node]) == 1) {
                final long at = Region.offset(firstQueue + node, FIRST_BYTES);
                memory.setLong(at, 0, words[node]);
                memory.setLong(at, 1, cells[node]);
            } else {
                others[behindOthers++] = node;
            }
        }
        for (int k = 0; k < behindOthers; k++) {
            final int node = others[k];
            put(firstQueue + node, lengthOf(loads[node]) - 1, words[node], cells[node]);
        }
        held += end - from;
    }

    /**
     * Takes out the first cells of queues of a link. Their loads are the caller's to write.
     *
     * @param link  the link.
     * @param which the nodes, so many of them; none of the queues is empty.
     * @param loads by node, of the queues while they had the cells.
     * @param words gets the route words, by node.
     * @param cells gets the cell words.
     */
    public void pop(final int link, final int[] which, final int count, final int[] loads, final long[] words,
        final long[] cells) {
        final Region memory = firsts;
        final int[] several = list;
        final int firstQueue = queue(link, 0);
        int more = 0;
        for (int k = 0; k < count; k++) {
            final int node = which[k];
            final long at = Region.offset(firstQueue + node, FIRST_BYTES);
            words[node] = memory.getLong(at, 0);
            cells[node] = memory.getLong(at, 1);
            several[more] = node;
            more += Branchless.ifPositive(lengthOf(loads[node]) - 1);
        }
        for (int k = 0; k < more; k++) {
            moveUp(firstQueue + several[k], lengthOf(loads[several[k]]));
        }
        held -= count;
    }

    /** Cells in all queues. */
    public long held() {
        return held;
    }

    /** The route word of the cell taken out last. */
    public long word() {
        return word;
    }

    /** The cell word of the cell taken out last. */
    public long cell() {
        return cell;
    }

    /** Shows the cells of a queue in order, for audits. */
    public void forEach(final int queue, final Visitor visitor) {
        final int length = length(queue);
        final long first = Region.offset(queue, FIRST_BYTES);
        final long rest = Region.offset(queue, MORE_BYTES);
        if (length > 0) {
            visitor.cell(firsts.getLong(first, 0), firsts.getLong(first, 1));
        }
        if (length > 1) {
            visitor.cell(more.getLong(rest, SECOND), more.getLong(rest, SECOND + 1));
        }
        int record = length > INLINE ? more.getInt(rest, SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            visitor.cell(pool.first(record), pool.second(record));
            record = pool.next(record);
        }
    }

    /** Sees the cells of a queue. */
    @FunctionalInterface
    public interface Visitor {
        /** One cell. */
        void cell(long word, long cell);
    }

    /** Writes the cell that comes behind so many others. */
    private void put(final int queue, final int behind, final long routeWord, final long cellWord) {
        final long rest = Region.offset(queue, MORE_BYTES);
        if (behind == 0) {
            final long first = Region.offset(queue, FIRST_BYTES);
            firsts.setLong(first, 0, routeWord);
            firsts.setLong(first, 1, cellWord);
        } else if (behind == 1) {
            more.setLong(rest, SECOND, routeWord);
            more.setLong(rest, SECOND + 1, cellWord);
        } else {
            final int record = pool.take(routeWord, cellWord);
            if (behind == INLINE) {
                more.setInt(rest, SPILL_HEAD, record);
            } else {
                pool.setNext(more.getInt(rest, SPILL_TAIL), record);
            }
            more.setInt(rest, SPILL_TAIL, record);
        }
    }

    /** After the first of several cells has left: the second becomes the first, the oldest spilled one the second. */
    private void moveUp(final int queue, final int length) {
        final long first = Region.offset(queue, FIRST_BYTES);
        final long rest = Region.offset(queue, MORE_BYTES);
        firsts.setLong(first, 0, more.getLong(rest, SECOND));
        firsts.setLong(first, 1, more.getLong(rest, SECOND + 1));
        if (length > INLINE) {
            final int record = more.getInt(rest, SPILL_HEAD);
            more.setLong(rest, SECOND, pool.first(record));
            more.setLong(rest, SECOND + 1, pool.second(record));
            more.setInt(rest, SPILL_HEAD, pool.next(record));
            pool.release(record);
        }
    }
}
