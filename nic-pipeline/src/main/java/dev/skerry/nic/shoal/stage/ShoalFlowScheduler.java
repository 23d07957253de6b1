package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.Throttles;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The messages of a bank's nodes and the cells they still have to send: packet in, cells out. To Shoal a flow (i, k)
 * is all traffic from node i to node k (docs/spec/shoal.md §1), in each traffic class; the flows of a {@link FlowSet}
 * are messages of it, which take turns cell by cell. A flow is active while it has cells to send, and gets its number
 * when it first is.
 *
 * <pre>
 *   one flow (i, k): [row of i][k]
 *   0      4      8            16        20    32
 *   +------+------+------------+---------+-----+    head, tail: of its messages, NONE: not active
 *   | head | tail | start slot | number  | pad |    number: plus 1; 0: never active
 *   +------+------+------------+---------+-----+
 * </pre>
 *
 * A row is a node and a traffic class, {@code node * classes + class}; so where there is one class, it is a node.
 * Numbers are those of a node, over all its classes. A cell that comes back to be sent another way is a message at the
 * head of its flow, so the path knows nothing of it. One thread.
 */
final class ShoalFlowScheduler {
    private static final int NONE = -1;

    /** Ints of a flow. */
    private static final int HEAD = 0;
    private static final int TAIL = 1;
    private static final int NUMBER = 4;
    /** A long of it. */
    private static final int START = 1;
    private static final int FLOW_BYTES = 32;

    private final int firstNode;
    private final int allNodes;
    private final FlowSet flows;
    private final Population population;
    private final FlowStarts arrivals;
    private final Throttles throttles;
    private final PayloadStore store;
    private final Gate gate;
    private final int classes;
    private final ActiveFlows active;
    private final Region flow;
    private final ShoalMessages messages;
    private final int[] flowsOfNode;
    private final BitSet failed = new BitSet();
    /** By row, the first message of its only flow; NONE if it has others, or none. */
    private final int[] onlyHead;
    private final int[] list;
    private long cell;
    private long started;
    private long injected;
    private long notSent;

    /** Whom no message can be sent to. */
    @FunctionalInterface
    interface Gate {
        /** Everyone can be reached. */
        Gate OPEN = (node, destination) -> false;

        /**
         * Whether a message from a node has no way.
         *
         * @param node        number in the bank.
         * @param destination id.
         */
        boolean refuses(int node, int destination);
    }

    ShoalFlowScheduler(final Arena arena, final NodeRange range, final Shoal shoal, final FlowSet flows,
        final Throttles throttles, final PayloadStore store, final Gate gate) {
        this.firstNode = range.first();
        this.allNodes = shoal.nodes();
        this.flows = flows;
        this.population = shoal.population();
        this.arrivals = new FlowStarts(flows, population, range, 0);
        this.throttles = throttles;
        this.store = store;
        this.gate = gate;
        this.classes = flows.classes();
        final int rows = range.size() * classes;
        this.active = new ActiveFlows(arena, rows, allNodes, classes * (allNodes - 1));
        this.flow = Region.allocate(arena, (long) rows * allNodes * FLOW_BYTES);
        this.messages = new ShoalMessages(arena, arrivals.size());
        this.flowsOfNode = new int[range.size()];
        this.onlyHead = new int[rows];
        Arrays.fill(onlyHead, NONE);
        this.list = new int[rows];
        for (long at = 0; at < (long) rows * allNodes * FLOW_BYTES; at += FLOW_BYTES) {
            flow.setInt(at, HEAD, NONE);
        }
    }

    /** Memory in bytes of a bank of all nodes. */
    static long bytes(final int nodes, final int classes, final int messages) {
        return (long) nodes * classes * (ActiveFlows.rowBytes(nodes) + (long) nodes * FLOW_BYTES)
            + (long) messages * ShoalMessages.BYTES;
    }

    /** Takes in the messages whose turn comes in a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            final int index = arrivals.flow(i);
            final int node = arrivals.node(i) - firstNode;
            final int destination = population.nodeOf(flows.destination(index));
            messages.arrive(i, flows.cells(index), index);
            started++;
            if (gate.refuses(node, destination)) {
                giveUp(i);
            } else {
                append(i, node * classes + flows.trafficClass(index), destination, slot);
            }
        }
    }

    /**
     * Cells of a flow on demand have come: one message, so that they leave in order, which goes on until they are sent.
     *
     * @param index of the flow in the {@link FlowSet}.
     * @param cells how many, at least 1.
     * @param slot  in which they can be sent.
     */
    void offer(final int index, final int cells, final long slot) {
        final int i = arrivals.place(index);
        if (messages.extend(i, cells, index)) {
            started++;
            append(i, (arrivals.node(i) - firstNode) * classes + flows.trafficClass(index),
                population.nodeOf(flows.destination(index)), slot);
        }
    }

    private void append(final int message, final int row, final int destination, final long slot) {
        final long at = flow(row, destination);
        if (flow.getInt(at, NUMBER) == 0) {
            final int node = row / classes;
            throttles.add(node, flowsOfNode[node]);
            flow.setInt(at, NUMBER, ++flowsOfNode[node]);
        }
        if (flow.getInt(at, HEAD) == NONE) {
            flow.setInt(at, HEAD, message);
            flow.setLong(at, START, slot);
            activate(row, destination);
        } else {
            messages.setNext(flow.getInt(at, TAIL), message);
        }
        flow.setInt(at, TAIL, message);
        note(row);
    }

    private void activate(final int row, final int destination) {
        active.add(row, ActiveFlows.flow(destination, numberOf(row, destination)));
    }

    /** The flows that have cells to send. */
    ActiveFlows active() {
        return active;
    }

