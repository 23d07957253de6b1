package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * The times at which each flow may next use each relay (Eq. 2, docs/spec/shoal.md §4.1, §4.2). A flow's value F and
 * stamp T for a relay are combined in one number, the epoch from which an empty queue would suffice: the relay may be
 * used iff {@code length + epoch >= free from}. A flow that has never been active may use all relays.
 *
 * <pre>
 *   flows of a node    0     1    2 3    4 .. 7    8 .. 15   ..       numbered as they first become active
 *   group              -     0     1       2          3               taken when its first flow comes
 *
 *   one group, of 2^group flows: [link][flow], 4 bytes; flow 0 of all nodes: [link][node]
 *   +------------+------------+-- .. one for each flow of the group, for link 0; then for link 1, ..
 *   | free from  | free from  |
 *   +------------+------------+-- ..
 *   free from: an epoch, or HELD: its cell waits in the queue of the link; or AWAIT: sent, not reported yet
 * </pre>
 *
 * <p>The flows that a node searches for a link are adjacent. Where nodes have one flow each, sixteen of them share a
 * cache line. Nothing moves when flows are added.
 *
 * <p>Where many flows wait, an index marks those that may use a link, so that a search skips all others:
 *
 * <pre>
 *   index of a node: [link][flow / 64], 16 bytes
 *   0               8       12    16
 *   +---------------+-------+-----+
 *   | free flows    | least | pad |     least: lower bound of free from of the 64 flows that are not known to be free
 *   +---------------+-------+-----+
 * </pre>
 *
 * <p>A flow that may use a link keeps that right until it is written again, as queue length plus epoch never falls from
 * one turn to the next. One thread.
 */
public final class Throttles {
    /** A cell of the flow waits in the queue of the link. */
    public static final int HELD = Integer.MAX_VALUE;
    /** A cell of the flow was sent and its report has not come. */
    public static final int AWAIT = HELD - 1;
    /** Largest number of active flows that are searched one by one; with more, a node has an index. */
    public static final int FEW = 16;
    /** Bound of epochs: an epoch, a report and a queue add up to less than {@link #AWAIT}. */
    static final int MAX_EPOCHS = AWAIT - (1 << 13);

    private static final int WORD_SHIFT = 6;
    /** Indices in an entry of the index, of a long and of an int. */
    private static final int FREE = 0;
    private static final int LEAST = 2;
    private static final int ENTRY_BYTES = 16;

    private final Arena arena;
    private final int links;
    /** Flow 0 of every node; most nodes have no other. */
    private final Region first;
    private final int nodes;
    /** By group, then node; null until the first flow of the group is added. */
    private final Region[][] groups;
    /** By node; null until it has many flows. */
    private final Region[] indexes;
    private final int words;
    private boolean indexed;

    /**
     * Creates throttles without flows.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param flows largest number of flows of a node.
     */
    public Throttles(final Arena arena, final int nodes, final int links, final int flows) {
        this.arena = arena;
        this.links = links;
        this.nodes = nodes;
        this.first = Region.allocate(arena, (long) links * nodes * Integer.BYTES);
        this.groups = new Region[group(flows) + 1][nodes];
        this.indexes = new Region[nodes];
        this.words = words(flows);
    }

    /** Returns the memory in bytes of a node with some flows. */
    public static long bytes(final int links, final int flows) {
        return (long) links * Integer.BYTES + (flows < 2 ? 0 : ((2L << group(flows - 1)) - 1) * links * Integer.BYTES)
            + (flows <= FEW ? 0 : (long) links * words(links) * ENTRY_BYTES);
    }

    /** Returns the number of words of 64 flows each. */
    public static int words(final int flows) {
        return flows + Long.SIZE - 1 >> WORD_SHIFT;
    }

    /** Adds a flow of a node, with the next number or a known one. */
    public void add(final int node, final int flow) {
        if (flow > 0 && groups[group(flow)][node] == null) {
            groups[group(flow)][node] = Region.allocate(arena, (long) links * Integer.BYTES << group(flow));
        }
    }

    /** Returns the epoch from which a flow may use a link whose queue is empty, {@link #HELD} or {@link #AWAIT}. */
    public int freeFrom(final int node, final int flow, final int link) {
        if (flow == 0) {
            return first.getInt(ofFirst(node, link));
        }
        final int group = group(flow);
        return groups[group][node].getInt(offset(group, flow, link));
    }

    /** Sets the epoch from which a flow may use a link. */
    public void set(final int node, final int flow, final int link, final int freeFrom) {
        if (flow == 0) {
            first.setInt(ofFirst(node, link), freeFrom);
        } else {
            final int group = group(flow);
            groups[group][node].setInt(offset(group, flow, link), freeFrom);
        }
        if (indexes[node] != null) {
            enter(indexes[node], flow, link, freeFrom);
        }
    }

