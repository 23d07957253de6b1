package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * What a block sends where few of its nodes have a cell, a flow or feedback, see {@link ShaleTransmitter}. They are
 * found by a bit each, listed, and taken through the same {@link SendSteps}; the others cost nothing. One thread.
 */
final class SparseSender {
    /** From this many queues on, those of a bank leave the near caches and are fetched before they are asked. */
    private static final int FAR_QUEUES = 1 << 14;

    private final NodeRange range;
    private final Phased schedule;
    private final SlotMath numbers;
    private final Population population;
    private final boolean complete;
    private final QueueBank queues;
    private final CongestionControl control;
    private final ShaleFlowScheduler scheduler;
    private final SendSteps steps;
    private final InFlightCells link;
    private final ArrivalFlags flags;
    private final boolean isTold;
    private final boolean packs;
    /** By 64 nodes of a block: where a cell waits, where none does but a flow is, where feedback is, and who sends. */
    private final long[] waiting;
    private final long[] own;
    private final long[] feeding;
    private final long[] sending;
    /** By row of the link, then 64 nodes of the bank: places that are not idle. */
    private final long[] filled;
    private final int words;
    /** By row, where cells stand side by side: places from the first one on that may not be idle. */
    private final int[] packed;
    /** Nodes that have sent something in this slot. */
    private int sent;
    /** Nodes of the block that may have a cell to send, and nodes that have feedback. */
    private int mayAsk;
    private int mayFeed;
    /** Nodes that ask to send a cell, nodes that send one, and nodes that send feedback. */
    private final int[] asking;
    private final int[] senders;
    private final int[] riders;
    /** Whether one node has a peer. */
    private final int[] joined = new int[1];

    /** A sender that finds every place of the link idle. */
    SparseSender(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final SendSteps steps,
        final Flight flight) {
        this.range = range;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.population = shale.population();
        this.complete = population.allPresent();
        this.queues = parts.queues();
        this.control = parts.control();
        this.scheduler = parts.scheduler();
        this.steps = steps;
        this.link = flight.link();
        this.flags = flight.flags();
        this.isTold = flight.isTold();
        this.packs = flight.packs();
        this.packed = new int[packs ? flight.rows() : 0];
        final int block = CellBatch.block(range.size());
        this.waiting = new long[wordsOf(block)];
        this.own = new long[waiting.length];
        this.feeding = new long[waiting.length];
        this.sending = new long[waiting.length];
        this.asking = new int[block + QueueBits.SPARE];
        this.senders = new int[block + QueueBits.SPARE];
        this.riders = new int[block + QueueBits.SPARE];
        this.words = wordsOf(range.size());
        this.filled = new long[packs ? 0 : isTold ? words * flight.rows() : words];
        Arrays.fill(filled, isTold ? 0 : -1L);
    }

    private static int wordsOf(final int nodes) {
        return nodes + Long.SIZE - 1 >>> 6;
    }

    /** As many bits as there are nodes left, 64 at most. */
    private static long mask(final int nodes) {
        return nodes < Long.SIZE ? ~(-1L << nodes) : -1L;
    }

