package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.Flag;
import dev.skerry.nic.fabric.shoal.JoinedQueues;
import dev.skerry.nic.fabric.shoal.Reports;
import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.nic.fabric.shoal.ShoalCell;
import dev.skerry.nic.fabric.shoal.ShoalQueues;
import dev.skerry.nic.fabric.shoal.Turns;

/**
 * What every node of a bank receives in a slot (spec/shoal §4.4 RECEIVE): the report is taken in; a cell at its
 * destination is delivered, any other joins the queue of its destination; and it is noted which queue that was. One
 * thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShoalReceiver {
    private static final int BLOCK = Long.SIZE;

    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final int epochSlots;
    private final int propagationSlots;
    private final Turns turns;
    private final ShoalQueues queues;
    private final JoinedQueues joined;
    private final Reports reports;
    private final Reassembler reassembler;
    private final NodeMaxima maxima;
    private final EpochBase base;
    private final QuietRows quiet;
    private final Circuits circuits;
    /** What each node receives. */
    private final Circuits.Received received;
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** The link whose queue it joins, and how long that is then. */
    private final int[] towards;
    private final int[] length;
    /** The lower half of the route, negative where there is no cell. */
    private final int[] lower;
    private final int[] list = new int[BLOCK];
    /** Nodes of the block whose cell is at home, or goes on: a bit for each. */
    private long home;
    private long goingOn;
    /** Of the row being received. */
    private long slot;
    private int place;

    ShoalReceiver(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final CellLink link,
        final Circuits circuits) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.channels = shoal.channels();
        this.propagationSlots = shoal.propagationSlots();
        this.turns = parts.turns();
        this.epochSlots = turns.epochSlots();
        this.queues = parts.queues();
        this.joined = parts.joined();
        this.reports = parts.reports();
        this.reassembler = parts.reassembler();
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.quiet = parts.quiet();
        this.circuits = circuits;
        this.received = new Circuits.Received(link, range.size());
        this.route = received.route();
        this.cell = received.cell();
        this.feedback = received.feedback();
        this.towards = new int[range.size()];
        this.length = new int[range.size()];
        this.lower = new int[range.size()];
    }

    /** Handles, for every node of the bank, what was sent to it the propagation delay before a slot. */
    void receive(final long handlingSlot) {
        final long sentIn = handlingSlot - propagationSlots;
        if (sentIn < 0) {
            return;
        }
        slot = handlingSlot;
        final long epochs = sentIn / epochSlots;
        final int epoch = base.of(epochs);
        final int inEpoch = (int) (sentIn - epochs * epochSlots);
        for (int channel = 0; channel < channels; channel++) {
            place = channel * epochSlots + inEpoch;
            if (turns.link(place) != Turns.IDLE) {
                receiveRow(sentIn, channel, epoch);
            }
        }
    }

    private void receiveRow(final long sentIn, final int channel, final int epoch) {
        final int id = Math.max(range.first(), turns.firstReceiver(place));
        final int count = Math.min(range.end(), turns.endReceiver(place)) - id;
        final int first = id - range.first();
        final int linkBack = turns.linkBack(place);
        boolean joining = !turns.isWhole(place);
        if (count > 0) {
            circuits.read(sentIn, channel, id, count, received);
            if (turns.isWhole(place) && quiet.nothingAwaited(linkBack) && nothingArrives(count)) {
                quiet.received(linkBack, false);
                return;
            }
            reports.take(first, count, feedback, linkBack,
                epoch - turns.acknowledgedBack(place), epoch + turns.nextAhead(place), turns.simultaneous(place));
            aim(id, count);
            joined.note(linkBack, first, count, towards);
            for (int from = 0; from < count; from += BLOCK) {
                sort(from, Math.min(BLOCK, count - from));
                deliver(id + from, from);
                join(first + from, from);
                joining |= goingOn != 0;
            }
        }
        quiet.received(linkBack, joining);
    }

    private boolean nothingArrives(final int count) {
        long all = CellLink.NO_CELL;
        for (int i = 0; i < count; i++) {
            all &= route[i];
        }
        return all == CellLink.NO_CELL;
    }

    /** Finds the link that each cell goes on to; at its destination, and where there is none, it is no link. */
    private void aim(final int firstId, final int count) {
        final int none = joined.noLink();
        final int around = nodes;
        final int next = firstId + 1;
        for (int i = 0; i < count; i++) {
            lower[i] = (int) route[i];
        }
        for (int i = 0; i < count; i++) {
            final int by = ShoalCell.destination(lower[i]) - (next + i);
            // At its destination a cell is one short of the first link: around, at the link that stands for none.
            final int on = by + (around & by >> Integer.SIZE - 1);
            final int isNone = lower[i] >> Integer.SIZE - 1;
            towards[i] = on & ~isNone | none & isNone;
        }
    }

    private void sort(final int from, final int count) {
        final int none = joined.noLink();
        long isHome = 0;
        long isGoingOn = 0;
        for (int i = 0; i < count; i++) {
            final int isAtNone = Flag.ifEqual(towards[from + i], none);
            isHome |= (long) (isAtNone & ~lower[from + i] >>> Integer.SIZE - 1) << i;
            isGoingOn |= (long) (isAtNone ^ 1) << i;
        }
        home = isHome;
        goingOn = isGoingOn;
    }

    private void deliver(final int firstId, final int from) {
        final int count = Bits.list(home, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            reassembler.deliver(slot, firstId + i, cell[from + i], ShoalCell.age(route[from + i], slot));
        }
    }

    private void join(final int first, final int from) {
        queues.append(first, goingOn, towards, from, route, cell, length);
        maxima.onEnqueue(first, goingOn, length, from);
    }
}