    /** The number of a flow that is or was active. */
    int numberOf(final int row, final int destination) {
        return flow.getInt(flow(row, destination), NUMBER) - 1;
    }

    /** Flows of a node that are or were active: their numbers are below this. */
    int flowsOf(final int node) {
        return flowsOfNode[node];
    }

    /** The slot in which an active flow of a row became so. */
    long startSlot(final int row, final int activeFlow) {
        return flow.getLong(flow(row, ActiveFlows.destination(activeFlow)), START);
    }

    /** Takes the next cell of an active flow of a row, {@link #cell()} then is its word. */
    void take(final int row, final int activeFlow) {
        final int message = flow.getInt(flow(row, ActiveFlows.destination(activeFlow)), HEAD);
        final int sequence = messages.sent(message);
        cell = store.inject(Cell.of(messages.index(message), sequence));
        messages.setSent(message, sequence + 1);
        injected++;
        turn(row, activeFlow, message);
    }

    /**
     * Takes the next cell of an active flow of each of some rows.
     *
     * @param which       the rows, from a place to another.
     * @param activeFlows the flow of each, by row.
     * @param cells       gets the words of the cells, by row.
     */
    void take(final int[] which, final int from, final int end, final int[] activeFlows, final long[] cells) {
        final ShoalMessages all = messages;
        final int[] turning = list;
        int turns = 0;
        for (int k = from; k < end; k++) {
            final int row = which[k];
            final int message = headOf(row, activeFlows[row]);
            final int sequence = all.sent(message);
            cells[row] = Cell.of(all.index(message), sequence);
            all.setSent(message, sequence + 1);
            turning[turns] = row;
            // Over, or another one waits.
            turns += Branchless.ifEqual(sequence + 1, all.cells(message)) | ~all.next(message) >>> 31;
        }
        injected += end - from;
        for (int k = from; k < end; k++) {
            cells[which[k]] = store.inject(cells[which[k]]);
        }
        for (int k = 0; k < turns; k++) {
            final int row = turning[k];
            turn(row, activeFlows[row], headOf(row, activeFlows[row]));
        }
    }

    /** The first message of an active flow: that of a row's only one lies at hand, others are apart by a page each. */
    private int headOf(final int row, final int activeFlow) {
        final int head = onlyHead[row];
        return head == NONE ? flow.getInt(flow(row, ActiveFlows.destination(activeFlow)), HEAD) : head;
    }

    /** The flows of a row, or the order of their messages, are others now. */
    private void note(final int row) {
        final int only = active.only(row);
        onlyHead[row] = only == ActiveFlows.NONE ? NONE : flow.getInt(flow(row, ActiveFlows.destination(only)), HEAD);
    }

    /** A cell of a flow's first message was taken: the message is over, or lets the next one have its turn. */
    private void turn(final int row, final int activeFlow, final int message) {
        final long at = flow(row, ActiveFlows.destination(activeFlow));
        final int next = messages.next(message);
        if (messages.sent(message) == messages.cells(message)) {
            messages.close(message);
            flow.setInt(at, HEAD, next);
            if (next == NONE) {
                active.remove(row, activeFlow);
            }
        } else if (next != NONE) {
            // Round robin among the messages: the first goes to the end.
            flow.setInt(at, HEAD, next);
            messages.setNext(message, NONE);
            messages.setNext(flow.getInt(at, TAIL), message);
            flow.setInt(at, TAIL, message);
        }
        note(row);
    }

    /**
     * Puts a cell of a row back to the head of its flow, to be sent before all others.
     *
     * @param was its cell word, flow and sequence number.
     */
    void giveBack(final int row, final int destination, final long was) {
        final long at = flow(row, destination);
        final int head = flow.getInt(at, HEAD);
        final int message = messages.back(Cell.flow(was), Cell.sequence(was));
        messages.setNext(message, head);
        flow.setInt(at, HEAD, message);
        if (head == NONE) {
            flow.setInt(at, TAIL, message);
            activate(row, destination);
        }
        note(row);
    }

    /** Gives up every message of a node that the gate refuses. */
    void failRefused(final int node) {
        for (int row = node * classes; row < (node + 1) * classes; row++) {
            for (int place = active.size(row) - 1; place >= 0; place--) {
                final int activeFlow = active.get(row, place);
                if (gate.refuses(node, ActiveFlows.destination(activeFlow))) {
                    final long at = flow(row, ActiveFlows.destination(activeFlow));
                    int message = flow.getInt(at, HEAD);
                    while (message != NONE) {
                        final int next = messages.next(message);
                        giveUp(message);
                        message = next;
                    }
                    flow.setInt(at, HEAD, NONE);
                    active.remove(row, activeFlow);
                }
            }
            note(row);
        }
    }

    private void giveUp(final int message) {
        final int cells = messages.cells(message);
        // Of a message without end, nobody can say how many cells stay behind.
        notSent += cells == FlowSet.ENDLESS ? 0 : cells - messages.sent(message);
        failed.set(messages.index(message));
        messages.close(message);
    }

    /** The word of the cell taken last. */
    long cell() {
        return cell;
    }

    /** Messages taken in so far. */
    long started() {
        return started;
    }

    /** Cells taken so far. */
    long injected() {
        return injected;
    }

    /** Cells of messages that were given up. */
    long notSent() {
        return notSent;
    }

    /** Messages that were given up, or a cell of them. */
    int failed() {
        return failed.cardinality();
    }

    /** Messages that are still to come or to be sent, and cells that came back. */
    int open() {
        return messages.open();
    }

    private long flow(final int row, final int destination) {
        return Region.offset(row * allNodes + destination, FLOW_BYTES);
    }
}
