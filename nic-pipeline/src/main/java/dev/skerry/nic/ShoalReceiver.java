package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Prefetcher;
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
    private static final int BLOCK = 64;

    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final int epochSlots;
    private final int propagationSlots;
    private final Turns turns;
    private final ShoalQueues queues;
    private final Reports reports;
    private final Reassembler reassembler;
    private final NodeMaxima maxima;
    private final EpochBase base;
    private final QuietRows quiet;
    private final CellLink link;
    private final Circuits circuits;
    private final Prefetcher lines = new Prefetcher(BLOCK);
    /** Where on the link the cell is that each node of the block receives. */
    private final long[] arrived = new long[BLOCK];
    /** Cells at their destination, as places in the block. One place more, as it is written before it counts. */
    private final int[] home = new int[BLOCK + 1];
    private int homes;
    /** Cells that join a queue: place in the block and line of the queue; again one place more. */
    private final int[] join = new int[BLOCK + 1];
    private final long[] joinLine = new long[BLOCK + 1];
    private int joins;
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
        this.reports = parts.reports();
        this.reassembler = parts.reassembler();
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.quiet = parts.quiet();
        this.link = link;
        this.circuits = circuits;
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
        final int end = Math.min(range.end(), turns.endReceiver(place));
        final int linkBack = turns.linkBack(place);
        final boolean nothingAwaited = turns.isWhole(place) && quiet.nothingAwaited(linkBack);
        boolean joined = !turns.isWhole(place);
        for (int id = Math.max(range.first(), turns.firstReceiver(place)); id < end; id += BLOCK) {
            final int count = Math.min(BLOCK, end - id);
            circuits.arrivals(sentIn, channel, id, count, arrived);
            if (nothingAwaited && nothingArrives(count)) {
                continue;
            }
            reports.take(id - range.first(), count, arrived, linkBack,
                epoch - turns.acknowledgedBack(place), epoch + turns.nextAhead(place), turns.simultaneous(place));
            sort(id, count);
            lines.fetch();
            deliver(id);
            join(id);
            joined |= joins > 0;
        }
        quiet.received(linkBack, joined);
    }

    private boolean nothingArrives(final int count) {
        long all = CellLink.NO_CELL;
        for (int i = 0; i < count; i++) {
            all &= link.route(arrived[i]);
        }
        return all == CellLink.NO_CELL;
    }

    private void sort(final int firstId, final int count) {
        homes = 0;
        joins = 0;
        final int first = firstId - range.first();
        final long lineBack = queues.line(turns.linkBack(place), first);
        for (int i = 0; i < count; i++) {
            final long word = link.route(arrived[i]);
            final boolean isCell = word != CellLink.NO_CELL;
            final int towards = ShoalCell.destination(word) - firstId - i - 1;
            // At its destination a cell is one short of the first link: around, at the link that stands for none.
            final int joined = isCell ? towards < 0 ? towards + nodes : towards : queues.noLink();
            final boolean isHome = isCell & joined == queues.noLink();
            final boolean goesOn = isCell & joined != queues.noLink();
            home[homes] = i;
            homes += isHome ? 1 : 0;
            join[joins] = i;
            joinLine[joins] = queues.line(joined, first + i);
            joins += goesOn ? 1 : 0;
            queues.setJoined(lineBack + (long) i * ShoalQueues.LINE_BYTES, joined);
        }
        for (int i = 0; i < joins; i++) {
            queues.prefetch(joinLine[i], lines);
        }
    }

    private void deliver(final int firstId) {
        for (int i = 0; i < homes; i++) {
            final long at = arrived[home[i]];
            reassembler.deliver(slot, firstId + home[i], link.cell(at), ShoalCell.age(link.route(at), slot));
        }
    }

    private void join(final int firstId) {
        for (int i = 0; i < joins; i++) {
            final long at = arrived[join[i]];
            maxima.onEnqueue(firstId - range.first() + join[i],
                queues.append(joinLine[i], link.route(at), link.cell(at)));
        }
    }
}
