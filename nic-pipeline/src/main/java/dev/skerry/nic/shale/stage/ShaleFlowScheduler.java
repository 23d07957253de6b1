package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.LocalRule.LocalFlows;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The flows of a bank's nodes and the cells that they have yet to send. The flows of a node are listed in the order in
 * which they became active. Round-robin pointers into this list (docs/spec/shale.md §5.3 step 4), or a choice by a
 * device under test, select the next flow. A node activates at most one flow per slot. Not thread-safe.
 *
 * <p>Every node has a list of its active flows. Either every link has a pointer into the list, or a node has one
 * pointer for all its links. The pointer NONE denotes the head of the list.
 *
 * <pre>
 *   one node           one flow                                            one link of one node
 *   0      4      8    0      4          8              12      16    20    0            4
 *   +------+------+    +------+----------+--------------+-------+-----+    +------------+
 *   | head | tail |    | next | previous | destination  | sent  |cells|    | next flow  |   NONE: the list's end
 *   +------+------+    +------+----------+--------------+-------+-----+    +------------+
 * </pre>
 */
final class ShaleFlowScheduler {
    private static final int NONE = -1;
    private static final int HEAD = 0;
    private static final int NODE_BYTES = 8;
    private static final int NEXT = 0;
    private static final int DESTINATION = 2;
    private static final int SENT = 3;
    private static final int CELLS = 4;
    private static final int FLOW_BYTES = 32;
    private static final int POINTER_BYTES = Integer.BYTES;
    private static final int TAIL = 1;
    private static final int PREVIOUS = 1;

    private final int firstNode;
    private final int nodes;
    private final FlowSet flows;
    private final Population population;
    private final FlowStarts arrivals;
    /** Selects among the listed flows of a node; null if the pointers select. */
    private final LocalChoice choice;
    private final ChosenFlows chosen;
    private final int links;
    /** Records of nodes, records of flows, and pointers by queue or by node, see {@link #pointerOf}. */
    private final Region node;
    private final Region flow;
    private final Region pointer;
    /** Number of pointers of a node: one for each link, or 1. */
    private final int nodePointers;
    /** Nodes whose list has a flow, and the number of listed flows. */
    private final QueueBits active;
    private int size;
    private final PayloadStore store;
    /** Queues on which no cell of a flow may leave. */
    private final QueueBits refused;
    /** Decides which flows may start a cell; null if all flows may. */
    private final EndToEnd endToEnd;
    /** Cells to retransmit, which are sent before new ones; null if cells are never retransmitted. */
    private final Retransmissions again;
    /**
     * Nodes of a block whose flow ends, counted from the first node; an extra entry absorbs the last branchless write.
     */
    private final int[] list;
    /** Destination node and cell word of the cell polled last. */
    int destination;
    long cell;
    /**
     * Tells whether the last {@link #poll} returned nothing because the choice declined, although a cell could have
     * left.
     */
    boolean declined;
    /** Flows activated and cells polled so far. */
    long started;
    long injected;
    /** Flows abandoned because no path leads to their destination, and the unsent cells of these flows. */
    long givenUp;
    long notSent;

    ShaleFlowScheduler(final Arena arena, final NodeRange range, final Shale shale, final Bank.Ends ends,
        final QueueBits refused, final EndToEnd endToEnd) {
        this.firstNode = range.first();
        this.nodes = range.size();
        this.population = shale.population();
        this.refused = refused;
        this.endToEnd = endToEnd;
        this.again = endToEnd == null ? null : endToEnd.retransmissions();
        this.flows = ends.flows();
        this.store = ends.store();
        this.list = new int[CellBatch.block(range.size()) + 1];
        this.arrivals = new FlowStarts(ends.flowTable(), population, range, shale.share());
        this.choice = shale.mechanisms().locals().choice(shale.nodes(), range.size());
        this.chosen = choice == null ? null : new ChosenFlows();
        this.links = shale.schedule().epochSlots();
        this.nodePointers = shale.mechanisms().locals() == LocalRule.NODE ? 1 : links;
        this.node = Region.allocate(arena, (long) nodes * NODE_BYTES);
        this.flow = Region.allocate(arena, (long) arrivals.size() * FLOW_BYTES);
        this.pointer = Region.allocate(arena, (long) links * nodes * POINTER_BYTES);
        this.active = new QueueBits(nodes);
        node.fill((byte) NONE);
        pointer.fill((byte) NONE);
        for (int i = 0; i < arrivals.size() && arrivals.isKnown(); i++) {
            describe(i);
        }
    }