    /**
     * Copies the epochs from which the first flows of consecutive nodes may use a link into an array, from a place on.
     */
    public void getFirst(final int firstNode, final int count, final int link, final int[] into, final int from) {
        first.getInts(ofFirst(firstNode, link), into, from, count);
    }

    /** Sets these epochs. Changes of nodes with an index must also be written one by one. */
    public void setFirst(final int firstNode, final int count, final int link, final int[] freeFrom, final int from) {
        first.setInts(ofFirst(firstNode, link), freeFrom, from, count);
    }

    /** Tells whether any node has an index. */
    public boolean indexed() {
        return indexed;
    }

    /**
     * Sets the epoch from which a flow may use a link, unless the present value is above a bound.
     *
     * @param atMost {@link #AWAIT}, so that a {@link #HELD} flow stays so, or one less.
     */
    void release(final int node, final int flow, final int link, final int freeFrom, final int atMost) {
        if (freeFrom(node, flow, link) <= atMost) {
            set(node, flow, link, freeFrom);
        }
    }

    /**
     * Moves the base of epochs to a later epoch: every epoch held here decreases by the difference. For runs longer
     * than 32 bits of epochs; takes time in proportion to all flows and links.
     *
     * @param epochs the difference; no more epochs than have passed.
     */
    public void rebase(final int epochs) {
        rebase(first, epochs);
        for (final Region[] group : groups) {
            for (final Region region : group) {
                rebase(region, epochs);
            }
        }
        for (final Region index : indexes) {
            for (long at = 0; index != null && at < index.bytes(); at += ENTRY_BYTES) {
                index.setInt(at, LEAST, earlier(index.getInt(at, LEAST), epochs));
            }
        }
    }

    private static void rebase(final Region region, final int epochs) {
        for (long at = 0; region != null && at <= region.bytes() - Integer.BYTES; at += Integer.BYTES) {
            region.setInt(at, earlier(region.getInt(at), epochs));
        }
    }

    private static int earlier(final int freeFrom, final int epochs) {
        return freeFrom >= AWAIT ? freeFrom : Math.max(0, freeFrom - epochs);
    }

    /**
     * Creates an index of a node's flows, which is kept from then on, if there is none yet.
     *
     * @param flows number of flows of the node that have been added.
     */
    public void index(final int node, final int flows) {
        if (indexes[node] != null) {
            return;
        }
        final Region index = Region.allocate(arena, (long) links * words * ENTRY_BYTES);
        for (long at = 0; at < (long) links * words * ENTRY_BYTES; at += ENTRY_BYTES) {
            index.setLong(at, FREE, -1);
            index.setInt(at, LEAST, HELD);
        }
        for (int flow = 0; flow < flows; flow++) {
            for (int link = 0; link < links; link++) {
                final int freeFrom = freeFrom(node, flow, link);
                if (freeFrom > 0) {
                    enter(index, flow, link, freeFrom);
                }
            }
        }
        indexes[node] = index;
        indexed = true;
    }

    private void enter(final Region index, final int flow, final int link, final int freeFrom) {
        final long at = entry(link, flow >>> WORD_SHIFT);
        index.setLong(at, FREE, index.getLong(at, FREE) & ~(1L << flow));
        index.setInt(at, LEAST, Math.min(index.getInt(at, LEAST), freeFrom));
    }

    /**
     * Returns the flows of an indexed node that may use a link: a bit for each of the 64 flows from {@code 64 * word}
     * on, including flows not added yet.
     *
     * @param atMost length of the queue plus epoch; no less than in an earlier call for the link.
     */
    public long free(final int node, final int link, final int word, final int atMost) {
        final Region index = indexes[node];
        final long at = entry(link, word);
        return index.getInt(at, LEAST) <= atMost ? search(index, node, link, word, atMost) : index.getLong(at, FREE);
    }

    private long search(final Region index, final int node, final int link, final int word, final int atMost) {
        final long at = entry(link, word);
        long free = index.getLong(at, FREE);
        int least = HELD;
        for (long left = ~free; left != 0; left &= left - 1) {
            final int freeFrom = freeFrom(node, (word << WORD_SHIFT) + Long.numberOfTrailingZeros(left), link);
            free |= freeFrom <= atMost ? Long.lowestOneBit(left) : 0;
            least = Math.min(least, freeFrom <= atMost ? HELD : freeFrom);
        }
        index.setLong(at, FREE, free);
        index.setInt(at, LEAST, least);
        return free;
    }

    private long entry(final int link, final int word) {
        return ((long) link * words + word) * ENTRY_BYTES;
    }

    private long ofFirst(final int node, final int link) {
        return Region.offset(link * nodes + node, Integer.BYTES);
    }

    private static int group(final int flow) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(flow);
    }

    private static long offset(final int group, final int flow, final int link) {
        return ((long) link << group | flow & (1 << group) - 1) * Integer.BYTES;
    }
}
