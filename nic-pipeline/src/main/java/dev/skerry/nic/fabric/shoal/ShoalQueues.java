package dev.skerry.nic.fabric.shoal;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * What a node keeps for each neighbour: the queue Q_ij of cells that go to it, first in first out, with at most one
 * local cell among them; the size and the turn of the ready queue R_ij; and which queues the neighbour's last cells
 * joined, for the next report (spec/shoal §4.1).
 *
 * <pre>
 *   one link of one node, one cache line
 *   0        4               8     12      16           20           24        40        56                64
 *   +--------+-------+-------+-----+-------+------------+------------+---------+---------+-----------------+
 *   | length | ready | turn  | pad | local | spill head | spill tail | entry 0 | entry 1 | joined: last in |
 *   |        | 15..0 | 31..16|     | flow  |            |            |         |         | 15..0, then 3   |
 *   |        |       |       |     |       |            |            |         |         | before it       |
 *   +--------+-------+-------+-----+-------+------------+------------+---------+---------+-----------------+
 *   ready: flows that might use the link, and do not yet have a cell in the queue, when it was last served
 *   turn: place in the node's list of active flows where the next search begins
 *   joined: link of the queue; NO_LINK if it joined none: a dummy, or at its destination
 *   entry: 8 B route word, 8 B cell word; the third and later ones wait in the SpillPool
 * </pre>
 *
 * Lines lie {@code [link][node]}, so those of one slot stream. A line more stands for each node's link NO_LINK, which
 * is always empty, so that a report on no queue needs no branch. Callers pass the offset of a line. One thread.
 */
public final class ShoalQueues {
    /** Bytes of a line. */
    public static final int LINE_BYTES = 64;
    /** Cells of a neighbour that are remembered, a turn each. */
    public static final int JOINED_TURNS = 4;
    /** No local cell. */
    public static final int NONE = -1;

    /** Ints of a line. */
    private static final int LENGTH = 0;
    private static final int SEARCHED = 1;
    private static final int LOCAL = 3;
    private static final int SPILL_HEAD = 4;
    private static final int SPILL_TAIL = 5;
    /** Longs of it: the words of the entries. */
    private static final int FIRST_ENTRY = 3;
    private static final int SECOND_ENTRY = 5;
    private static final int JOINED = 7;
    private static final int ENTRIES = FIRST_ENTRY * Long.BYTES;
    private static final int ENTRY_BYTES = 16;
    private static final int INLINE = 2;
    private static final int HALF = 16;
    private static final int HALF_MASK = (1 << HALF) - 1;
    /** Times a link: that link in all four places of what cells joined. */
    private static final long EVERY_PLACE = 0x0001_0001_0001_0001L;

