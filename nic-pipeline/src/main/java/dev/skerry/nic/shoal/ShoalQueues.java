package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * The queues Q_ij of a bank's nodes, first in first out, each with at most one local cell, and the sizes and turns of
 * their ready queues R_ij (docs/spec/shoal.md §4.1). A slot processes all nodes of a link in columns. Reports read
 * loads of any link, so loads are stored close together. Callers pass the number of a queue, see {@link #queue}. Not
 * thread-safe.
 *
 * <pre>
 *   each [link][node]
 *   load, 4 bytes            search, 4 bytes           first, 16 bytes      more, 32 bytes
 *   31     16 15      0      31    16 15       0       0       8      16    0        4        8    16       32
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   | ready  | length |      | turn  | local   |       | route | cell |     | spill  | spill  | pad | second |
 *   |        |        |      |       | flow + 1|       | word  | word |     | head   | tail   |     | cell   |
 *   +--------+--------+      +-------+---------+       +-------+------+     +--------+--------+-----+--------+
 *   ready: flows that could use the link and had no cell in the queue when it was last served
 *   local: flow of the local cell in the queue; none: 0
 *   turn:  position in the node's list of active flows where the next search starts
 * </pre>
 *
 * <p>Most queues hold at most one cell, so the first cell is stored separately from the second one and from the others,
 * which are in the SpillPool. Loads have an additional row for the link number that denotes no link: its queues are
 * always empty, so a report about no queue needs no branch.
 */
public final class ShoalQueues {
    /** Value for no local cell. */
    public static final int NONE = -1;

    private static final int FIRST_BYTES = 16;
    private static final int MORE_BYTES = 32;
    /** Index of the second cell, after the spill head and tail, in longs. */
    private static final int SECOND = 2;
    /** Number of cells outside of the pool. */
    private static final int INLINE = 2;
    private static final int HALF = 16;
    private static final int HALF_MASK = (1 << HALF) - 1;

    private final Region loads;
    private final Region searches;
    private final Region firsts;
    /** The second cell of each queue, and its list in the pool for further cells. */
    private final Region more;
    private final SpillPool pool;
    /** Nodes whose queue may have a cell or have had ready flows, by link. All other nodes have nothing to send. */
    private final NodeSets waiting;
    private final int nodes;
    private final int noLink;
    private final int[] list;
    private long word;
    private long cell;

    /**
     * Creates empty queues.
     *
     * @param arena arena for the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param pool  memory for the third and later cells of queues; belongs to the same thread.
     */
    public ShoalQueues(final Arena arena, final int nodes, final int links, final SpillPool pool) {
        this.loads = Region.allocate(arena, (links + 1L) * nodes * Integer.BYTES);
        this.searches = Region.allocate(arena, (long) links * nodes * Integer.BYTES);
        this.firsts = Region.allocate(arena, (long) links * nodes * FIRST_BYTES);
        this.more = Region.allocate(arena, Region.offset(links * nodes, MORE_BYTES));
        this.pool = pool;
        this.waiting = new NodeSets(arena, links, nodes);
        this.nodes = nodes;
        this.noLink = links;
        this.list = new int[nodes];
    }

    /** Returns the memory in bytes, without the pool. */
    public static long bytes(final int nodes, final int links) {
        return (long) links * nodes * (FIRST_BYTES + MORE_BYTES + Integer.BYTES) + (links + 1L) * nodes * Integer.BYTES
            + NodeSets.bytes(links, nodes);
    }

    /** Returns the load word for numbers of cells and ready flows. */
    public static int load(final int length, final int ready) {
        return ready << HALF | length;
    }

    /** Returns the number of cells in a load word. */
    public static int lengthOf(final int load) {
        return load & HALF_MASK;
    }

    /** Returns the number of ready flows in a load word. */
    public static int readyOf(final int load) {
        return load >>> HALF;
    }

    /** Returns the search word for the position where a search starts and the flow of the local cell plus 1. */
    public static int search(final int turn, final int localAndOne) {
        return turn << HALF | localAndOne;
    }

    /** Returns the flow of the local cell in a search word; {@link #NONE} if there is none. */
    public static int localOf(final int search) {
        return (search & HALF_MASK) - 1;
    }

    /** Returns the position where a search starts in a search word. */
    public static int turnOf(final int search) {
        return search >>> HALF;
    }

    /**
     * Returns one bit for each of the 64 nodes of a word, set if the node's queue of a link may have a cell or have had
     * ready flows.
     */
    public long waiting(final int link, final int word) {
        return waiting.word(link, word);
    }

    /** Tells whether no queue has a cell or has had ready flows. */
    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Updates the set of waiting nodes after a turn of a node on a link, which may have emptied its queue. */
    public void settle(final int link, final int node) {
        waiting.put(link, node, loads.getInt(Region.offset(queue(link, node), Integer.BYTES)) != 0);
    }

    /**
     * Ends a turn of a node on a link.
     *
     * @param ready number of flows that are ready.
     * @param turn  position where the next search starts.
     * @param local flow of the local cell in the queue; {@link #NONE} if there is none.
     */
    public void settle(final int link, final int node, final int ready, final int turn, final int local) {
        final long at = Region.offset(queue(link, node), Integer.BYTES);
        loads.setInt(at, load(lengthOf(loads.getInt(at)), ready));
        searches.setInt(at, search(turn, local + 1));
        settle(link, node);
    }

    /** Returns the link number that denotes no link. */
    public int noLink() {
        return noLink;
    }

    /** Returns the number of the queue of a node for a link. */
    public int queue(final int link, final int node) {
        return link * nodes + node;
    }

    /** Returns the number of cells in the queue. */
    public int length(final int queue) {
        return lengthOf(loads.getInt(Region.offset(queue, Integer.BYTES)));
    }

    /** Returns the number of ready flows at the time of the last service of the queue. */
    public int ready(final int queue) {
        return readyOf(loads.getInt(Region.offset(queue, Integer.BYTES)));
    }

    /** Returns the position in the node's list of active flows where the next search starts. */
    public int turn(final int queue) {
        return turnOf(searches.getInt(Region.offset(queue, Integer.BYTES)));
    }

    /** Sets the result of a search: the number of ready flows, and the position where the next search starts. */
    public void setSearched(final int queue, final int flows, final int turn) {
        final long at = Region.offset(queue, Integer.BYTES);
        loads.setInt(at, load(lengthOf(loads.getInt(at)), flows));
        searches.setInt(at, search(turn, localOf(searches.getInt(at)) + 1));
    }

    /** Returns the flow of the local cell in the queue; {@link #NONE} if there is none. */
    public int local(final int queue) {
        return localOf(searches.getInt(Region.offset(queue, Integer.BYTES)));
    }

    /** Sets the flow of the local cell. */
    public void setLocal(final int queue, final int flow) {
        final long at = Region.offset(queue, Integer.BYTES);
        searches.setInt(at, search(turnOf(searches.getInt(at)), flow + 1));
    }

    /** Returns the load of a queue according to Eq. 6: its cells plus its ready flows (docs/spec/shoal.md §4.2). */
    public int load(final int queue) {
        final int load = loads.getInt(Region.offset(queue, Integer.BYTES));
        return lengthOf(load) + readyOf(load);
    }

    /** Copies the load words of the queues of a link, by node; see {@link #load(int, int)}. */
    public void getLoads(final int link, final int first, final int end, final int[] into) {
        loads.getInts(Region.offset(queue(link, first), Integer.BYTES), into, first, end - first);
    }

    /** Sets the load words of the queues of a link. */
    public void setLoads(final int link, final int first, final int end, final int[] from) {
        loads.setInts(Region.offset(queue(link, first), Integer.BYTES), from, first, end - first);
        waiting.putNonZero(link, first, end, from);
    }

    /** Copies the search words of a link, by node; see {@link #search}. */
    public void getSearches(final int link, final int first, final int end, final int[] into) {
        searches.getInts(Region.offset(queue(link, first), Integer.BYTES), into, first, end - first);
    }

    /** Sets the search words of a link. */
    public void setSearches(final int link, final int first, final int end, final int[] from) {
        searches.setInts(Region.offset(queue(link, first), Integer.BYTES), from, first, end - first);
    }

    /** Returns the route word of the first cell of a queue, which must not be empty. */
    public long first(final int queue) {
        return firsts.getLong(Region.offset(queue, FIRST_BYTES), 0);
    }

    /** Appends a cell; returns the length of the queue after that. */
    public int append(final int link, final int node, final long routeWord, final long cellWord) {
        final int queue = queue(link, node);
        final long at = Region.offset(queue, Integer.BYTES);
        final int load = loads.getInt(at);
        put(queue, lengthOf(load), routeWord, cellWord);
        loads.setInt(at, load + 1);
        waiting.add(link, node);
        return lengthOf(load) + 1;
    }

    /** Removes the first cell of a queue, which must not be empty, for {@link #word()} and {@link #cell()}. */
    public void pop(final int queue) {
        final long first = Region.offset(queue, FIRST_BYTES);
        final long at = Region.offset(queue, Integer.BYTES);
        final int load = loads.getInt(at);
        word = firsts.getLong(first, 0);
        cell = firsts.getLong(first, 1);
        if (lengthOf(load) > 1) {
            moveUp(queue, lengthOf(load));
        }
        loads.setInt(at, load - 1);
    }

    /**
     * Appends cells, each to a queue of a different node.
     *
     * @param which     positions in the columns; {@code count} entries.
     * @param count     number of cells.
     * @param firstNode node of position 0.
     * @param links     link of the queue for each cell.
     * @param words     route words.
     * @param cells     cell words.
     * @param lengths   receives the lengths of the queues after that, by position.
     */
    public void append(final int[] which, final int count, final int firstNode, final int[] links, final long[] words,
        final long[] cells, final int[] lengths) {
        final Region counts = loads;
        final Region memory = firsts;
        final NodeSets waits = waiting;
        final int[] others = list;
        final int stride = nodes;
        int behindOthers = 0;
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int queue = links[i] * stride + firstNode + i;
            final int load = counts.getInt(Region.offset(queue, Integer.BYTES));
            final int behind = lengthOf(load);
            counts.setInt(Region.offset(queue, Integer.BYTES), load + 1);
            waits.add(links[i], firstNode + i);
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
    }

    /**
     * Writes cells to the ends of queues of a link. The caller updates the loads.
     *
     * @param link  the link.
     * @param which list of nodes.
     * @param from  index of the first node in the list.
     * @param end   index after the last node in the list.
     * @param loads load words of the queues including the new cells, by node.
     * @param words route words, by node.
     * @param cells cell words, by node.
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
    }

    /**
     * Removes the first cells of queues of a link. The caller updates the loads.
     *
     * @param link  the link.
     * @param which nodes, {@code count} entries; their queues must not be empty.
     * @param count number of cells.
     * @param loads load words of the queues before the removal, by node.
     * @param words receives the route words, by node.
     * @param cells receives the cell words, by node.
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
    }

    /** Returns the route word of the cell removed last. */
    public long word() {
        return word;
    }

    /** Returns the cell word of the cell removed last. */
    public long cell() {
        return cell;
    }

    /** Passes the cells of a queue in order to a visitor, for audits. */
    public void forEach(final int queue, final CellQueues.Visitor visitor) {
        final int length = length(queue);
        final long rest = Region.offset(queue, MORE_BYTES);
        if (length > 0) {
            final long first = Region.offset(queue, FIRST_BYTES);
            visitor.entry(firsts.getLong(first, 0), firsts.getLong(first, 1));
        }
        if (length > 1) {
            visitor.entry(more.getLong(rest, SECOND), more.getLong(rest, SECOND + 1));
        }
        if (length > INLINE) {
            pool.forEach(more.getInt(rest), visitor);
        }
    }

    /** Writes a cell that follows {@code behind} other cells. */
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
            pool.append(more, rest, behind == INLINE, routeWord, cellWord);
        }
    }

    /**
     * Moves cells up after the first of at least two has been removed: the second becomes the first, and the oldest one
     * in the pool becomes the second.
     */
    private void moveUp(final int queue, final int length) {
        final long first = Region.offset(queue, FIRST_BYTES);
        final long rest = Region.offset(queue, MORE_BYTES);
        firsts.setLong(first, 0, more.getLong(rest, SECOND));
        firsts.setLong(first, 1, more.getLong(rest, SECOND + 1));
        if (length > INLINE) {
            final int record = pool.poll(more, rest);
            more.setLong(rest, SECOND, pool.first(record));
            more.setLong(rest, SECOND + 1, pool.second(record));
        }
    }
}
