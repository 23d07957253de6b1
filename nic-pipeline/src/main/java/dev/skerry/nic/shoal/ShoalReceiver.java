package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Receives a slot for every node of a bank (docs/spec/shoal.md §4.4 RECEIVE): applies the report; delivers a cell at
 * its destination and queues any other for its destination; records the queue that it joined. One thread.
 *
 * <p>A row of nodes goes through each step together, as in {@link ShoalTransmitter} and for the same reasons. If few
 * nodes receive something relevant, they are handled one by one.
 */
final class ShoalReceiver extends ShoalStage {
    /** Number of places of a sparse row that are read together. */
    private static final int GROUP = 8;

    private final int channels;
    private final EpochClock clock;
    private final int propagationSlots;
    private final DeliveryLedger deliveries;
    /** Null if nothing can fail. */
    private final ShoalFailures failures;
    private final FlowSet flows;
    /** Cells for which each queue has room, by class. */
    private final int[] room;
    private final ArrivalMap circuits;
    private final ShoalBank.Density density;
    /** The words that each node receives. */
    private final ArrivalMap.Received received;
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Their offsets on the link, used if something can fail. */
    private final long[] arrived;
    /** The link whose queue each cell joins, and the length of that queue then. */
    private final int[] towards;
    private final int[] length;
    /** The lower half of the route, negative if there is no cell. */
    private final int[] lower;
    /** 0, 1, 2, ..: the compiler vectorises a column of numbers, but not a counter. */
    private final int[] numbers;
    private final KindPartition sorted;
    /** Nodes of a sparse row that receive something relevant. */
    private final int[] busyNodes;
    /** One bit for each node for which a report may be about a cell, by word. */
    private final long[] awaited;
    /** One bit for each node that has something to do even without a cell, by word. */
    private final long[] waits;
    /** The row being received. */
    private long slot;
    private Place place;
    private int epoch;
    private int linkBack;

    private enum Fate { DUPLICATE, DELIVERED, QUEUED, NO_WAY, NO_ROOM }

    ShoalReceiver(final ShoalBank.Parts parts, final ShoalFailures failures) {
        super(parts);
        final int size = range.size();
        this.channels = parts.shoal().channels();
        this.propagationSlots = parts.shoal().propagationSlots();
        this.clock = new EpochClock(plan.epochSlots());
        this.place = plan.place(0, 0);
        this.deliveries = parts.deliveries();
        this.failures = failures;
        this.flows = parts.ends().flows();
        this.room = new int[ofClass.length];
        final int lowerClassCells = parts.shoal().resilience().lowerClassCells();
        for (int number = 0; number < room.length; number++) {
            // Damage can make a queue of the highest class longer than N, by the cells in flight (docs/spec/shoal.md
            // §4.1).
            room[number] = number == 0 ? nodes + plan.sentEpochs()
                : lowerClassCells == 0 ? nodes : lowerClassCells;
        }
        this.circuits = parts.ends().circuits();
        this.received = new ArrivalMap.Received(link, size);
        this.density = parts.density();
        this.route = received.route();
        this.cell = received.cell();
        this.feedback = received.feedback();
        this.arrived = new long[size];
        this.towards = new int[size];
        this.length = new int[size];
        this.lower = new int[size];
        this.numbers = IntStream.range(0, size).toArray();
        this.sorted = new KindPartition(size);
        this.busyNodes = new int[size];
        this.awaited = new long[NodeSets.wordOf(size - 1) + 1];
        this.waits = new long[awaited.length];
    }

    /** Handles, for every node of the bank, the cell sent to it one propagation delay before a slot. */
    void receive(final long handlingSlot) {
        final long sentIn = handlingSlot - propagationSlots;
        if (sentIn < 0) {
            return;
        }
        slot = handlingSlot;
        clock.turnTo(sentIn);
        epoch = parts.base().of(clock.epoch);
        for (int channel = 0; channel < channels; channel++) {
            place = plan.place(channel, clock.inEpoch);
            if (place.link != ShoalSlotPlan.IDLE) {
                receiveRow(sentIn, channel);
            }
        }
    }

