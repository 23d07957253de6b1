package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * Which queues of a node the last cells from each neighbour joined, for the reports that tell of them
 * (docs/spec/shoal.md §4.1).
 *
 * <pre>
 *   [link][node], 8 bytes: the link of the queue, that of the last cell in bits 15..0, then the three before it
 * </pre>
 *
 * The link is NO_LINK for a cell that joined none: a dummy, or one at its destination. One thread.
 */
public final class JoinedQueues {
    /** Cells of a neighbour that are remembered, a turn each. */
    public static final int TURNS = 4;

    private static final int LINK_BITS = Long.SIZE / TURNS;
    private static final int LINK_MASK = (1 << LINK_BITS) - 1;
    /** Times a link: that link in all four places. */
    private static final long EVERY_PLACE = 0x0001_0001_0001_0001L;

    private final Region region;
    private final int nodes;
    private final int noLink;
    private final long[] column;

    /**
     * Nothing has come yet.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node; NO_LINK is one more.
     */
    public JoinedQueues(final Arena arena, final int nodes, final int links) {
        this.region = Region.allocate(arena, bytes(nodes, links));
        this.nodes = nodes;
        this.noLink = links;
        this.column = new long[nodes];
        for (long at = 0; at < bytes(nodes, links); at += Long.BYTES) {
            region.setLong(at, noLink * EVERY_PLACE);
        }
    }

    /** Memory in bytes. */
    public static long bytes(final int nodes, final int links) {
        return (long) links * nodes * Long.BYTES;
    }

    /**
     * The next cells have come over a link.
     *
     * @param link   of the receivers.
     * @param first  the first of nodes that follow each other.
     * @param count  how many.
     * @param joined the link of the queue that each cell joined, or NO_LINK.
     */
    public void note(final int link, final int first, final int count, final int[] joined) {
        final long[] all = column;
        region.getLongs(at(link, first), all, 0, count);
        for (int i = 0; i < count; i++) {
            all[i] = all[i] << LINK_BITS | joined[i];
        }
        region.setLongs(at(link, first), all, 0, count);
    }

    /**
     * For each of some nodes the queue that the last of a neighbour's cells to join one joined, of its last two; else
     * that which its last but three joined, if the one after that joined one too; or none. Without a branch: nobody
     * could predict it.
     *
     * @param into gets the links of the queues.
     */
    void latest(final int link, final int first, final int count, final long[] into) {
        final long none = noLink;
        region.getLongs(at(link, first), into, 0, count);
        for (int i = 0; i < count; i++) {
            final long joined = into[i];
            final long last = joined & LINK_MASK;
            final long before = joined >>> LINK_BITS & LINK_MASK;
            final long another = joined >>> 2 * LINK_BITS & LINK_MASK;
            // All ones for a cell that joined no queue.
            final long lastNone = (last ^ none) - 1 >> Long.SIZE - 1;
            final long beforeNone = (before ^ none) - 1 >> Long.SIZE - 1;
            final long anotherNone = (another ^ none) - 1 >> Long.SIZE - 1;
            final long earlier = none & anotherNone | joined >>> 3 * LINK_BITS & ~anotherNone;
            final long second = earlier & beforeNone | before & ~beforeNone;
            into[i] = second & lastNone | last & ~lastNone;
        }
    }

    /** The queue that the last cell joined. */
    public int last(final int link, final int node) {
        return (int) region.getLong(at(link, node)) & LINK_MASK;
    }

    /** The queue that the last cell but one joined. */
    public int before(final int link, final int node) {
        return (int) region.getLong(at(link, node)) >>> LINK_BITS;
    }

    /** The link that stands for none. */
    public int noLink() {
        return noLink;
    }

    private long at(final int link, final int node) {
        return ((long) link * nodes + node) * Long.BYTES;
    }
}
