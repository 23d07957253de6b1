package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The queues of a node that the last cells from each neighbour joined, for the reports about them (docs/spec/shoal.md
 * §4.1).
 *
 * <pre>
 *   [link][node], 8 bytes
 *   63      48 47      32 31      16 15       0        one entry
 *   +----------+----------+----------+--------+        15    12 11    10 9       0
 *   | last but | last but | last but | last   |       +--------+--------+---------+
 *   | three    | two      | one      | cell   |       | 0      | class  | link    |
 *   +----------+----------+----------+--------+       +--------+--------+---------+
 *   link: NO_LINK for a cell that joined none: a dummy, or one at its destination
 * </pre>
 *
 * <p>One thread.
 */
public final class JoinedQueues {
    /** Number of cells of a neighbour that are remembered, one for each turn. */
    public static final int TURNS = 4;

    private static final int ENTRY_BITS = Long.SIZE / TURNS;
    private static final int ENTRY_MASK = (1 << ENTRY_BITS) - 1;
    private static final int CLASS_SHIFT = 10;
    private static final int LINK_MASK = (1 << CLASS_SHIFT) - 1;
    /** Multiplied by an entry, it puts that entry in all four places. */
    private static final long EVERY_PLACE = 0x0001_0001_0001_0001L;

    private final Region region;
    private final int nodes;
    private final int noLink;
    /** Nodes of which one of the last cells joined a queue, by link; other nodes have nothing to report. */
    private final NodeSets reporting;
    private final long[] column;

    /**
     * Creates the entries before any cell has come.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node; also the number NO_LINK.
     */
    public JoinedQueues(final Arena arena, final int nodes, final int links) {
        this.region = Region.allocate(arena, (long) links * nodes * Long.BYTES);
        this.nodes = nodes;
        this.noLink = links;
        this.reporting = new NodeSets(arena, links, nodes);
        this.column = new long[nodes];
        for (int link = 0; link < links; link++) {
            for (int node = 0; node < nodes; node++) {
                clear(link, node);
            }
        }
    }

    /** Returns the memory in bytes. */
    public static long bytes(final int nodes, final int links) {
        return (long) links * nodes * Long.BYTES + NodeSets.bytes(links, nodes);
    }

    /** Returns one bit for each node of a word, set if it may have a queue to report on a link. */
    public long reporting(final int link, final int word) {
        return reporting.word(link, word);
    }

    /** Tells whether any node may have a queue to report. */
    public boolean isReporting() {
        return !reporting.isEmpty();
    }

    /** Returns the entry of a queue of a traffic class. */
    public static int entry(final int link, final int trafficClass) {
        return trafficClass << CLASS_SHIFT | link;
    }

    /** Returns the link of a queue. */
    public static int linkOf(final int entry) {
        return entry & LINK_MASK;
    }

    /** Returns the traffic class of a queue. */
    public static int classOf(final int entry) {
        return entry >>> CLASS_SHIFT;
    }

    /** Records that a cell came over a link of a node and joined a queue, see {@link #entry}. */
    public void note(final int link, final int node, final int entry) {
        final long entries = region.getLong(at(link, node)) << ENTRY_BITS | entry;
        region.setLong(at(link, node), entries);
        reporting.put(link, node, entries != noLink * EVERY_PLACE);
    }

    /** Records that the last cell over a link of a node joined no queue. */
    public void forgetLast(final int link, final int node) {
        region.setLong(at(link, node), region.getLong(at(link, node)) & ~(long) ENTRY_MASK | noLink);
    }

    /** Forgets the cells over a link of a node. */
    public void clear(final int link, final int node) {
        region.setLong(at(link, node), noLink * EVERY_PLACE);
        reporting.put(link, node, false);
    }

    /**
     * Records the cells that came over a link.
     *
     * @param link   link of the receivers.
     * @param first  the first of consecutive nodes.
     * @param count  number of nodes.
     * @param joined the link of the queue that each cell joined, or NO_LINK.
     */
    public void note(final int link, final int first, final int count, final int[] joined) {
        final long[] all = column;
        region.getLongs(at(link, first), all, 0, count);
        for (int i = 0; i < count; i++) {
            all[i] = all[i] << ENTRY_BITS | joined[i];
        }
        region.setLongs(at(link, first), all, 0, count);
        final long none = noLink * EVERY_PLACE;
        long tell = 0;
        for (int i = 0; i < count; i++) {
            tell += -(all[i] ^ none) >>> Long.SIZE - 1 | (all[i] ^ none) >>> Long.SIZE - 1;
        }
        final boolean few = reporting.begin(link, first, first + count, (int) tell);
        for (int i = 0; few && i < count; i++) {
            if (all[i] != none) {
                reporting.add(link, first + i);
            }
        }
    }

    /**
     * Finds the queue to report on a link, for each of some nodes: the one that the last cell joined; if it joined
     * none, the last but one; if that joined none either, the last but three, provided the last but two joined one. The
     * code has no branch, as it would be unpredictable.
     *
     * @param into gets the entries of the queues, from 0 on.
     */
    void latest(final int link, final int first, final int count, final long[] into) {
        final long none = noLink;
        region.getLongs(at(link, first), into, 0, count);
        for (int i = 0; i < count; i++) {
            into[i] = latest(into[i], none);
        }
    }

    private static long latest(final long joined, final long none) {
        final long last = joined & ENTRY_MASK;
        final long before = joined >>> ENTRY_BITS & ENTRY_MASK;
        final long another = joined >>> 2 * ENTRY_BITS & ENTRY_MASK;
        // All ones for a cell that joined no queue.
        final long lastNone = (last ^ none) - 1 >> Long.SIZE - 1;
        final long beforeNone = (before ^ none) - 1 >> Long.SIZE - 1;
        final long anotherNone = (another ^ none) - 1 >> Long.SIZE - 1;
        final long earlier = none & anotherNone | joined >>> 3 * ENTRY_BITS & ~anotherNone;
        final long second = earlier & beforeNone | before & ~beforeNone;
        return second & lastNone | last & ~lastNone;
    }

    /** Returns the entry of the queue that a node reports on a link. */
    public int latest(final int link, final int node) {
        return (int) latest(region.getLong(at(link, node)), noLink);
    }

    /** Returns the entries of the last {@link #TURNS} cells, the last one in the low bits. */
    public long entries(final int link, final int node) {
        return region.getLong(at(link, node));
    }

    /** Returns the queue that the last cell joined. */
    public int last(final int link, final int node) {
        return (int) region.getLong(at(link, node)) & ENTRY_MASK;
    }

    /** Returns the queue that the last cell but one joined. */
    public int before(final int link, final int node) {
        return (int) region.getLong(at(link, node)) >>> ENTRY_BITS;
    }

    /** Returns the number that stands for no link. */
    public int noLink() {
        return noLink;
    }

    private long at(final int link, final int node) {
        return (link * nodes + (long) node) * Long.BYTES;
    }
}