    /** Returns the memory in bytes. */
    static long bytes(final int nodes, final int links, final int flows) {
        return (long) nodes * NODE_BYTES + (long) flows * FLOW_BYTES + (long) links * nodes * POINTER_BYTES;
    }

    /** Activates the flows that start in or before a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            if (!arrivals.isKnown()) {
                describe(i);
            }
            append(i, arrivals.node(i) - firstNode);
            started++;
            if (endToEnd != null) {
                endToEnd.onActive(arrivals.flow(i));
            }
        }
    }

    /**
     * Adds cells to a flow on demand, which is active until they have been sent.
     *
     * @param index index of the flow in the {@link FlowSet}.
     * @param cells number of cells, at least 1.
     */
    void offer(final int index, final int cells) {
        final int i = arrivals.place(index);
        if (extend(i, cells)) {
            append(i, arrivals.node(i) - firstNode);
            started++;
        }
    }

    /** Tells whether any node has local cells to send. */
    boolean isActive() {
        return size > 0 || again != null && again.held() > 0;
    }

    /** Returns the slot in which the next flow becomes active, or {@link Long#MAX_VALUE}. */
    long nextStart() {
        return arrivals.nextSlot();
    }

    /** Returns one bit for each of 64 consecutive nodes, set if the node has local cells to send. */
    long activeFrom(final int firstNode) {
        return active.from(firstNode) | (again == null ? 0 : again.from(firstNode));
    }

    /** Tells whether a node has local cells to send. */
    boolean hasFlow(final int nodeOfBank) {
        return head(nodeOfBank) != NONE || again != null && again.has(nodeOfBank);
    }

    /**
     * Takes the next local cell that a node may send on a link. Cells to retransmit come first; otherwise, it is a cell
     * of the first flow, starting at the pointer of the link, whose destination is the peer or that is admitted. {@link
     * #destination} and {@link #cell} then describe the cell.
     *
     * @return false if no flow may send.
     */
    boolean poll(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        if (again != null && again.poll(queue, nodeOfBank, peer, admission)) {
            destination = again.destination();
            cell = store.inject(again.identity());
            return true;
        }
        final int found = choice == null ? find(queue, nodeOfBank, peer, admission)
            : choose(queue, nodeOfBank, peer, admission);
        if (found != NONE) {
            take(found, Region.offset(found, FLOW_BYTES), nodeOfBank);
        }
        return found != NONE;
    }

    /**
     * Tells whether flows must be considered one after the other, so that only {@link #poll} determines what leaves.
     */
    boolean isPaced() {
        return endToEnd != null || choice != null;
    }

    /**
     * Determines the nodes of a block that have to {@link #poll}: those with a flow, unless the flows were refused.
     *
     * @param may  1 for a node that may send a local cell, otherwise 0; set to 0, because its flow is not known yet.
     * @param asks set to 1 for a node that has to poll, in addition to those that are already set.
     */
    void askEach(final int firstQueue, final int firstNode, final int count, final int[] may, final int[] asks) {
        for (int i = 0; i < count; i++) {
            asks[i] |= hasFlow(firstNode + i) && !refused.isSet(firstQueue + i) ? may[i] : 0;
            may[i] = 0;
        }
    }

