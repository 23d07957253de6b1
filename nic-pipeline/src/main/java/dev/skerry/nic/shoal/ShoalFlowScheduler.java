package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The messages of a bank's nodes and the cells that they still have to send. A Shoal flow (i, k) is all traffic from
 * node i to node k in a traffic class ({@link ShoalFlows}); the flows of a {@link FlowSet} are messages of it, in an
 * order. A flow is active while it has cells to send, and gets its number when it first becomes active. A returned cell
 * is a message at the head of its flow, so the path needs no special case for it. One thread.
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
    final ActiveFlows active;
    final ShoalFlows shoalFlows;
    final ShoalMessages messages;
    /**
     * The first message of a flow's list sends the next cell. Either messages take turns cell by cell, and the first
     * then moves to the end; or they are in order of their length, equal ones in order of arrival, and the first stays
     * until it is sent or a shorter one comes, as in the authors' simulator built with SHORTEST_FLOW_FIRST.
     */
    private final boolean isShortestFirst;
    private final BitSet failed = new BitSet();
    /** The first message of a row's only flow; NONE if the row has no flow or several. */
    private final int[] onlyHead;
    private final int[] list;
    /** The word of the cell taken last. */
    long cell;
    /** Messages started so far. */
    long started;
    /** Cells taken so far. */
    long injected;
    /** Cells of messages that were abandoned. */
    long notSent;

    ShoalFlowScheduler(final Arena arena, final NodeRange range, final Shoal shoal, final Bank.Ends ends,
        final Throttles throttles, final MessageGate gate) {
        this.firstNode = range.first();
        this.flows = ends.flows();
        this.population = shoal.population();
        this.arrivals = new FlowStarts(ends.flowTable(), population, range);
        this.throttles = throttles;
        this.store = ends.store();
        this.gate = gate;
        final int classes = flows.classes();
        final int rows = range.size() * classes;
        this.active = new ActiveFlows(arena, rows, shoal.nodes(), classes * (shoal.nodes() - 1));
        this.shoalFlows = new ShoalFlows(arena, range.size(), classes, shoal.nodes());
        this.messages = new ShoalMessages(arena, arrivals.size());
        this.isShortestFirst = shoal.flowOrder() == FlowOrder.SHORTEST;
        this.onlyHead = new int[rows];
        Arrays.fill(onlyHead, NONE);
        this.list = new int[rows];
    }

    /** Returns the memory in bytes of a bank of all nodes. */
    static long bytes(final int nodes, final int classes, final int messages) {
        return (long) nodes * classes * ActiveFlows.rowBytes(nodes) + ShoalFlows.bytes(nodes * classes, nodes)
            + (long) messages * ShoalMessages.BYTES;
    }

    /** Returns the slot of the next start. */
    long nextStart() {
        return arrivals.nextSlot();
    }

    /** Starts the messages of a slot. */
    void activate(final long slot) {
        for (int i = arrivals.poll(slot); i != NONE; i = arrivals.poll(slot)) {
            final int index = arrivals.flow(i);
            messages.arrive(i, flows.cells(index), index);
            start(i, index, slot);
        }
    }

    /**
     * Adds cells to a flow on demand. They are one message, so that they leave in order; it is open until all are sent.
     *
     * @param index index of the flow in the {@link FlowSet}.
     * @param cells number of cells, at least 1.
     * @param slot  slot from which they can be sent.
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
            shoalFlows.setHead(at, message);
            shoalFlows.setTail(at, message);
            shoalFlows.setStartSlot(at, slot);
            active.add(row, ActiveFlows.flow(destination, numberOf(row, destination)));
        } else {
            join(at, message);
        }
        note(row);
    }

    /** Returns the number of a flow that is or was active. */
    int numberOf(final int row, final int destination) {
        return shoalFlows.numberOf(shoalFlows.at(row, destination));
    }

    /** Returns the number of flows of a node that are or were active; their numbers are below this. */
    int flowsOf(final int node) {
        return shoalFlows.flowsOf(node);
    }

    /** Returns the slot in which an active flow of a row became active. */
    long startSlot(final int row, final int activeFlow) {
        return shoalFlows.startSlot(flow(row, activeFlow));
    }

    /** Takes the next cell of an active flow of a row and sets {@link #cell} to its word. */
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
     * @param which       the rows, in [from, end) of the list.
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
            // The message ends, or another one waits.
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

    /**
     * Returns the first message of an active flow. That of a row's only flow is cached; others are in different pages.
     */
    private int headOf(final int row, final int activeFlow) {
        final int head = onlyHead[row];
        return head == NONE ? shoalFlows.head(flow(row, activeFlow)) : head;
    }

    /** Caches the first message of the only flow of a row, after a change. */
    void note(final int row) {
        final int only = active.only(row);
        onlyHead[row] = only == ActiveFlows.NONE ? NONE : shoalFlows.head(flow(row, only));
    }

    /**
     * Ends the turn of a flow's first message after a cell was taken: the message is complete, or the next one has its
     * turn.
     */
    private void turn(final int row, final int activeFlow, final int message) {
        final long at = flow(row, activeFlow);
        final int next = messages.next(message);
        if (messages.sent(message) == messages.cells(message)) {
            messages.close(message);
            shoalFlows.setHead(at, next);
            if (next == NONE) {
                active.remove(row, activeFlow);
            }
        } else if (next != NONE && !isShortestFirst) {
            shoalFlows.setHead(at, next);
            appendTo(at, message);
        }
        note(row);
    }

    /**
     * Returns a cell of a row to the head of its flow, to be sent before all others.
     *
     * @param was its cell word: flow and sequence number.
     */
    void requeue(final int row, final int destination, final long was) {
        final long at = shoalFlows.at(row, destination);
        final boolean wasActive = shoalFlows.head(at) != NONE;
        putFirst(at, messages.back(Cell.flow(was), Cell.sequence(was)));
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
        // The number of unsent cells of an endless message is not defined.
        notSent += cells == FlowSet.ENDLESS ? 0 : cells - messages.sent(message);
        failed.set(messages.index(message));
        messages.close(message);
    }

    /** Returns the number of messages that were abandoned as a whole or in part. */
    int failed() {
        return failed.cardinality();
    }

    /** Returns the number of messages that have not started or are not sent, and of cells that came back. */
    int open() {
        return messages.open;
    }

    /** Puts a message at the head of a flow. */
    private void putFirst(final long at, final int message) {
        final int head = shoalFlows.head(at);
        messages.setNext(message, head);
        shoalFlows.setHead(at, message);
        if (head == NONE) {
            shoalFlows.setTail(at, message);
        }
    }

    private void appendTo(final long at, final int message) {
        messages.setNext(message, NONE);
        messages.setNext(shoalFlows.tail(at), message);
        shoalFlows.setTail(at, message);
    }

    /** Adds a message to an active flow. With the shortest first, this takes time for each message that waits. */
    private void join(final long at, final int message) {
        if (!isShortestFirst) {
            appendTo(at, message);
            return;
        }
        int before = NONE;
        int after = shoalFlows.head(at);
        while (after != NONE && (messages.isBack(after) || messages.cells(after) <= messages.cells(message))) {
            before = after;
            after = messages.next(after);
        }
        if (after == NONE) {
            appendTo(at, message);
        } else if (before == NONE) {
            putFirst(at, message);
        } else {
            messages.setNext(message, after);
            messages.setNext(before, message);
        }
    }

    private long flow(final int row, final int activeFlow) {
        return shoalFlows.at(row, ActiveFlows.destination(activeFlow));
    }

    /** Decides to which destinations no message can be sent. */
    @FunctionalInterface
    interface MessageGate {
        /** All destinations can be reached. */
        MessageGate OPEN = (node, destination) -> false;

        /**
         * Tells whether a message from a node has no path.
         *
         * @param node        number in the bank.
         * @param destination id.
         */
        boolean refuses(int node, int destination);
    }

    /**
     * The flows (i, k) of a bank: all traffic from node i to node k in a traffic class (docs/spec/shoal.md §1).
     *
     * <pre>
     *   one flow: [row][k]
     *   0      4      8            16        20    32
     *   +------+------+------------+---------+-----+    head, tail: of its messages, NONE: not active
     *   | head | tail | start slot | number  | pad |    number: plus 1; 0: never active
     *   +------+------+------------+---------+-----+
     * </pre>
     *
     * <p>A row is a node and a traffic class, {@code node * classes + class}. Numbers count the flows of a node over
     * all its classes. Callers pass the offset of a flow. One thread.
     */
    static final class ShoalFlows {
        /** No message. */
        static final int NONE = -1;
        /** Bytes of a flow. */
        static final int FLOW_BYTES = 32;

        /** Indices of ints in a flow. */
        private static final int HEAD = 0;
        private static final int TAIL = 1;
        private static final int NUMBER = 4;
        /** Index of a long in a flow. */
        private static final int START = 1;

        private final int destinations;
        private final int classes;
        private final Region region;
        private final int[] flowsOfNode;

        /** Creates flows that were never active. */
        ShoalFlows(final Arena arena, final int nodes, final int classes, final int destinations) {
            this.destinations = destinations;
            this.classes = classes;
            this.region = Region.allocate(arena, bytes(nodes * classes, destinations));
            this.flowsOfNode = new int[nodes];
            for (long at = 0; at < bytes(nodes * classes, destinations); at += FLOW_BYTES) {
                region.setInt(at, HEAD, NONE);
            }
        }

        /** Returns the memory in bytes. */
        static long bytes(final int rows, final int destinations) {
            return (long) rows * destinations * FLOW_BYTES;
        }

        /** Returns the offset of a flow. */
        long at(final int row, final int destination) {
            return Region.offset(row * destinations + destination, FLOW_BYTES);
        }

        /** Returns the node of a row. */
        int node(final int row) {
            return row / classes;
        }

        /** Returns the row of a traffic class of a node. */
        int row(final int node, final int trafficClass) {
            return node * classes + trafficClass;
        }

        /** Gives a flow of a row its number, if it has none. */
        void number(final long at, final int row) {
            if (region.getInt(at, NUMBER) == 0) {
                region.setInt(at, NUMBER, ++flowsOfNode[node(row)]);
            }
        }

        /** Returns the number of a flow, -1 if it was never active. */
        int numberOf(final long at) {
            return region.getInt(at, NUMBER) - 1;
        }

        /** Returns the number of flows of a node that are or were active; their numbers are below this. */
        int flowsOf(final int node) {
            return flowsOfNode[node];
        }

        /** Returns the first message of a flow. */
        int head(final long at) {
            return region.getInt(at, HEAD);
        }

        /** Sets the first message of a flow. */
        void setHead(final long at, final int message) {
            region.setInt(at, HEAD, message);
        }

        /** Returns the last message of a flow that has any. */
        int tail(final long at) {
            return region.getInt(at, TAIL);
        }

        /** Sets the last message of a flow. */
        void setTail(final long at, final int message) {
            region.setInt(at, TAIL, message);
        }

        /** Returns the slot in which an active flow became active. */
        long startSlot(final long at) {
            return region.getLong(at, START);
        }

        /** Sets the slot in which a flow becomes active. */
        void setStartSlot(final long at, final long slot) {
            region.setLong(at, START, slot);
        }
    }

    /**
     * The messages of a bank's nodes: first the messages in order of arrival, behind them returned cells to be sent
     * another way, each a message of one cell.
     *
     * <pre>
     *   0      4      8       12         16
     *   +------+------+-------+----------+
     *   | next | sent | cells | flow set |    next: in the list of its flow, or of free places; NONE: the last
     *   +------+------+-------+----------+
     * </pre>
     *
     * <p>Places for returned cells are allocated when needed. One thread.
     */
    static final class ShoalMessages {
        /** No message. */
        static final int NONE = -1;
        /** Bytes of a message. */
        static final int BYTES = 16;

        /** Indices of ints in a message. */
        private static final int NEXT = 0;
        private static final int SENT = 1;
        private static final int CELLS = 2;
        private static final int INDEX = 3;

        private final Arena arena;
        private final int arriving;
        private Region region;
        private int used;
        private int free = NONE;
        private int open;

        /** Creates the messages before any has started. */
        ShoalMessages(final Arena arena, final int arriving) {
            this.arena = arena;
            this.arriving = arriving;
            this.used = arriving;
            this.open = arriving;
            this.region = Region.allocate(arena, (long) arriving * BYTES);
        }

        /** Starts a message with a number of cells of a flow of the {@code FlowSet}. */
        void arrive(final int message, final int cells, final int index) {
            write(message, 0, cells, index);
        }

        /** Adds cells to a message; returns whether it had none left to send. */
        boolean extend(final int message, final int more, final int index) {
            final int until = cells(message);
            final boolean over = until == sent(message);
            region.setInt(Region.offset(message, BYTES), CELLS, until + more);
            if (over) {
                region.setInt(Region.offset(message, BYTES), INDEX, index);
                setNext(message, NONE);
                open++;
            }
            return over;
        }

        /** Creates a message for a returned cell. */
        int back(final int index, final int sequence) {
            int message = free;
            if (message == NONE) {
                message = used++;
                if ((long) used * BYTES > region.bytes()) {
                    grow();
                }
            } else {
                free = next(message);
            }
            write(message, sequence, sequence + 1, index);
            open++;
            return message;
        }

        /** Tells whether a message is a returned cell. */
        boolean isBack(final int message) {
            return message >= arriving;
        }

        private void write(final int message, final int sent, final int cells, final int index) {
            final long at = Region.offset(message, BYTES);
            region.setInt(at, NEXT, NONE);
            region.setInt(at, SENT, sent);
            region.setInt(at, CELLS, cells);
            region.setInt(at, INDEX, index);
        }

        private void grow() {
            final Region larger = Region.allocate(arena, 2L * used * BYTES);
            for (long at = 0; at < (used - 1L) * BYTES; at += Long.BYTES) {
                larger.setLong(at, region.getLong(at));
            }
            region = larger;
        }

        /**
         * Gives up a message on demand: its unsent cells are lost, and it is complete until more come. A returned cell
         * is left to its destination, as a copy of it may be in flight. Returns the number of cells lost.
         */
        int lose(final int message, final PayloadStore store) {
            final int end = cells(message);
            final int first = isBack(message) ? end : sent(message);
            for (int at = first; at < end; at++) {
                store.discard(store.inject(Cell.of(index(message), at)));
            }
            setSent(message, end);
            close(message);
            return end - first;
        }

        /** Completes a message. */
        void close(final int message) {
            open--;
            if (isBack(message)) {
                setNext(message, free);
                free = message;
            }
        }

        /** Returns the message after this one. */
        int next(final int message) {
            return region.getInt(Region.offset(message, BYTES), NEXT);
        }

        /** Sets the message after this one. */
        void setNext(final int message, final int next) {
            region.setInt(Region.offset(message, BYTES), NEXT, next);
        }

        /** Returns the sequence number of its next cell. */
        int sent(final int message) {
            return region.getInt(Region.offset(message, BYTES), SENT);
        }

        /** Sets the sequence number of its next cell. */
        void setSent(final int message, final int sequence) {
            region.setInt(Region.offset(message, BYTES), SENT, sequence);
        }

        /** Returns the sequence number at which it is complete. */
        int cells(final int message) {
            return region.getInt(Region.offset(message, BYTES), CELLS);
        }

        /** Returns the flow, an index of the {@code FlowSet}. */
        int index(final int message) {
            return region.getInt(Region.offset(message, BYTES), INDEX);
        }
    }
}
