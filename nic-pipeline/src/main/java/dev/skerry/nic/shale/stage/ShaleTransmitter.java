package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.Detours;
import dev.skerry.nic.shale.LinkFailureAdmission;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.ShaleRouter;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What every node of a bank sends in a slot (Shale §4.1 TX path, docs/spec/shale.md §5.3): the first forwarded cell
 * that the admission lets go, else the next cell of a local flow, else nothing but what rides along. One thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShaleTransmitter {
    /** What a node does: send its oldest cell on, search its queue, send a local cell, or nothing yet. */
    private static final int SEND_ON = 0;
    private static final int SEARCH = 1;
    private static final int SEND_OWN = 2;
    private static final int NONE = 3;

    private final NodeRange range;
    private final Phased schedule;
    private final SlotMath numbers;
    private final Population population;
    private final boolean complete;
    private final int firstSprays;
    private final QueueBank queues;
    private final CongestionControl control;
    /** That of congestion control, or of failures before it. */
    private final Admission admission;
    private final ShaleFlowScheduler scheduler;
    private final ShaleRouter router;
    private final InFlightCells link;
    private final Flight flight;
    /** Number of the bank among the senders. */
    private final int sender;
    /** Takes nodes through a slot one by one; null where that cannot be. */
    private final NodeSender single;
    /** Most nodes of a block that are taken one by one. */
    private final int mostSingle;
    private final SlotCycle epoch;
    private final SlotCycle rows;
    /** Which links are up, and the cells that start anew; null where nothing ever fails. */
    private final LinkFailureAdmission failures;
    private final Detours detours;
    private final int block;
    /** Nodes of a block by what they do. */
    private final KindPartition sorted;
    /** Cells that are sent on. */
    private final CellBatch batch;
    /** 1 or 0 by node: has a peer, a cell waits, a local cell asks, it goes to the peer itself, the cell is paid. */
    private final int[] joined;
    private final int[] waiting;
    private final int[] local;
    private final int[] direct;
    private final int[] paid;
    /** 1 for a node that has to ask by itself: a cell starts anew there, or failures may block its local cell. */
    private final int[] hindered;
    /** By node: the lower half of the word of its oldest cell, its next flow, and the destination of that flow. */
    private final int[] oldest;
    private final int[] flow;
    private final int[] destination;
    /** What it sends. */
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Nodes of a block. One spare entry absorbs the last branchless write. */
    private final int[] list;
    private long forwarded;

    ShaleTransmitter(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final Flight flight,
        final int mostSingle) {
        this.range = range;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.population = shale.population();
        this.failures = parts.hindrance();
        this.detours = failures == null ? null : parts.failures().detours();
        this.complete = population.allPresent() && failures == null;
        this.firstSprays = schedule.phases() - 1;
        this.queues = parts.queues();
        this.control = parts.control();
        this.admission = failures == null ? control : failures;
        this.scheduler = parts.scheduler();
        this.router = parts.router();
        this.link = flight.link();
        this.flight = flight;
        this.sender = flight.flags().join();
        this.single = mostSingle < 0 ? null : new NodeSender(range, shale, parts, flight);
        this.mostSingle = mostSingle;
        this.epoch = new SlotCycle(schedule.epochSlots(), shale.share());
        this.rows = new SlotCycle(flight.rows());
        this.block = CellBatch.block(range.size());
        this.sorted = new KindPartition(block);
        this.batch = new CellBatch(block);
        this.joined = new int[block];
        this.waiting = new int[block];
        this.local = new int[block];
        this.direct = new int[block];
        this.paid = new int[block];
        this.hindered = new int[block];
        this.oldest = new int[block];
        this.flow = new int[block];
        this.destination = new int[block];
        this.route = new long[block];
        this.cell = new long[block];
        this.feedback = new long[block];
        this.list = new int[block + 1];
    }

    /** Sends one slot for every node of the bank. */
    void send(final long slot) {
        final int inEpoch = epoch.turnTo(slot);
        final int row = rows.turnTo(slot);
        final int nodes = range.size();
        final long linkAt = link.offset(row) + Region.offset(range.first(), InFlightCells.PLACE_BYTES);
        router.turnToSending(inEpoch);
        scheduler.activate(slot);
        boolean isFull = false;
        for (int first = 0; first < nodes; first += block) {
            final int count = Math.min(block, nodes - first);
            if (single != null && single.look(inEpoch, first, count) <= mostSingle) {
                single.send(slot, inEpoch, row, linkAt, first, count);
            } else {
                sendBlock(slot, inEpoch, linkAt, first, count);
                isFull = true;
                if (single != null) {
                    single.onBlock(row, first, count);
                }
            }
        }
        if (flight.isTold()) {
            flight.flags().setFull(row, sender, isFull);
        }
    }

    private void sendBlock(final long slot, final int inEpoch, final long linkAt, final int first, final int count) {
        final int firstQueue = numbers.queue(inEpoch, first);
        join(inEpoch, first, count);
        Arrays.fill(route, 0, count, InFlightCells.NO_CELL);
        if (queues.queues().held() > 0 || scheduler.isActive() || failures != null) {
            ask(inEpoch, first, count);
            control.trySpend(inEpoch, first, count, oldest, waiting, destination, local, paid);
            sort(count);
            final int others = choose(firstQueue, first);
            forward(first);
            sendOwn(slot, firstQueue, first);
            sendOthers(slot, inEpoch, first, others);
        }
        admission.takeFeedback(firstQueue, count, feedback);
        link.send(linkAt + Region.offset(first, InFlightCells.PLACE_BYTES), 0, count, route, cell, feedback);
    }

    /** Cells sent on for others. */
    long forwarded() {
        return single == null ? forwarded : forwarded + single.forwarded();
    }

    /** Which nodes of a block have a peer in this slot; the others send nothing. */
    private void join(final int inEpoch, final int first, final int count) {
        if (complete) {
            Arrays.fill(joined, 0, count, 1);
        } else if (failures == null) {
            population.joined(range.first() + first, count, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
        } else {
            failures.up(inEpoch, first, count, joined);
        }
    }

    /** What each node would send: its oldest cell, or else the next one of its own. */
    private void ask(final int inEpoch, final int first, final int count) {
        final int[] isJoined = joined;
        final int[] waits = waiting;
        final int[] hasNone = local;
        queues.queues().oldest(numbers.queue(inEpoch, first), count, oldest, waits);
        for (int i = 0; i < count; i++) {
            waits[i] &= isJoined[i];
        }
        for (int i = 0; i < count; i++) {
            hasNone[i] = isJoined[i] & ~waits[i];
        }
        Arrays.fill(direct, 0, count, 0);
        if (failures != null) {
            // Cells that start anew come before local flows.
            detours.hinder(first, count, local, hindered);
        }
        if (scheduler.isPaced()) {
            scheduler.askEach(numbers.queue(inEpoch, first), first, count, local, hindered);
        } else {
            askOwn(inEpoch, first, count);
        }
    }

    /** Finds the next local cell of nodes without a waiting cell; cells to the peer itself need no admission. */
    private void askOwn(final int inEpoch, final int first, final int count) {
        int asked = 0;
        for (int i = 0; i < count; i++) {
            list[asked] = i;
            asked += local[i];
        }
        scheduler.ask(numbers.queue(inEpoch, first), first, list, asked, flow, destination, local);
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        final int firstId = range.first() + first;
        for (int k = 0; k < asked; k++) {
            final int i = list[k];
            direct[i] = Branchless.ifEqual(destination[i], schedule.peerOf(firstId + i, phase, phaseLink)) & local[i];
            local[i] -= direct[i];
        }
        if (failures != null) {
            failures.hinder(inEpoch, first, count, destination, local, hindered);
        }
    }

    private void sort(final int count) {
        final int[] kind = sorted.kind();
        for (int i = 0; i < count; i++) {
            kind[i] = NONE - 2 * waiting[i] - (paid[i] | direct[i]);
        }
        sorted.sort(0, count);
    }

    /**
     * Takes out the first cell that may go at each node where some wait, and lists the nodes that may have something
     * else to send.
     *
     * @return number of listed nodes.
     */
    private int choose(final int firstQueue, final int first) {
        final int[] order = sorted.order();
        int others = queues.dequeue(firstQueue, first, order, sorted.end(SEND_ON), sorted.end(SEARCH), batch, list);
        for (int k = sorted.end(SEND_OWN); k < sorted.end(NONE); k++) {
            list[others] = order[k];
            others += local[order[k]] | hindered[order[k]];
        }
        return others;
    }

    /** Sends the chosen cells on. */
    private void forward(final int first) {
        forwarded += batch.count();
        final int count = batch.count();
        final int[] node = batch.node();
        final long[] word = batch.word();
        final long[] chosen = batch.cell();
        for (int i = 0; i < count; i++) {
            route[node[i] - first] = Route.forwarded(word[i]);
            cell[node[i] - first] = chosen[i];
        }
    }

    /** Sends the local cells that are paid for. */
    private void sendOwn(final long slot, final int firstQueue, final int first) {
        final int[] order = sorted.order();
        final int from = sorted.end(SEARCH);
        final int end = sorted.end(SEND_OWN);
        scheduler.take(firstQueue, first, order, from, end, flow, cell);
        for (int k = from; k < end; k++) {
            final int i = order[k];
            route[i] = Route.first(destination[i], firstSprays, slot);
        }
    }

    /**
     * Sends for each listed node a cell that starts anew (docs/spec/shale.md §5.3 step 3), or one of any of its flows.
     */
    private void sendOthers(final long slot, final int inEpoch, final int first, final int others) {
        final int firstQueue = numbers.queue(inEpoch, first);
        for (int k = 0; k < others; k++) {
            final int i = list[k];
            if (detours != null && detours.poll(first + i, inEpoch)) {
                forwarded++;
                route[i] = detours.route();
                cell[i] = detours.cell();
            } else if (scheduler.hasFlow(first + i) && scheduler.poll(firstQueue + i, first + i,
                schedule.peerOf(range.first() + first + i, inEpoch), admission)) {
                route[i] = Route.first(scheduler.destination(), firstSprays, slot);
                cell[i] = scheduler.cell();
            } else if (scheduler.isPaced() && single != null) {
                queues.refused().set(firstQueue + i);
            }
        }
    }
}