    /** Finds the nodes of a block that may have something to send; returns how many. */
    int look(final int inEpoch, final int first, final int count) {
        final int firstQueue = numbers.queue(inEpoch, first);
        int some = 0;
        mayAsk = 0;
        mayFeed = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final long open = mask(count - from) & ~queues.refused().from(firstQueue + from);
            final long waits = queues.waiting().from(firstQueue + from) & open;
            final long owns = scheduler.activeFrom(first + from) & open & ~waits;
            final long feeds = control.feedbackFrom(firstQueue + from) & mask(count - from);
            waiting[from >>> 6] = waits;
            own[from >>> 6] = owns;
            feeding[from >>> 6] = feeds;
            mayAsk += Long.bitCount(waits | owns);
            mayFeed += Long.bitCount(feeds);
            some += Long.bitCount(waits | owns | feeds);
        }
        return some;
    }

    /** Takes the nodes that {@link #look} has found through the sending of a slot; the others send nothing. */
    void send(final long slot, final int inEpoch, final int row, final long linkAt, final int first, final int count) {
        Arrays.fill(sending, 0);
        sent = 0;
        final int asked = mayAsk == 0 ? 0 : ask(inEpoch, first, count);
        if (asked > 0) {
            control.trySpend(numbers.queue(inEpoch, first), asking, asked, steps.oldest, steps.waiting,
                steps.destination, steps.local, steps.paid);
            final int[] kind = steps.sorted.kind();
            for (int k = 0; k < asked; k++) {
                final int i = asking[k];
                kind[i] = SendSteps.NONE - 2 * steps.waiting[i] - (steps.paid[i] | steps.direct[i]);
            }
            steps.sorted.sort(asking, asked);
            steps.send(slot, inEpoch, first);
            sendCells(inEpoch, row, linkAt, first, asked);
        }
        if (mayFeed > 0) {
            sendFeedback(inEpoch, row, linkAt, first, count);
        }
        leaveIdle(row, linkAt, first, count);
    }

    /** Lists the nodes that ask to send a cell, and finds out which; returns how many. */
    private int ask(final int inEpoch, final int first, final int count) {
        final int owning = join(inEpoch, first, 0, list(own, count, asking, 0));
        final int asked = join(inEpoch, first, owning, list(waiting, count, asking, owning));
        final CellQueues cells = queues.queues();
        final int firstQueue = numbers.queue(inEpoch, first);
        if (numbers.queues() >= FAR_QUEUES) {
            cells.fetch(firstQueue, asking, owning, asked);
            control.fetch(firstQueue, asking, asked, riders, mayFeed == 0 ? 0 : list(feeding, count, riders, 0));
        }
        for (int k = 0; k < owning; k++) {
            steps.waiting[asking[k]] = 0;
            steps.route[asking[k]] = InFlightCells.NO_CELL;
        }
        if (scheduler.isPaced()) {
            steps.askEach(asking, owning);
        } else {
            steps.askOwn(inEpoch, first, asking, owning);
        }
        for (int k = owning; k < asked; k++) {
            final int i = asking[k];
            steps.oldest[i] = (int) cells.first(firstQueue + i);
            steps.waiting[i] = 1;
            steps.local[i] = 0;
            steps.direct[i] = 0;
            steps.hindered[i] = 0;
            steps.route[i] = InFlightCells.NO_CELL;
        }
        return asked;
    }

    /** Appends the nodes of a block whose bit is set to a list; returns its new end. */
    private static int list(final long[] bits, final int count, final int[] into, final int at) {
        int end = at;
        for (int from = 0; from < count; from += Long.SIZE) {
            end = QueueBits.list(bits[from >>> 6], from, into, end);
        }
        return end;
    }

    /** Leaves out the listed nodes that have no peer in this slot; they never have one. Returns the list's new end. */
    private int join(final int inEpoch, final int first, final int from, final int end) {
        if (complete) {
            return end;
        }
        int with = from;
        for (int k = from; k < end; k++) {
            final int i = asking[k];
            population.joined(range.first() + first + i, 1, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
            if (joined[0] == 0) {
                queues.refused().set(numbers.queue(inEpoch, first + i));
            }
            asking[with] = i;
            with += joined[0];
        }
        return with;
    }

    /** Sends the cells of the nodes that asked, with what rides along. */
    private void sendCells(final int inEpoch, final int row, final long linkAt, final int first, final int asked) {
        int cells = 0;
        int riding = 0;
        for (int k = 0; k < asked; k++) {
            final int i = asking[k];
            final long sends = Branchless.ifAny(~steps.route[i]);
            senders[cells] = i;
            cells += (int) sends;
            sending[i >>> 6] |= sends << i;
        }
        final int firstQueue = numbers.queue(inEpoch, first);
        for (int k = 0; k < cells; k++) {
            final int i = senders[k];
            steps.feedback[i] = InFlightCells.NO_FEEDBACK;
            riders[riding] = i;
            riding += (int) control.feedbackFrom(firstQueue + i) & 1;
        }
        control.takeFeedback(firstQueue, riders, riding, steps.feedback);
        for (int k = 0; k < cells; k++) {
            final int i = senders[k];
            link.send(linkAt + place(first + i, k), steps.route[i], steps.cell[i], steps.feedback[i]);
        }
        tell(inEpoch, row, first, senders, cells);
    }

    /** Sends feedback from the nodes that send no cell. */
    private void sendFeedback(final int inEpoch, final int row, final long linkAt, final int first, final int count) {
        int riding = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final long alone = feeding[from >>> 6] & ~sending[from >>> 6];
            riding = QueueBits.list(alone, from, riders, riding);
            sending[from >>> 6] |= alone;
        }
        control.takeFeedback(numbers.queue(inEpoch, first), riders, riding, steps.feedback);
        for (int k = 0; k < riding; k++) {
            link.sendIdle(linkAt + place(first + riders[k], k), steps.feedback[riders[k]]);
        }
        tell(inEpoch, row, first, riders, riding);
    }

    /** The place of the node that is the next but {@code k} to send something in this slot. */
    private long place(final int node, final int k) {
        return Region.offset(packs ? sent + k : node, InFlightCells.PLACE_BYTES);
    }

    /** Places of the row that are not idle from before, and stay empty now, become idle. */
    private void leaveIdle(final int row, final long linkAt, final int first, final int count) {
        if (packs) {
            if (packed[row] > sent) {
                link.leaveIdle(linkAt + Region.offset(sent, InFlightCells.PLACE_BYTES), packed[row] - sent,
                    InFlightCells.NO_FEEDBACK);
            }
            packed[row] = sent;
            return;
        }
        int idle = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final int at = placeOf(row, first + from);
            idle = QueueBits.list(filled[at] & mask(count - from) & ~sending[from >>> 6], from, senders, idle);
            filled[at] = isTold ? sending[from >>> 6] : -1L;
        }
        for (int k = 0; k < idle; k++) {
            link.sendIdle(linkAt + Region.offset(first + senders[k], InFlightCells.PLACE_BYTES),
                InFlightCells.NO_FEEDBACK);
        }
    }

    /** Flags the nodes that the listed ones send to. */
    private void tell(final int inEpoch, final int row, final int first, final int[] which, final int some) {
        final int from = packs ? sent : 0;
        sent += some;
        if (!isTold) {
            return;
        }
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        final int firstId = range.first() + first;
        for (int k = 0; k < some; k++) {
            flags.set(row, schedule.peerOf(firstId + which[k], phase, phaseLink), packs ? from + k : 0);
        }
    }

    /** A block has sent by itself: every place may hold something. */
    void onBlock(final int row, final int first, final int count) {
        if (packs) {
            packed[row] = count;
        } else if (isTold) {
            Arrays.fill(filled, placeOf(row, first), placeOf(row, first) + wordsOf(count), -1L);
        }
    }

    /** Where nobody flags what arrives, receivers read every place and others may write them: all count as filled. */
    private int placeOf(final int row, final int node) {
        return (isTold ? row * words : 0) + (node >>> 6);
    }
}
