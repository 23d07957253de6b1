package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.KindPartition;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Detours;
import dev.skerry.nic.shale.LinkFailureAdmission;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;

/**
 * The steps in which nodes of a block choose the cell that they send, over lists of nodes, and their columns by node of
 * the block. {@link ShaleTransmitter} takes all nodes of a block through them, {@link SparseSender} the ones that have
 * something to do. One thread.
 */
final class SendSteps {
    /** What a node does: send its oldest cell on, search its queue, send a local cell, or nothing yet. */
    static final int SEND_ON = 0;
    static final int SEARCH = 1;
    static final int SEND_OWN = 2;
    static final int NONE = 3;

    /** 1 or 0 by node: a cell waits, a local cell asks, it goes to the peer itself, the cell is paid. */
    final int[] waiting;
    final int[] local;
    final int[] direct;
    final int[] paid;
    /** 1 for a node that has to ask by itself: a cell starts anew there, or failures may block its local cell. */
    final int[] hindered;
    /** By node: the lower half of the word of its oldest cell, its next flow, and the destination of that flow. */
    final int[] oldest;
    final int[] flow;
    final int[] destination;
    /** What it sends. */
    final long[] route;
    final long[] cell;
    final long[] feedback;
    /** Nodes by what they do. */
    final KindPartition sorted;
    /** Nodes of a block. One spare entry absorbs the last branchless write. */
    final int[] list;

    private final NodeRange range;
    private final Phased schedule;
    private final SlotMath numbers;
    private final int firstSprays;
    private final QueueBank queues;
    /** Of congestion control, or of failures before it. */
    private final Admission admission;
    private final ShaleFlowScheduler scheduler;
    /** Which links are up, and the cells that start anew; null where nothing ever fails. */
    private final LinkFailureAdmission failures;
    private final Detours detours;
    /** Cells that are sent on. */
    private final CellBatch batch;
    /** Whether a queue from which nothing may leave is not asked again before something changes. */
    private final boolean keepsRefused;
    private long forwarded;

    SendSteps(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final boolean keepsRefused) {
        this.range = range;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.firstSprays = schedule.phases() - 1;
        this.queues = parts.queues();
        this.failures = parts.hindrance();
        this.detours = failures == null ? null : parts.failures().detours();
        this.admission = failures == null ? parts.control() : failures;
        this.scheduler = parts.scheduler();
        this.keepsRefused = keepsRefused;
        final int block = CellBatch.block(range.size());
        this.sorted = new KindPartition(block);
        this.batch = new CellBatch(block);
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

    /** Finds the next local cell of nodes without a waiting cell; cells to the peer itself need no admission. */
    void askOwn(final int inEpoch, final int first, final int[] which, final int asked) {
        scheduler.ask(numbers.queue(inEpoch, first), first, which, asked, flow, destination, local);
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        final int firstId = range.first() + first;
        for (int k = 0; k < asked; k++) {
            final int i = which[k];
            direct[i] = Branchless.ifEqual(destination[i], schedule.peerOf(firstId + i, phase, phaseLink)) & local[i];
            local[i] -= direct[i];
        }
    }

    /** Nodes without a waiting cell of which each flow has to be asked, one after the other. */
    void askEach(final int[] which, final int asked) {
        for (int k = 0; k < asked; k++) {
            final int i = which[k];
            local[i] = 0;
            direct[i] = 0;
            hindered[i] = 1;
        }
    }

    /** Sends what the nodes sorted by kind have. Where nothing may go, the route stays as it is. */
    void send(final long slot, final int inEpoch, final int first) {
        final int firstQueue = numbers.queue(inEpoch, first);
        final int others = choose(firstQueue, first);
        forward(first);
        sendOwn(slot, firstQueue, first);
        sendOthers(slot, inEpoch, first, others);
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
            } else if (keepsRefused && !scheduler.isDeclined()) {
                queues.refused().set(firstQueue + i);
            }
        }
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }
}