    /**
     * Looks up the flow at which {@link #poll} would start its search, for several nodes.
     *
     * @param firstQueue   first of several consecutive queues of a link.
     * @param firstNode    node of the bank to which this queue belongs.
     * @param which        nodes, counted from the first one.
     * @param count        number of nodes.
     * @param candidate    receives the flow, for {@link #take}.
     * @param destinations receives the destination of the flow.
     * @param asks         receives 1 for a node that has a flow, otherwise 0.
     */
    void ask(final int firstQueue, final int firstNode, final int[] which, final int count, final int[] candidate,
        final int[] destinations, final int[] asks) {
        final Region heads = node;
        final Region pointers = pointer;
        final int firstPointer = pointerOf(firstQueue);
        final Region records = flow;
        for (int k = 0; k < count; k++) {
            final int i = which[k];
            final int head = heads.getInt(Region.offset(firstNode + i, NODE_BYTES), HEAD);
            asks[i] = head == NONE ? 0 : 1;
            if (head != NONE) {
                final int pointed = pointers.getInt(Region.offset(firstPointer + i, Integer.BYTES));
                final int start = pointed == NONE ? head : pointed;
                candidate[i] = start;
                destinations[i] = records.getInt(Region.offset(start, FLOW_BYTES), DESTINATION);
            }
        }
    }

    /** Tells whether a flow returned by {@link #ask} is the only one of its node. */
    boolean isAlone(final int candidate) {
        final long at = Region.offset(candidate, FLOW_BYTES);
        return (flow.getInt(at, NEXT) & flow.getInt(at, PREVIOUS)) == NONE;
    }

    /**
     * Takes a cell of the flow returned by {@link #ask}, at several nodes.
     *
     * @param firstQueue first of several consecutive queues of a link.
     * @param firstNode  node of the bank to which this queue belongs.
     * @param takers     list of nodes, counted from the first one.
     * @param some       number of these nodes.
     * @param candidate  flow of each node, by node.
     * @param cells      receives the cells, by node.
     */
    void take(final int firstQueue, final int firstNode, final int[] takers, final int some,
        final int[] candidate, final long[] cells) {
        final Region pointers = pointer;
        final int firstPointer = pointerOf(firstQueue);
        final Region records = flow;
        int ended = 0;
        for (int k = 0; k < some; k++) {
            final int i = takers[k];
            final long at = Region.offset(candidate[i], FLOW_BYTES);
            final int sequence = records.getInt(at, SENT);
            pointers.setInt(Region.offset(firstPointer + i, Integer.BYTES), records.getInt(at, NEXT));
            records.setInt(at, SENT, sequence + 1);
            cells[i] = Cell.of(arrivals.flow(candidate[i]), sequence);
            list[ended] = i;
            ended += Branchless.ifEqual(sequence + 1, records.getInt(at, CELLS));
        }
        injected += some;
        for (int k = 0; k < some; k++) {
            cells[takers[k]] = store.inject(cells[takers[k]]);
        }
        for (int k = 0; k < ended; k++) {
            final int i = list[k];
            remove(candidate[i], firstNode + i);
        }
    }

    /** Abandons the flows of a node to the given destinations. */
    void giveUp(final int nodeOfBank, final IntPredicate hopeless) {
        int index = head(nodeOfBank);
        while (index != NONE) {
            final long at = Region.offset(index, FLOW_BYTES);
            final int next = flow.getInt(at, NEXT);
            if (hopeless.test(flow.getInt(at, DESTINATION))) {
                final int until = flow.getInt(at, CELLS);
                // The number of unsent cells of an endless flow is not defined.
                notSent += until == FlowSet.ENDLESS ? 0 : until - flow.getInt(at, SENT);
                givenUp++;
                remove(index, nodeOfBank);
                onDone(index);
            }
            index = next;
        }
    }

