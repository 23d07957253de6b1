package dev.skerry.nic.shoal.stage;

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
 * is all traffic from node i to node k in a traffic class ({@link ShoalFlows}); the flows of a {@link FlowSet} are
 * messages of it, in a {@link MessageOrder}. A flow is active while it has cells to send, and gets its number when
 * it first is. A cell given back is a message at the head of its flow, so the path knows nothing of it. One thread.
 */
final class ShoalFlowScheduler {
    private static final int NONE = -1;

    private final int firstNode;
    final FlowSet flows;
    final Population population;
    final FlowStarts arrivals;
    private final Throttles throttles;
    private final PayloadStore store;
    private final MessageGate gate;
    private final ActiveFlows active;
    final ShoalFlows shoalFlows;
    final ShoalMessages messages;
    private final MessageOrder order;
    private final BitSet failed = new BitSet();
    /** By row, the first message of its only flow; NONE if it has others, or none. */
    private final int[] onlyHead;
    private final int[] list;
    private long cell;
    private long started;
    private long injected;
    private long notSent;

    ShoalFlowScheduler(final Arena arena, final NodeRange range, final Shoal shoal, final FlowSet flows,
        final Throttles throttles, final PayloadStore store, final MessageGate gate) {
        this.firstNode = range.first();
        this.flows = flows;
        this.population = shoal.population();
        this.arrivals = new FlowStarts(flows, population, range);
        this.throttles = throttles;
        this.store = store;
        this.gate = gate;
        final int classes = flows.classes();
        final int rows = range.size() * classes;
        this.active = new ActiveFlows(arena, rows, shoal.nodes(), classes * (shoal.nodes() - 1));
        this.shoalFlows = new ShoalFlows(arena, range.size(), classes, shoal.nodes());
        this.messages = new ShoalMessages(arena, arrivals.size());
        this.order = MessageOrder.of(shoal.flowOrder(), shoalFlows, messages);
        this.onlyHead = new int[rows];
        Arrays.fill(onlyHead, NONE);
        this.list = new int[rows];
    }

    /** Memory in bytes of a bank of all nodes. */
    static long bytes(final int nodes, final int classes, final int messages) {
        return (long) nodes * classes * ActiveFlows.rowBytes(nodes) + ShoalFlows.bytes(nodes * classes, nodes)
            + (long) messages * ShoalMessages.BYTES;
    }

    /** The slot of the next start. */
    long nextStart() {
        return arrivals.nextSlot();
    }

    /** Takes in the messages that start in a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            final int index = arrivals.flow(i);
            messages.arrive(i, flows.cells(index), index);
            start(i, index, slot);
        }
    }

    /**
     * Cells of a flow on demand have come. They are one message, so that they leave in order, open until all are sent.
     *
     * @param index of the flow in the {@link FlowSet}.
     * @param cells how many, at least 1.
     * @param slot  in which they can be sent.
     */
    void offer(final int index, final int cells, final long slot) {
        final int i = arrivals.place(index);
        if (messages.extend(i, cells, index)) {
            start(i, index, slot);
        }
    }

    private void start(final int message, final int index, final long slot) {
        final int node = arrivals.node(message) - firstNode;
        final int destination = population.nodeOf(flows.destination(index));
        started++;
        if (gate.refuses(node, destination)) {
            giveUp(message);
        } else {
            append(message, shoalFlows.row(node, flows.trafficClass(index)), destination, slot);
        }
    }

    private void append(final int message, final int row, final int destination, final long slot) {
        final long at = shoalFlows.at(row, destination);
        if (shoalFlows.numberOf(at) < 0) {
            final int node = shoalFlows.node(row);
            throttles.add(node, shoalFlows.flowsOf(node));
            shoalFlows.number(at, row);
        }
        if (shoalFlows.head(at) == NONE) {
            order.begin(at, message);
            shoalFlows.setStartSlot(at, slot);
            active.add(row, ActiveFlows.flow(destination, numberOf(row, destination)));
        } else {
            order.join(at, message);
        }
        note(row);
    }

    /** The flows that have cells to send. */
    ActiveFlows active() {
        return active;
    }

    /** The number of a flow that is or was active. */
    int numberOf(final int row, final int destination) {
        return shoalFlows.numberOf(shoalFlows.at(row, destination));
    }

    /** Flows of a node that are or were active: their numbers are below this. */
    int flowsOf(final int node) {
        return shoalFlows.flowsOf(node);
    }

    /** The slot in which an active flow of a row became so. */
    long startSlot(final int row, final int activeFlow) {
        return shoalFlows.startSlot(flow(row, activeFlow));
    }

    /** Takes the next cell of an active flow of a row, {@link #cell()} then is its word. */
    void take(final int row, final int activeFlow) {
        final int message = headOf(row, activeFlow);
        final int sequence = messages.sent(message);
        cell = store.inject(Cell.of(messages.index(message), sequence));
        messages.setSent(message, sequence + 1);
        injected++;
        if (sequence + 1 == messages.cells(message) || messages.next(message) != NONE) {
            turn(row, activeFlow, message);
        }
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

    /** The first message of an active flow. That of a row's only flow lies at hand; others are a page apart each. */
    private int headOf(final int row, final int activeFlow) {
        final int head = onlyHead[row];
        return head == NONE ? shoalFlows.head(flow(row, activeFlow)) : head;
    }

    /** Notes the only flow of a row after a change. */
    void note(final int row) {
        final int only = active.only(row);
        onlyHead[row] = only == ActiveFlows.NONE ? NONE : shoalFlows.head(flow(row, only));
    }

    /** After a cell of a flow's first message was taken: the message is over, or the next one has its turn. */
    private void turn(final int row, final int activeFlow, final int message) {
        final long at = flow(row, activeFlow);
        final int next = messages.next(message);
        if (messages.sent(message) == messages.cells(message)) {
            messages.close(message);
            shoalFlows.setHead(at, next);
            if (next == NONE) {
                active.remove(row, activeFlow);
            }
        } else if (next != NONE) {
            order.pass(at, message);
        }
        note(row);
    }

    /**
     * Puts a cell of a row back to the head of its flow, to be sent before all others.
     *
     * @param was its cell word, flow and sequence number.
     */
    void giveBack(final int row, final int destination, final long was) {
        final long at = shoalFlows.at(row, destination);
        final boolean wasActive = shoalFlows.head(at) != NONE;
        order.putFirst(at, messages.back(Cell.flow(was), Cell.sequence(was)));
        if (!wasActive) {
            active.add(row, ActiveFlows.flow(destination, numberOf(row, destination)));
        }
        note(row);
    }

    /** Gives up every message of a node that the gate refuses. */
    void failRefused(final int node) {
        for (int row = shoalFlows.row(node, 0); row < shoalFlows.row(node + 1, 0); row++) {
            for (int place = active.size(row) - 1; place >= 0; place--) {
                final int activeFlow = active.get(row, place);
                if (gate.refuses(node, ActiveFlows.destination(activeFlow))) {
                    final long at = flow(row, activeFlow);
                    int message = shoalFlows.head(at);
                    while (message != NONE) {
                        final int next = messages.next(message);
                        giveUp(message);
                        message = next;
                    }
                    shoalFlows.setHead(at, NONE);
                    active.remove(row, activeFlow);
                }
            }
            note(row);
        }
    }

    private void giveUp(final int message) {
        final int cells = messages.cells(message);
        if (flows.isOnDemand()) {
            notSent += messages.lose(message, store);
            return;
        }
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

    private long flow(final int row, final int activeFlow) {
        return shoalFlows.at(row, ActiveFlows.destination(activeFlow));
    }
}