    private void receiveRow(final long sentIn, final int channel) {
        final int id = Math.max(range.first(), place.firstReceiver());
        final int count = Math.min(range.end(), place.endReceiver()) - id;
        linkBack = place.linkBack();
        reports.turnTo(linkBack, epoch - place.acknowledgedBack, epoch + place.nextAhead, place.simultaneous);
        if (count > 0 && failures != null) {
            receiveAround(sentIn, channel, id, count);
        } else if (count > 0) {
            circuits.read(sentIn, channel, id, count, received);
            if (!receiveSparse(id - range.first(), count)) {
                receiveBlock(id, count);
            }
        }
    }

    /** Lets hindered nodes receive one by one, and those between them in blocks. */
    private void receiveAround(final long sentIn, final int channel, final int id, final int count) {
        final int first = id - range.first();
        final int end = first + count;
        circuits.arrivals(sentIn, channel, id, count, arrived);
        int from = first;
        for (int node = first; node <= end; node++) {
            if (node == end || !passes(node, arrived[node - first])) {
                if (from < node) {
                    circuits.read(sentIn, channel, range.first() + from, node - from, received);
                    receiveBlock(range.first() + from, node - from);
                }
                if (node < end) {
                    receiveHindered(node, arrived[node - first]);
                }
                from = node + 1;
            }
        }
    }

    private void receiveBlock(final int id, final int count) {
        final int first = id - range.first();
        reports.take(first, count, feedback);
        aim(id, count);
        joined.note(linkBack, first, count, towards);
        sort(count);
        deliver(id);
        join(first, count);
    }

    /** Finds the link to which each cell is forwarded; no link for a cell at its destination and an empty place. */
    private void aim(final int firstId, final int count) {
        final int none = joined.noLink();
        final int around = nodes;
        final int next = firstId + 1;
        for (int i = 0; i < count; i++) {
            lower[i] = (int) route[i];
        }
        for (int i = 0; i < count; i++) {
            final int by = ShoalCell.destination(lower[i]) - next - numbers[i];
            // A cell at its destination gets -1, which wraps around to the link that stands for none.
            final int on = by + (around & by >> Integer.SIZE - 1);
            final int isNone = lower[i] >> Integer.SIZE - 1;
            towards[i] = on & ~isNone | none & isNone;
        }
    }

    /** Sorts places: cells that are forwarded, cells at their destinations, empty places. */
    private void sort(final int count) {
        final int[] kind = sorted.kind();
        final int none = joined.noLink();
        for (int i = 0; i < count; i++) {
            final int isAtNone = none - 1 - towards[i] >>> Integer.SIZE - 1;
            kind[i] = isAtNone + (isAtNone & lower[i] >>> Integer.SIZE - 1);
        }
        sorted.sort(0, count);
    }

    private void deliver(final int firstId) {
        final int[] order = sorted.order();
        for (int k = sorted.end(0); k < sorted.end(1); k++) {
            final int i = order[k];
            deliveries.deliver(slot, firstId + i, cell[i], ShoalCell.age(route[i], slot));
        }
    }

    private void join(final int first, final int count) {
        Arrays.fill(length, first, first + count, 0);
        queues.append(sorted.order(), sorted.end(0), first, towards, route, cell, length);
        maxima.onEnqueue(first, first + count, length);
    }

    /**
     * Handles the row if few of its nodes receive something relevant: a cell, a report on a cell, or, with queues to be
     * reported, the next turn. These nodes are handled one by one.
     *
     * @param first the first node that receives; its words are at 0 of the columns.
     * @param count number of nodes that receive.
     * @return whether the row was handled.
     */
    private boolean receiveSparse(final int first, final int count) {
        final int end = first + count;
        int busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            awaited[word] = reports.awaited(word);
            waits[word] = (joined.reporting(linkBack, word) | awaited[word]) & NodeSets.within(word, first, end);
            busy += Long.bitCount(waits[word]);
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            final int base = word * NodeSets.WORD_NODES;
            long left = waits[word]
                | arrivals(Math.max(base, first), Math.min(base + NodeSets.WORD_NODES, end), first);
            for (; left != 0; left &= left - 1) {
                busyNodes[busy++] = base + Long.numberOfTrailingZeros(left);
            }
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        for (int k = 0; k < busy; k++) {
            final int node = busyNodes[k];
            if ((awaited[NodeSets.wordOf(node)] >>> node & 1) != 0) {
                reports.takeOne(node, feedback[node - first]);
            }
        }
        for (int k = 0; k < busy; k++) {
            receiveOne(busyNodes[k], busyNodes[k] - first);
        }
        return true;
    }