    /**
     * Finds the first flow, starting at the pointer, whose destination is the peer or that is admitted, and moves the
     * pointer past it.
     *
     * @return its index in the lists, or {@link #NONE}.
     */
    private int find(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        final int head = head(nodeOfBank);
        final int number = pointerOf(queue);
        final int pointed = pointed(number);
        final int start = pointed == NONE ? head : pointed;
        if (start == NONE) {
            return NONE;
        }
        int candidate = start;
        do {
            final long at = Region.offset(candidate, FLOW_BYTES);
            final int to = flow.getInt(at, DESTINATION);
            final int next = flow.getInt(at, NEXT);
            if (mayStart(candidate) && (to == peer || admission.admitLocal(queue, nodeOfBank, to))) {
                movePointer(number, next);
                return candidate;
            }
            candidate = next == NONE ? head : next;
        } while (candidate != start);
        return NONE;
    }

    /** Finds a flow by the choice of the device under test. */
    private int choose(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        final int id = firstNode + nodeOfBank;
        final int link = queue / nodes;
        chosen.list(nodeOfBank);
        declined = false;
        while (chosen.count > 0) {
            final int i = choice.next(id, nodeOfBank, link, chosen);
            if (i == LocalChoice.NONE) {
                declined = true;
                return NONE;
            }
            final int to = chosen.destination(i);
            if (mayStart(chosen.index[i]) && (to == peer || admission.admitLocal(queue, nodeOfBank, to))) {
                choice.onSent(id, nodeOfBank, link, to);
                return chosen.index[i];
            }
            chosen.leaveOut(i);
        }
        return NONE;
    }

    private boolean mayStart(final int place) {
        return endToEnd == null || endToEnd.mayStart(arrivals.flow(place));
    }

    private void take(final int index, final long at, final int nodeOfBank) {
        destination = flow.getInt(at, DESTINATION);
        final int sequence = flow.getInt(at, SENT);
        cell = store.inject(Cell.of(arrivals.flow(index), sequence));
        flow.setInt(at, SENT, sequence + 1);
        injected++;
        if (endToEnd != null) {
            endToEnd.onStart(arrivals.flow(index));
        }
        if (sequence + 1 == flow.getInt(at, CELLS)) {
            remove(index, nodeOfBank);
            onDone(index);
        }
    }

    private void onDone(final int index) {
        if (endToEnd != null) {
            endToEnd.onDone(arrivals.flow(index));
        }
    }

    /**
     * Returns the flow at which the search for a queue starts, as an index of the {@link FlowSet}; -1 for the first
     * flow.
     */
    int pointer(final int queue) {
        final int at = pointed(pointerOf(queue));
        return at == NONE ? NONE : arrivals.flow(at);
    }

    /**
     * Returns the number of cells of a flow that were sent; 0 for a flow of another bank, or one that has not started.
     */
    int sent(final int index) {
        final int i = startedPlace(index);
        return i == NONE ? 0 : flow.getInt(Region.offset(i, FLOW_BYTES), SENT);
    }

    /**
     * Sets the number of sent cells of an active flow; the flow ends if all have been sent.
     *
     * @throws IllegalArgumentException if the flow is not active yet, has ended, has fewer cells, or belongs to another
     *     node.
     */
    void setSent(final int index, final int cells) {
        final int i = startedPlace(index);
        if (i == NONE && cells == 0) {
            return;
        }
        if (i == NONE || cells < 0 || cells > flows.cells(index)) {
            throw new IllegalArgumentException("not a flow of this node that has started, or not so many cells: flow="
                + index + " cells=" + cells);
        }
        final long at = Region.offset(i, FLOW_BYTES);
        final int until = flow.getInt(at, CELLS);
        if (flow.getInt(at, SENT) == until) {
            if (cells < until) {
                throw new IllegalArgumentException("the flow is over: flow=" + index + " cells=" + cells);
            }
            return;
        }
        flow.setInt(at, SENT, cells);
        if (cells == until) {
            remove(i, arrivals.node(i) - firstNode);
        }
    }

    /**
     * Sets the flow at which the search for a queue starts; -1 for the first flow.
     *
     * @throws IllegalArgumentException if the flow is not active.
     */
    void point(final int queue, final int index) {
        final int i = index == NONE ? NONE : startedPlace(index);
        if (index != NONE && (i == NONE || sent(index) == flows.cells(index))) {
            throw new IllegalArgumentException("not an active flow of this node: flow=" + index);
        }
        movePointer(pointerOf(queue), i);
    }

