package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.Admission;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;

/**
 * The flows of a bank's nodes and the cells they still have to send: packet in, cells out. Flows of a node stand in the
 * order they became active; every link has its own round-robin pointer into that list (docs/spec/shale.md §5.3 step 4).
 * A node activates at most one flow in a slot.
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
final class ShaleFlowScheduler {
    private static final int NONE = -1;

    private static final int HEAD = 0;
    private static final int TAIL = 1;
    private static final int NODE_BYTES = 8;

    private static final int NEXT = 0;
    private static final int PREVIOUS = 1;
    private static final int DESTINATION = 2;
    private static final int SENT = 3;
    private static final int CELLS = 4;
    private static final int FLOW_BYTES = 32;

    private final int firstNode;
    private final int nodes;
    private final int links;
    private final FlowSet flows;
    private final FlowStarts arrivals;
    private final Region node;
    private final Region flow;
    private final Region pointer;
    private final PayloadStore store;
    /** Nodes of a block whose flow ends, counted from its first; a place more than nodes, to be written in vain. */
    private final int[] list;
    private int destination;
    private long cell;
    /** Flows in the lists. */
    private int active;
    private long started;
    private long injected;
    private long failed;
    private long notSent;

    /** Which destinations a flow is to be given up for. */
    @FunctionalInterface
    interface Hopeless {
        boolean isHopeless(int destination);
    }

    ShaleFlowScheduler(final Arena arena, final NodeRange range, final int links, final Population population,
        final FlowSet flows, final PayloadStore store) {
        this.firstNode = range.first();
        this.nodes = range.size();
        this.links = links;
        this.flows = flows;
        this.store = store;
        this.list = new int[CellBatch.block(nodes) + 1];
        this.arrivals = new FlowStarts(flows, population, range);
        this.node = Region.allocate(arena, (long) nodes * NODE_BYTES);
        this.flow = Region.allocate(arena, (long) arrivals.size() * FLOW_BYTES);
        this.pointer = Region.allocate(arena, (long) links * nodes * Integer.BYTES);
        node.fill((byte) NONE);
        pointer.fill((byte) NONE);
        for (int i = 0; i < arrivals.size(); i++) {
            flow.setInt(Region.offset(i, FLOW_BYTES), DESTINATION,
                population.nodeOf(flows.destination(arrivals.flow(i))));
            flow.setInt(Region.offset(i, FLOW_BYTES), CELLS, flows.isOnDemand() ? 0 : flows.cells(arrivals.flow(i)));
        }
    }

    /** Memory of a bank in bytes. */
    static long bytes(final int nodes, final int links, final int flows) {
        return (long) nodes * NODE_BYTES + (long) flows * FLOW_BYTES + (long) links * nodes * Integer.BYTES;
    }

    /** Activates the flows whose turn comes in a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            append(i, arrivals.node(i) - firstNode);
            started++;
        }
    }

    /**
     * Cells of a flow on demand have come; it is active until they are sent.
     *
     * @param index of the flow in the {@link FlowSet}.
     * @param cells how many, at least 1.
     */
    void offer(final int index, final int cells) {
        final int i = arrivals.place(index);
        final long at = Region.offset(i, FLOW_BYTES);
        final int until = flow.getInt(at, CELLS);
        final boolean idle = until == flow.getInt(at, SENT);
        flow.setInt(at, CELLS, until + cells);
        if (idle) {
            append(i, arrivals.node(i) - firstNode);
            started++;
        }
    }

    /** Whether any node has cells of its own to send. */
    boolean isActive() {
        return active > 0;
    }

    /** Whether a node has cells of its own to send. */
    boolean hasFlow(final int nodeOfBank) {
        return node.getInt(Region.offset(nodeOfBank, NODE_BYTES), HEAD) != NONE;
    }

    /**
     * Takes the next cell that a node may send on a link: of the first flow, from the link's pointer on, whose
     * destination is the peer or that the admission lets go. {@link #destination()} and {@link #cell()} then describe
     * it.
     *
     * @return false if no flow may send.
     */
    boolean poll(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        final int head = node.getInt(Region.offset(nodeOfBank, NODE_BYTES), HEAD);
        final long pointerAt = Region.offset(queue, Integer.BYTES);
        final int pointed = pointer.getInt(pointerAt);
        final int start = pointed == NONE ? head : pointed;
        int candidate = start;
        do {
            final long at = Region.offset(candidate, FLOW_BYTES);
            final int to = flow.getInt(at, DESTINATION);
            final int next = flow.getInt(at, NEXT);
            if (to == peer || admission.admitLocal(queue, nodeOfBank, to)) {
                pointer.setInt(pointerAt, next);
                destination = to;
                take(candidate, at, nodeOfBank);
                return true;
            }
            candidate = next == NONE ? head : next;
        } while (candidate != start);
        return false;
    }

    /**
     * Looks up from which flow some nodes would send a cell first, where {@link #poll} begins its search.
     *
     * @param firstQueue   the first of some queues of a link that follow each other.
     * @param firstNode    the node of the bank whose queue that is.
     * @param which        the nodes to look at, counted from the first.
     * @param count        how many.
     * @param candidate    gets the flow, for {@link #take}.
     * @param destinations gets its destination.
     * @param asks         gets 1 for a node that has a flow, else 0.
     */
    void ask(final int firstQueue, final int firstNode, final int[] which, final int count, final int[] candidate,
        final int[] destinations, final int[] asks) {
        final Region heads = node;
        final Region pointers = pointer;
        final Region records = flow;
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int head = heads.getInt(Region.offset(firstNode + i, NODE_BYTES), HEAD);
            asks[i] = head == NONE ? 0 : 1;
            if (head != NONE) {
                final int pointed = pointers.getInt(Region.offset(firstQueue + i, Integer.BYTES));
                final int start = pointed == NONE ? head : pointed;
                candidate[i] = start;
                destinations[i] = records.getInt(Region.offset(start, FLOW_BYTES), DESTINATION);
            }
        }
    }

    /**
     * Takes a cell of the flow that was asked for, at some nodes.
     *
     * @param firstQueue the first of some queues of a link that follow each other.
     * @param firstNode  the node of the bank whose queue that is.
     * @param takers     the nodes, counted from the first.
     * @param first      where on that list they begin.
     * @param end        and end.
     * @param candidate  the flow of each, by node.
     * @param cells      gets the cells, by node.
     */
    void take(final int firstQueue, final int firstNode, final int[] takers, final int first, final int end,
        final int[] candidate, final long[] cells) {
        final Region pointers = pointer;
        final Region records = flow;
        int ended = 0;
        for (int k = first; k < end; k++) {
            final int i = takers[k];
            final long at = Region.offset(candidate[i], FLOW_BYTES);
            final int sequence = records.getInt(at, SENT);
            pointers.setInt(Region.offset(firstQueue + i, Integer.BYTES), records.getInt(at, NEXT));
            records.setInt(at, SENT, sequence + 1);
            cells[i] = Cell.of(arrivals.flow(candidate[i]), sequence);
            list[ended] = i;
            ended += Branchless.ifEqual(sequence + 1, records.getInt(at, CELLS));
        }
        injected += end - first;
        for (int k = first; k < end; k++) {
            cells[takers[k]] = store.inject(cells[takers[k]]);
        }
        for (int k = 0; k < ended; k++) {
            final int i = list[k];
            remove(candidate[i], Region.offset(candidate[i], FLOW_BYTES), firstNode + i);
        }
    }

    /** The flow, an index of the {@link FlowSet}, that the search for a queue begins with; -1: with the first. */
    int pointer(final int queue) {
        final int at = pointer.getInt(Region.offset(queue, Integer.BYTES));
        return at == NONE ? NONE : arrivals.flow(at);
    }

    /** Destination node of the cell polled last. */
    int destination() {
        return destination;
    }

    /** The cell polled last. */
    long cell() {
        return cell;
    }

    /** Flows activated so far. */
    long started() {
        return started;
    }

    /** Cells polled so far. */
    long injected() {
        return injected;
    }

    /** Gives up the flows of a node to some destinations. */
    void giveUp(final int nodeOfBank, final Hopeless which) {
        int index = node.getInt(Region.offset(nodeOfBank, NODE_BYTES), HEAD);
        while (index != NONE) {
            final long at = Region.offset(index, FLOW_BYTES);
            final int next = flow.getInt(at, NEXT);
            if (which.isHopeless(flow.getInt(at, DESTINATION))) {
                final int cells = flow.getInt(at, CELLS);
                // Of a flow without end, nobody can say how many cells stay behind.
                notSent += cells == FlowSet.ENDLESS ? 0 : cells - flow.getInt(at, SENT);
                failed++;
                remove(index, at, nodeOfBank);
            }
            index = next;
        }
    }

    /** Flows given up so far. */
    long failed() {
        return failed;
    }

    /** Cells of flows given up that were not sent. */
    long notSent() {
        return notSent;
    }

    private void take(final int index, final long at, final int nodeOfBank) {
        final int sequence = flow.getInt(at, SENT);
        cell = store.inject(Cell.of(arrivals.flow(index), sequence));
        flow.setInt(at, SENT, sequence + 1);
        injected++;
        if (sequence + 1 == flow.getInt(at, CELLS)) {
            remove(index, at, nodeOfBank);
        }
    }

    private void append(final int index, final int nodeOfBank) {
        final long nodeAt = Region.offset(nodeOfBank, NODE_BYTES);
        final int tail = node.getInt(nodeAt, TAIL);
        flow.setInt(Region.offset(index, FLOW_BYTES), NEXT, NONE);
        flow.setInt(Region.offset(index, FLOW_BYTES), PREVIOUS, tail);
        if (tail == NONE) {
            node.setInt(nodeAt, HEAD, index);
        } else {
            flow.setInt(Region.offset(tail, FLOW_BYTES), NEXT, index);
        }
        node.setInt(nodeAt, TAIL, index);
        active++;
    }

    /** Takes a finished flow out of its node's list; every pointer that stands on it moves on. */
    private void remove(final int index, final long at, final int nodeOfBank) {
        final long nodeAt = Region.offset(nodeOfBank, NODE_BYTES);
        final int next = flow.getInt(at, NEXT);
        final int previous = flow.getInt(at, PREVIOUS);
        active--;
        for (int link = 0; link < links; link++) {
            final long pointerAt = ((long) link * nodes + nodeOfBank) * Integer.BYTES;
            if (pointer.getInt(pointerAt) == index) {
                pointer.setInt(pointerAt, next);
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
