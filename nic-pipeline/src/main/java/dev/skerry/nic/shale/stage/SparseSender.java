package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Population;

/**
 * What a block sends where few of its nodes have a cell, a flow or feedback, see {@link ShaleTransmitter}. They are
 * found by a bit each, listed, and taken through the same {@link SendSteps}; the others cost nothing. One thread.
 */
final class SparseSender {
    /** From this many queues on, those of a bank leave the near caches and are fetched before they are asked. */
    private static final int FAR_QUEUES = 1 << 14;

    private final NodeRange range;
    private final SlotMath numbers;
    private final Population population;
    private final boolean complete;
    private final QueueBank queues;
    private final CongestionControl control;
    private final ShaleFlowScheduler scheduler;
    private final SendSteps steps;
    private final InFlightCells link;
    private final SentPlaces places;
    private final SingleSender single;
    /** Most nodes of a block that go through a slot one after the other. */
    private final int mostSingle;
    /** By 64 nodes of a block: where a cell waits, where none does but a flow is, and where feedback is. */
    private final long[] waiting;
    private final long[] own;
    private final long[] feeding;
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
        final Flight flight, final int mostSingle) {
        this.range = range;
        this.numbers = new SlotMath(shale.schedule(), range.size());
        this.population = shale.population();
        this.complete = population.allPresent();
        this.queues = parts.queues();
        this.control = parts.control();
        this.scheduler = parts.scheduler();
        this.steps = steps;
        this.link = flight.link();
        final int block = CellBatch.block(range.size());
        this.places = new SentPlaces(range, shale, flight, block);
        this.single = new SingleSender(range, shale, parts, flight.link(), places);
        this.mostSingle = mostSingle;
        this.waiting = new long[SentPlaces.wordsOf(block)];
        this.own = new long[waiting.length];
        this.feeding = new long[waiting.length];
        this.asking = new int[block + QueueBits.SPARE];
        this.senders = new int[block + QueueBits.SPARE];
        this.riders = new int[block + QueueBits.SPARE];
    }

    /** Finds the nodes of a block that may have something to send; returns how many. */
    int look(final int inEpoch, final int first, final int count) {
        final int firstQueue = numbers.queue(inEpoch, first);
        int some = 0;
        mayAsk = 0;
        mayFeed = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            final long open = SentPlaces.mask(count - from) & ~queues.refused().from(firstQueue + from);
            final long waits = queues.waiting().from(firstQueue + from) & open;
            final long owns = scheduler.activeFrom(first + from) & open & ~waits;
            final long feeds = control.feedbackFrom(firstQueue + from) & SentPlaces.mask(count - from);
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
        places.turnTo(inEpoch, row, linkAt, first);
        if (mayAsk + mayFeed <= mostSingle) {
            for (int from = 0; from < count; from += Long.SIZE) {
                single.send(slot, inEpoch, first, from, waiting[from >>> 6], own[from >>> 6], feeding[from >>> 6]);
            }
            places.leaveIdle(count);
            return;
        }
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
            sendCells(inEpoch, first, asked);
        }
        if (mayFeed > 0) {
            sendFeedback(inEpoch, first, count);
        }
        places.leaveIdle(count);
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
    private void sendCells(final int inEpoch, final int first, final int asked) {
        int cells = 0;
        int riding = 0;
        for (int k = 0; k < asked; k++) {
            final int i = asking[k];
            senders[cells] = i;
            cells += (int) Branchless.ifAny(~steps.route[i]);
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
            link.send(places.place(i, k), steps.route[i], steps.cell[i], steps.feedback[i]);
        }
        places.tell(senders, cells);
    }

    /** Sends feedback from the nodes that send no cell. */
    private void sendFeedback(final int inEpoch, final int first, final int count) {
        int riding = 0;
        for (int from = 0; from < count; from += Long.SIZE) {
            riding = QueueBits.list(feeding[from >>> 6] & ~places.sending(from >>> 6), from, riders, riding);
        }
        control.takeFeedback(numbers.queue(inEpoch, first), riders, riding, steps.feedback);
        for (int k = 0; k < riding; k++) {
            link.sendIdle(places.place(riders[k], k), steps.feedback[riders[k]]);
        }
        places.tell(riders, riding);
    }

    /** A block has sent by itself. */
    void onBlock(final int row, final int first, final int count) {
        places.onBlock(row, first, count);
    }

    /** Cells that single nodes have sent on for others. */
    long forwarded() {
        return single.forwarded();
    }
}
