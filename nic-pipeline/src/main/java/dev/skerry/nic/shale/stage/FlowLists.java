package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;

/**
 * The active flows of every node as a list in the order of activation, and every link's round-robin pointer into the
 * list of its node, or one pointer of each node for all its links. A pointer that is NONE stands at the list's head.
 *
 * <pre>
 *   one node           one flow                                            one link of one node
 *   0      4      8    0      4          8              12      16    20    0            4
 *   +------+------+    +------+----------+--------------+-------+-----+    +------------+
 *   | head | tail |    | next | previous | destination  | sent  |cells|    | next flow  |   NONE: the list's end
 *   +------+------+    +------+----------+--------------+-------+-----+    +------------+
 * </pre>
 *
 * One thread.
 */
final class FlowLists {
    static final int NONE = -1;
    static final int HEAD = 0;
    static final int NODE_BYTES = 8;
    static final int NEXT = 0;
    static final int DESTINATION = 2;
    static final int SENT = 3;
    static final int CELLS = 4;
    static final int FLOW_BYTES = 32;
    static final int POINTER_BYTES = Integer.BYTES;

    private static final int TAIL = 1;
    private static final int PREVIOUS = 1;

    private final int nodes;
    private final int links;
    private final Region node;
    private final Region flow;
    private final Region pointer;
    /** Pointers of a node: one for each link, or 1. */
    private final int pointers;
    /** By node: set while its list has a flow. */
    private final QueueBits active;
    /** By queue: set while no flow of the list may send there; a new flow may. */
    private final QueueBits refused;
    private int size;

    /**
     * Empty lists.
     *
     * @param refused says by queue that nothing may leave.
     * @param byNode  whether a node has one pointer for all its links.
     */
    FlowLists(final Arena arena, final int nodes, final int links, final int flows, final QueueBits refused,
        final boolean byNode) {
        this.nodes = nodes;
        this.links = links;
        this.pointers = byNode ? 1 : links;
        this.node = Region.allocate(arena, (long) nodes * NODE_BYTES);
        this.flow = Region.allocate(arena, (long) flows * FLOW_BYTES);
        this.pointer = Region.allocate(arena, (long) links * nodes * POINTER_BYTES);
        this.active = new QueueBits(nodes);
        this.refused = refused;
        node.fill((byte) NONE);
        pointer.fill((byte) NONE);
    }

    /** Memory in bytes. */
    static long bytes(final int nodes, final int links, final int flows) {
        return (long) nodes * NODE_BYTES + (long) flows * FLOW_BYTES + (long) links * nodes * POINTER_BYTES;
    }

    /** Records of nodes. */
    Region nodes() {
        return node;
    }

    /** Records of flows. */
    Region flows() {
        return flow;
    }

    /** Pointers by queue, or by node; see {@link #pointerOf}. */
    Region pointers() {
        return pointer;
    }

    /** Flows in all lists. */
    int size() {
        return size;
    }

    /** The nodes that have a flow: a bit for each. */
    QueueBits active() {
        return active;
    }

    /** The first flow of a node, or {@link #NONE}. */
    int head(final int ofNode) {
        return node.getInt(Region.offset(ofNode, NODE_BYTES), HEAD);
    }

    /** Number of the pointer of a queue. */
    int pointerOf(final int queue) {
        return pointers == links ? queue : queue % nodes;
    }

    /** The flow that a pointer stands at, or {@link #NONE}. */
    int pointer(final int number) {
        return pointer.getInt(Region.offset(number, POINTER_BYTES));
    }

    /** Moves a pointer. */
    void point(final int number, final int to) {
        pointer.setInt(Region.offset(number, POINTER_BYTES), to);
    }

    /** Writes where a flow goes and what it has to send, from the flow {@code of} of a set; nothing yet on demand. */
    void describe(final int index, final FlowSet flows, final int of, final Population population) {
        final long at = Region.offset(index, FLOW_BYTES);
        flow.setInt(at, DESTINATION, population.nodeOf(flows.destination(of)));
        flow.setInt(at, CELLS, flows.isOnDemand() ? 0 : flows.cells(of));
    }

    /** More cells of a flow have come; returns whether it had none to send. */
    boolean extend(final int index, final int cells) {
        final long at = Region.offset(index, FLOW_BYTES);
        final int until = flow.getInt(at, CELLS);
        flow.setInt(at, CELLS, until + cells);
        return until == flow.getInt(at, SENT);
    }

    /** Appends a flow to the list of a node. */
    void append(final int index, final int toNode) {
        final long nodeAt = Region.offset(toNode, NODE_BYTES);
        final int tail = node.getInt(nodeAt, TAIL);
        flow.setInt(Region.offset(index, FLOW_BYTES), NEXT, NONE);
        flow.setInt(Region.offset(index, FLOW_BYTES), PREVIOUS, tail);
        if (tail == NONE) {
            node.setInt(nodeAt, HEAD, index);
            active.set(toNode);
        } else {
            flow.setInt(Region.offset(tail, FLOW_BYTES), NEXT, index);
        }
        node.setInt(nodeAt, TAIL, index);
        size++;
        for (int queue = toNode; queue < links * nodes; queue += nodes) {
            refused.clear(queue);
        }
    }

    /** Takes a flow out of the list of a node; every pointer that stands at it moves on. */
    void remove(final int index, final int ofNode) {
        final long at = Region.offset(index, FLOW_BYTES);
        final long nodeAt = Region.offset(ofNode, NODE_BYTES);
        final int next = flow.getInt(at, NEXT);
        final int previous = flow.getInt(at, PREVIOUS);
        size--;
        if (previous == NONE && next == NONE) {
            active.clear(ofNode);
        }
        for (int number = ofNode; number < pointers * nodes; number += nodes) {
            if (pointer(number) == index) {
                point(number, next);
            }
        }
        if (previous == NONE) {
            node.setInt(nodeAt, HEAD, next);
        } else {
            flow.setInt(Region.offset(previous, FLOW_BYTES), NEXT, next);
        }
        if (next == NONE) {
            node.setInt(nodeAt, TAIL, previous);
        } else {
            flow.setInt(Region.offset(next, FLOW_BYTES), PREVIOUS, previous);
        }
    }
}
