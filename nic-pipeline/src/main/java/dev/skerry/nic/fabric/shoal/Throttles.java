package dev.skerry.nic.fabric.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * When a flow may next use each relay (Eq. 2, spec/shoal §4.1, §4.2). A flow's value F and stamp T for a relay are one
 * number, the epoch from which an empty queue would do: it may be used iff {@code length + epoch >= free from}. A flow
 * that has never been active may use all.
 *
 * <pre>
 *   flows of a node    0     1    2 3    4 .. 7    8 .. 15   ..       numbered as they first become active
 *   group              -     0     1       2          3               taken when its first flow comes
 *
 *   one group, of 2^group flows: [link][flow], 4 bytes; flow 0 of all nodes: [node][link]
 *   +------------+------------+-- .. one for each flow of the group, for link 0; then for link 1, ..
 *   | free from  | free from  |
 *   +------------+------------+-- ..
 *   free from: an epoch, or HELD: its cell waits in the queue of the link; or AWAIT: sent, not reported yet
 * </pre>
 *
 * So what a node has to look through for a link lies together, and where it has one flow only, a line once fetched
 * serves sixteen slots, as links are used in the order of their numbers. Nothing moves when flows come. One thread.
 */
public final class Throttles {
    /** A cell of the flow waits in the queue of the link. */
    public static final int HELD = Integer.MAX_VALUE;
    /** A cell of the flow was sent and its report has not come. */
    public static final int AWAIT = HELD - 1;
    /** Epochs stay below this, so that an epoch, a report and a queue add up to less than {@link #AWAIT}. */
    static final int MAX_EPOCHS = AWAIT - (1 << 13);

    private static final int LINE = 64;

    private final Arena arena;
    private final int links;
    /** Of flow 0 of every node, which is the only one of many. */
    private final Region first;
    private final long stride;
    /** By group, then node; null until its first flow comes. */
    private final Region[][] groups;

    /**
     * No flows yet.
     *
     * @param arena owner of the memory.
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param flows most flows of a node.
     */
    public Throttles(final Arena arena, final int nodes, final int links, final int flows) {
        this.arena = arena;
        this.links = links;
        this.stride = stride(links);
        this.first = Region.allocate(arena, nodes * stride);
        this.groups = new Region[group(flows) + 1][nodes];
    }

    /** Memory in bytes of a node with some flows. */
    public static long bytes(final int links, final int flows) {
        return stride(links) + (flows < 2 ? 0 : ((2L << group(flows - 1)) - 1) * links * Integer.BYTES);
    }

    /** An odd number of lines, so that the lines of one link do not fall into few sets of a cache. */
    private static long stride(final int links) {
        return (((long) links * Integer.BYTES + LINE - 1) / LINE | 1) * LINE;
    }

    /** Takes in a flow of a node: the next number, or one that is known. */
    public void add(final int node, final int flow) {
        if (flow > 0 && groups[group(flow)][node] == null) {
            groups[group(flow)][node] = Region.allocate(arena, (long) links * Integer.BYTES << group(flow));
        }
    }

    /** The epoch from which a flow may use a link whose queue is empty, {@link #HELD} or {@link #AWAIT}. */
    public int freeFrom(final int node, final int flow, final int link) {
        if (flow == 0) {
            return first.getInt(node * stride + (long) link * Integer.BYTES);
        }
        final int group = group(flow);
        return groups[group][node].getInt(offset(group, flow, link));
    }

    /** Writes it. */
    public void set(final int node, final int flow, final int link, final int freeFrom) {
        if (flow == 0) {
            first.setInt(node * stride + (long) link * Integer.BYTES, freeFrom);
        } else {
            final int group = group(flow);
            groups[group][node].setInt(offset(group, flow, link), freeFrom);
        }
    }

    private static int group(final int flow) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(flow);
    }

    private static long offset(final int group, final int flow, final int link) {
        return ((long) link << group | flow & (1 << group) - 1) * Integer.BYTES;
    }
}
