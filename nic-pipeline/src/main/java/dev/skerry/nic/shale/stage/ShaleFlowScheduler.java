package dev.skerry.nic.shale.stage;

import static dev.skerry.nic.shale.stage.FlowLists.CELLS;
import static dev.skerry.nic.shale.stage.FlowLists.DESTINATION;
import static dev.skerry.nic.shale.stage.FlowLists.FLOW_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.HEAD;
import static dev.skerry.nic.shale.stage.FlowLists.NEXT;
import static dev.skerry.nic.shale.stage.FlowLists.NODE_BYTES;
import static dev.skerry.nic.shale.stage.FlowLists.NONE;
import static dev.skerry.nic.shale.stage.FlowLists.SENT;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.local.LocalRule;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;

/**
 * The flows of a bank's nodes and the cells they still have to send: packet in, cells out. Flows of a node stand in the
 * order they became active; round-robin pointers into that list (docs/spec/shale.md §5.3 step 4), or a choice of the
 * device's own, say whose turn it is. A node activates at most one flow in a slot. One thread.
 */
final class ShaleFlowScheduler {
    private static final int NONE = -1;

    private final int firstNode;
    private final FlowSet flows;
    private final Population population;
    private final FlowStarts arrivals;
    private final FlowLists lists;
    private final FlowsGivenUp givenUp;
    private final LocalSearch search;
    private final Region flow;
    private final PayloadStore store;
    /** By queue: set where no cell of a flow may leave. */
    private final QueueBits refused;
    /** Says which flows may start a cell; null where all may. */
    private final EndToEnd endToEnd;
    /** Cells to be sent again, before new ones; null where none ever are. */
    private final Retransmissions again;
    /** Nodes of a block whose flow ends, counted from its first. One spare entry absorbs the last branchless write. */
    private final int[] list;
    private int destination;
    private long cell;
    private long started;
    private long injected;

    ShaleFlowScheduler(final Arena arena, final NodeRange range, final Shale shale, final FlowSet flows,
        final PayloadStore store, final QueueBits refused, final EndToEnd endToEnd) {
        this.firstNode = range.first();
        this.population = shale.population();
        this.refused = refused;
        this.endToEnd = endToEnd;
        this.again = endToEnd == null ? null : endToEnd.retransmissions();
        this.flows = flows;
        this.store = store;
        this.list = new int[CellBatch.block(range.size()) + 1];
        this.arrivals = new FlowStarts(flows, population, range, shale.share());
        this.lists = new FlowLists(arena, range.size(), shale.schedule().epochSlots(), arrivals.size(), refused,
            shale.mechanisms().locals() == LocalRule.NODE);
        this.search = new LocalSearch(firstNode, range.size(), arrivals, lists, endToEnd,
            shale.mechanisms().locals().choice(shale.nodes(), range.size()));
        this.givenUp = new FlowsGivenUp(lists, this::onDone);
        this.flow = lists.flows();
        for (int i = 0; i < arrivals.size() && !flows.isOpen(); i++) {
            lists.describe(i, flows, arrivals.flow(i), population);
        }
    }

    /** Activates the flows whose turn comes in a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            if (flows.isOpen()) {
                lists.describe(i, flows, arrivals.flow(i), population);
            }
            lists.append(i, arrivals.node(i) - firstNode);
            started++;
            if (endToEnd != null) {
                endToEnd.onActive(arrivals.flow(i));
            }
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
        if (lists.extend(i, cells)) {
            lists.append(i, arrivals.node(i) - firstNode);
            started++;
        }
    }

    /** Whether any node has cells of its own to send. */
    boolean isActive() {
        return lists.size() > 0 || again != null && again.held() > 0;
    }

    /** The slot in which the next flow becomes active, or {@link Long#MAX_VALUE}. */
    long nextStart() {
        return arrivals.nextSlot();
    }

    /** Which of 64 nodes have cells of their own to send, a bit for each, from one on. */
    long activeFrom(final int firstNode) {
        return lists.active().from(firstNode) | (again == null ? 0 : again.from(firstNode));
    }

    /** Whether a node has cells of its own to send. */
    boolean hasFlow(final int nodeOfBank) {
        return lists.head(nodeOfBank) != NONE || again != null && again.has(nodeOfBank);
    }

    /**
     * Takes the next cell that a node with cells of its own may send on a link: one to be sent again, else of the first
     * flow, from the pointer of the link on, that goes to the peer or that is admitted. {@link #destination()} and
     * {@link #cell()} then describe it.
     *
     * @return false if no flow may send.
     */
    boolean poll(final int queue, final int nodeOfBank, final int peer, final Admission admission) {
        if (again != null && again.poll(queue, nodeOfBank, peer, admission)) {
            destination = again.destination();
            cell = store.inject(again.identity());
            return true;
        }
        final int found = search.find(queue, nodeOfBank, peer, admission);
        if (found != NONE) {
            take(found, Region.offset(found, FLOW_BYTES), nodeOfBank);
        }
        return found != NONE;
    }

    /** Whether the last {@link #poll} found nothing although a cell might have left. */
    boolean isDeclined() {
        return search.isDeclined();
    }

    /** Whether flows have to be asked one after the other, so that only {@link #poll} knows what leaves. */
    boolean isPaced() {
        return search.isPaced();
    }

    /**
     * Finds the nodes of a block that have to {@link #poll}: those with a flow, unless the flows were refused.
     *
     * @param may  1 for a node that may send a cell of its own, else 0; set to 0, as nothing is known of its flow.
     * @param asks set to 1 for a node that has to poll, beside the others that are set.
     */
    void askEach(final int firstQueue, final int firstNode, final int count, final int[] may, final int[] asks) {
        for (int i = 0; i < count; i++) {
            asks[i] |= hasFlow(firstNode + i) && !refused.isSet(firstQueue + i) ? may[i] : 0;
            may[i] = 0;
        }
    }

    /**
     * Looks up the flow of each of some nodes at which {@link #poll} would begin its search.
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
        final Region heads = lists.nodes();
        final Region pointers = lists.pointers();
        final int firstPointer = lists.pointerOf(firstQueue);
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

    /**
     * Takes a cell of the flow that {@link #ask} has found, at some nodes.
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
        final Region pointers = lists.pointers();
        final int firstPointer = lists.pointerOf(firstQueue);
        final Region records = flow;
        int ended = 0;
        for (int k = first; k < end; k++) {
            final int i = takers[k];
            final long at = Region.offset(candidate[i], FLOW_BYTES);
            final int sequence = records.getInt(at, SENT);
            pointers.setInt(Region.offset(firstPointer + i, Integer.BYTES), records.getInt(at, NEXT));
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
            lists.remove(candidate[i], firstNode + i);
        }
    }

    /** The flow at which the search for a queue begins, an index of the {@link FlowSet}; -1: the first. */
    int pointer(final int queue) {
        final int at = lists.pointer(lists.pointerOf(queue));
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

    /** The flows as registers. */
    FlowRegisters registers() {
        return new FlowRegisters(this, flows, arrivals, lists, search, firstNode);
    }

    /** Flows activated so far. */
    long started() {
        return started;
    }

    /** Cells polled so far. */
    long injected() {
        return injected;
    }

    /** The flows given up, and the means to give up more. */
    FlowsGivenUp givenUp() {
        return givenUp;
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
            lists.remove(index, nodeOfBank);
            onDone(index);
        }
    }

    private void onDone(final int index) {
        if (endToEnd != null) {
            endToEnd.onDone(arrivals.flow(index));
        }
    }
}