    /** Returns the destination at which the search of a node starts; -1 if the choice does not use destinations. */
    int turn(final int node) {
        return choice == null ? NONE : choice.turn(node);
    }

    /**
     * Sets the destination at which the search of a node starts.
     *
     * @throws IllegalArgumentException if the choice does not use destinations.
     */
    void setTurn(final int node, final int destination) {
        if (choice == null) {
            throw new IllegalArgumentException("pointers choose among the flows, not destinations: turn="
                + destination);
        }
        choice.setTurn(node, destination);
    }

    /** Returns the index in the bank of a flow that has started; -1 for none. */
    private int startedPlace(final int index) {
        for (int i = 0; i < arrivals.started(); i++) {
            if (arrivals.flow(i) == index) {
                return i;
            }
        }
        return NONE;
    }

    /** Returns the first flow of a node, or {@link #NONE}. */
    private int head(final int ofNode) {
        return node.getInt(Region.offset(ofNode, NODE_BYTES), HEAD);
    }

    /** Returns the index of the pointer of a queue. */
    private int pointerOf(final int queue) {
        return nodePointers == links ? queue : queue % nodes;
    }

    /** Returns the flow to which a pointer points, or {@link #NONE}. */
    private int pointed(final int number) {
        return pointer.getInt(Region.offset(number, POINTER_BYTES));
    }

    private void movePointer(final int number, final int to) {
        pointer.setInt(Region.offset(number, POINTER_BYTES), to);
    }

    /** Sets the destination and the number of cells of a flow; flows on demand have no cells yet. */
    private void describe(final int index) {
        final int of = arrivals.flow(index);
        final long at = Region.offset(index, FLOW_BYTES);
        flow.setInt(at, DESTINATION, population.nodeOf(flows.destination(of)));
        flow.setInt(at, CELLS, flows.isOnDemand() ? 0 : flows.cells(of));
    }

    /** Adds cells to a flow; returns whether it had no cells left to send. */
    private boolean extend(final int index, final int cells) {
        final long at = Region.offset(index, FLOW_BYTES);
        final int until = flow.getInt(at, CELLS);
        flow.setInt(at, CELLS, until + cells);
        return until == flow.getInt(at, SENT);
    }

    /** Appends a flow to the list of a node. */
    private void append(final int index, final int toNode) {
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

    /** Removes a flow from the list of a node; pointers to this flow move to the next one. */
    private void remove(final int index, final int ofNode) {
        final long at = Region.offset(index, FLOW_BYTES);
        final long nodeAt = Region.offset(ofNode, NODE_BYTES);
        final int next = flow.getInt(at, NEXT);
        final int previous = flow.getInt(at, PREVIOUS);
        size--;
        if (previous == NONE && next == NONE) {
            active.clear(ofNode);
        }
        for (int number = ofNode; number < nodePointers * nodes; number += nodes) {
            if (pointed(number) == index) {
                movePointer(number, next);
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

    /** The flows of a node among which a choice selects in a slot. Listing them takes one step for each active flow. */
    private final class ChosenFlows implements LocalFlows {
        private int[] index = new int[16];
        private int count;

        /** Lists the active flows of a node. */
        void list(final int node) {
            count = 0;
            for (int at = head(node); at != NONE; at = flow.getInt(Region.offset(at, FLOW_BYTES), NEXT)) {
                if (count == index.length) {
                    index = Arrays.copyOf(index, 2 * count);
                }
                index[count++] = at;
            }
        }

        /** Removes a flow from the list; the others keep their order. */
        void leaveOut(final int i) {
            count--;
            System.arraycopy(index, i + 1, index, i, count - i);
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public int flow(final int i) {
            return arrivals.flow(index[i]);
        }

        @Override
        public int destination(final int i) {
            return flow.getInt(Region.offset(index[i], FLOW_BYTES), DESTINATION);
        }
    }
}