    /** Returns one bit for each node of [from, to), all in one word, set if it receives a cell. */
    private long arrivals(final int from, final int to, final int first) {
        long bits = 0;
        int i = from - first;
        final int end = to - first;
        for (; i + GROUP <= end; i += GROUP) {
            final long all = route[i] & route[i + 1] & route[i + 2] & route[i + 3] & route[i + 4] & route[i + 5]
                & route[i + 6] & route[i + 7];
            for (int k = 0; (int) all >= 0 && k < GROUP; k++) {
                bits |= (route[i + k] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i + k;
            }
        }
        for (; i < end; i++) {
            bits |= (route[i] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i;
        }
        return bits;
    }

    private void receiveOne(final int node, final int i) {
        int on = joined.noLink();
        final long word = route[i];
        if ((int) word >= 0) {
            on = plan.linkTo(range.first() + node, ShoalCell.destination(word));
            if (on == joined.noLink()) {
                deliveries.deliver(slot, range.first() + node, cell[i], ShoalCell.age(word, slot));
            } else {
                maxima.onEnqueue(node, queues.append(on, node, word, cell[i]));
            }
        }
        joined.note(linkBack, node, on);
    }

    /** Tells whether nothing hinders a node that receives; if so, its connection records the arrival. */
    private boolean passes(final int node, final long at) {
        final long route = link.route(at);
        final boolean isCell = InFlightCells.isCell(route);
        final long line = neighbours.line(linkBack, node);
        if (room.length > 1 || !isCell && route != InFlightCells.NO_CELL
            || neighbours.state(line) != NeighbourTable.UP || neighbours.isRefused(line)
            || ReportWord.isDropped(link.feedback(at)) || isCell && !accept(node, route, link.cell(at))) {
            return false;
        }
        neighbours.hear(line, epoch, true);
        neighbours.setMark(line, NeighbourTable.TAKEN);
        final long copy = state.copies().at(epoch - place.acknowledgedBack, linkBack, node);
        if (state.copies().route(copy) != InFlightCells.NO_CELL) {
            neighbours.endResends(line);
            state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        }
        return true;
    }

    /**
     * Accepts a cell if it is new and is delivered, or finds an up connection with room; returns whether it was
     * accepted.
     */
    private boolean accept(final int node, final long route, final long cell) {
        if (isWrong(node, route)) {
            return false;
        }
        final int towards = plan.linkTo(range.first() + node, ShoalCell.destination(route));
        // A cell that is not new stays so: only new cells are added to those delivered.
        final boolean accepts = switch (fate(node, towards, 0, cell)) {
            case DELIVERED -> addDelivered(cell) == DeliveredCells.NEW;
            case QUEUED -> ofClass[0].length(ofClass[0].queue(towards, node)) < nodes - 1;
            default -> false;
        };
        if (accepts) {
            state.accepted().add(linkBack, node, epoch, cell);
        }
        return accepts;
    }

    /**
     * Tells whether a cell that came belongs to another node: not destined for this one, and not on its first hop
     * either.
     */
    private boolean isWrong(final int node, final long route) {
        final int id = range.first() + node;
        return ShoalCell.destination(route) != id && ClassedCell.source(route) != plan.peer(id, linkBack);
    }

    /** Returns the fate of a cell that is forwarded to a link, or delivered if there is no link. */
    private Fate fate(final int node, final int towards, final int trafficClass, final long cell) {
        if (state.accepted().contains(linkBack, node, cell)) {
            return Fate.DUPLICATE;
        }
        if (towards == nodes - 1) {
            return Fate.DELIVERED;
        }
        if (neighbours.state(neighbours.line(towards, node)) != NeighbourTable.UP) {
            return Fate.NO_WAY;
        }
        final ShoalQueues queues = ofClass[trafficClass];
        return queues.length(queues.queue(towards, node)) < room[trafficClass] ? Fate.QUEUED : Fate.NO_ROOM;
    }

    /**
     * Receives for one hindered node.
     *
     * @param at offset of its cell on the link.
     */
    private void receiveHindered(final int node, final long at) {
        final long route = link.route(at);
        if (state.presence().isDown(node)) {
            if (InFlightCells.isCell(route)) {
                failures.protocol.loseAtNode();
            }
            return;
        }
        final long line = neighbours.line(linkBack, node);
        final boolean silent = route == InFlightCells.SILENCE;
        if (silent && !failures.protocol.silence(node, linkBack, epoch)) {
            return;
        }
        final boolean isOfAnother = InFlightCells.isCell(route) && isWrong(node, route);
        state.tally().add(NicCounter.WRONG_DESTINATION, isOfAnother ? 1 : 0);
        // A missing cell that is still tolerated counts as damaged beyond reading, and so does a cell of another node.
        final boolean damaged = silent || isOfAnother || route == InFlightCells.DAMAGED;
        if (!silent) {
            neighbours.hear(line, epoch, !damaged);
        }
        if (neighbours.state(line) == NeighbourTable.UP) {
            failures.protocol.takeReport(node, silent || isOfAnother ? ReportWord.of(0, true) : link.feedback(at),
                damaged);
        }
        if (damaged) {
            note(node, line, nodes - 1, 0, NeighbourTable.DAMAGED);
        } else if (InFlightCells.isCell(route)) {
            failures.protocol.receive(node, linkBack, epoch);
            take(node, line, route, link.cell(at));
        } else {
            note(node, line, nodes - 1, 0, NeighbourTable.TAKEN);
            if (route == InFlightCells.CONTROL) {
                failures.protocol.read(node, linkBack, epoch, at);
            } else {
                failures.protocol.receive(node, linkBack, epoch);
            }
        }
    }

    /** Records the queue that a cell joined, {@code nodes - 1} for none, and what became of it. */
    private void note(final int node, final long line, final int towards, final int trafficClass, final int mark) {
        if (neighbours.isRefused(line)) {
            // A refused cell's queue is reported once, in the refusal; its sender assumes the same.
            joined.forgetLast(linkBack, node);
        }
        joined.note(linkBack, node, JoinedQueues.entry(towards, towards == nodes - 1 ? 0 : trafficClass));
        neighbours.setMark(line, mark);
    }

    private void take(final int node, final long line, final long route, final long cell) {
        final int number = ClassedCell.trafficClass(route);
        final int towards = plan.linkTo(range.first() + node, ShoalCell.destination(route));
        int mark = NeighbourTable.TAKEN;
        switch (fate(node, towards, number, cell)) {
            case DUPLICATE -> state.tally().increment(NicCounter.DROPPED_DUPLICATE);
            case DELIVERED -> {
                state.accepted().add(linkBack, node, epoch, cell);
                deliver(range.first() + node, route, cell);
            }
            case QUEUED -> {
                state.accepted().add(linkBack, node, epoch, cell);
                final ShoalQueues queues = ofClass[number];
                final int length = queues.append(towards, node, route, cell);
                state.tally().add(NicCounter.CELLS_OVER_BOUND, number == 0 && length >= nodes ? 1 : 0);
                maxima.onEnqueue(node, length);
            }
            case NO_WAY -> {
                state.tally().increment(NicCounter.DROPPED_NO_WAY);
                mark = NeighbourTable.NO_WAY;
            }
            default -> {
                state.tally().increment(NicCounter.DROPPED_NO_ROOM);
                mark = NeighbourTable.NO_ROOM;
            }
        }
        note(node, line, towards, number, mark);
    }

    private int addDelivered(final long cell) {
        final int flow = Cell.flow(cell);
        return state.delivered().add(flow, flows.cells(flow), Cell.sequence(cell));
    }

    private void deliver(final int id, final long route, final long cell) {
        switch (addDelivered(cell)) {
            case DeliveredCells.NEW -> deliveries.deliver(slot, id, cell, ShoalCell.age(route, slot));
            case DeliveredCells.DUPLICATE -> state.tally().increment(NicCounter.DROPPED_DUPLICATE);
            default -> state.tally().increment(NicCounter.DROPPED_STALE);
        }
    }
}