    private final Region region;
    private final SpillPool pool;
    private final int nodes;
    private final int noLink;
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
        this.region = Region.allocate(arena, bytes(nodes, links));
        this.pool = pool;
        this.nodes = nodes;
        this.noLink = links;
        for (int link = 0; link <= links; link++) {
            for (int node = 0; node < nodes; node++) {
                region.setInt(line(link, node), LOCAL, NONE);
                region.setLong(line(link, node), JOINED, noLink * EVERY_PLACE);
            }
        }
    }

    /** Memory in bytes, the pool not counted. */
    public static long bytes(final int nodes, final int links) {
        return (links + 1L) * nodes * LINE_BYTES;
    }

    /** The link that stands for none. */
    public int noLink() {
        return noLink;
    }

    /** The line of a link of a node. */
    public long line(final int link, final int node) {
        return ((long) link * nodes + node) * LINE_BYTES;
    }

    /** Notes a line that will be needed. */
    public void prefetch(final long line, final Prefetcher lines) {
        lines.note(region, line);
    }

    /** Cells in the queue. */
    public int length(final long line) {
        return region.getInt(line, LENGTH);
    }

    /** Ready flows when the queue was last served. */
    public int ready(final long line) {
        return region.getInt(line, SEARCHED) & HALF_MASK;
    }

    /** Where in the node's list of active flows the next search begins. */
    public int turn(final long line) {
        return region.getInt(line, SEARCHED) >>> HALF;
    }

    /** Notes what a search has found: ready flows, and where the next one begins. */
    public void setSearched(final long line, final int flows, final int turn) {
        region.setInt(line, SEARCHED, turn << HALF | flows);
    }

    /** The flow of the local cell in the queue, {@link #NONE} if there is none. */
    public int local(final long line) {
        return region.getInt(line, LOCAL);
    }

    /** Writes it. */
    public void setLocal(final long line, final int flow) {
        region.setInt(line, LOCAL, flow);
    }

    /** The queue that the neighbour's last cell joined. */
    public int joined(final long line) {
        return (int) region.getLong(line, JOINED) & HALF_MASK;
    }

    /** The queue that its last cell but one joined. */
    public int joinedBefore(final long line) {
        return (int) region.getLong(line, JOINED) >>> HALF;
    }

    /**
     * The queue that the last of the neighbour's cells to join one joined, of its last two; else that which its last
     * but three joined, if the one after that joined one too; or none. Without a branch: nobody could predict it.
     */
    public int joinedLatest(final long line) {
        final long joined = region.getLong(line, JOINED);
        final int last = (int) joined & HALF_MASK;
        final int before = (int) joined >>> HALF;
        final int another = (int) (joined >>> 2 * HALF) & HALF_MASK;
        final int beforeAnother = either(another, noLink, (int) (joined >>> 3 * HALF));
        return either(last, either(before, beforeAnother, before), last);
    }

    /** One of two links: the first if a third one is none. */
    private int either(final int link, final int ifNone, final int ifOne) {
        final int none = (link ^ noLink) - 1 >> Integer.SIZE - 1;
        return ifNone & none | ifOne & ~none;
    }

    /** The neighbour's next cell joined a queue, or none. */
    public void setJoined(final long line, final int link) {
        region.setLong(line, JOINED, region.getLong(line, JOINED) << HALF | link);
    }

    /**
     * What a cell would have to wait for in a queue: Eq. 6, cells and ready flows (spec/shoal §4.2).
     */
    public int load(final long line) {
        return length(line) + ready(line);
    }

    /** The route word of the first cell of a queue that has one. */
    public long first(final long line) {
        return region.getLong(line, FIRST_ENTRY);
    }

    /** Appends a cell; returns the length of the queue afterwards. */
    public int append(final long line, final long routeWord, final long cellWord) {
        final int length = length(line);
        if (length < INLINE) {
            final long at = line + ENTRIES + (long) length * ENTRY_BYTES;
            region.setLong(at, 0, routeWord);
            region.setLong(at, 1, cellWord);
        } else {
            spill(line, length, routeWord, cellWord);
        }
        region.setInt(line, LENGTH, length + 1);
        held++;
        return length + 1;
    }

    /** Takes out the first cell of a queue that has one; {@link #word()} and {@link #cell()} then give its words. */
    public void pop(final long line) {
        final int length = length(line);
        word = region.getLong(line, FIRST_ENTRY);
        cell = region.getLong(line, FIRST_ENTRY + 1);
        // Moved whether there is a second one or not: that costs less than asking.
        region.setLong(line, FIRST_ENTRY, region.getLong(line, SECOND_ENTRY));
        region.setLong(line, FIRST_ENTRY + 1, region.getLong(line, SECOND_ENTRY + 1));
        if (length > INLINE) {
            final int record = region.getInt(line, SPILL_HEAD);
            region.setLong(line, SECOND_ENTRY, pool.first(record));
            region.setLong(line, SECOND_ENTRY + 1, pool.second(record));
            region.setInt(line, SPILL_HEAD, pool.next(record));
            pool.release(record);
        }
        region.setInt(line, LENGTH, length - 1);
        held--;
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
    public void forEach(final long line, final Visitor visitor) {
        final int length = length(line);
        for (int i = 0; i < Math.min(length, INLINE); i++) {
            final long at = line + ENTRIES + (long) i * ENTRY_BYTES;
            visitor.cell(region.getLong(at, 0), region.getLong(at, 1));
        }
        int record = length > INLINE ? region.getInt(line, SPILL_HEAD) : SpillPool.NONE;
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

    private void spill(final long line, final int length, final long routeWord, final long cellWord) {
        final int record = pool.take(routeWord, cellWord);
        if (length == INLINE) {
            region.setInt(line, SPILL_HEAD, record);
        } else {
            pool.setNext(region.getInt(line, SPILL_TAIL), record);
        }
        region.setInt(line, SPILL_TAIL, record);
    }
}
