package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.Flag;
import dev.skerry.nic.fabric.shoal.Reports;
import dev.skerry.nic.fabric.shoal.SentCells;
import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.nic.fabric.shoal.ShoalCell;
import dev.skerry.nic.fabric.shoal.ShoalQueues;
import dev.skerry.nic.fabric.shoal.Throttles;
import dev.skerry.nic.fabric.shoal.Turns;

/**
 * What every node of a bank sends in a slot (spec/shoal §4.4 SEND): at most one cell of its own joins the queue of the
 * neighbour, if Eq. 2 and the 2^age rule let it; then the first cell of the queue leaves, or a dummy; a report rides
 * with either. One thread.
 *
 * <p>Which of these a node does nobody can predict. So a block of nodes goes through each step together: what a node
 * does is a bit, found without a branch, and each kind of work is a loop over the nodes whose bit is set. A row in
 * which nothing is sent and every queue reported on is empty is written without looking at its nodes.
 */
final class ShoalTransmitter {
    private static final int BLOCK = Long.SIZE;

    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final int epochSlots;
    private final Turns turns;
    private final ShoalQueues queues;
    private final Throttles throttles;
    private final SentCells sent;
    private final Reports reports;
    private final ShoalSegmenter segmenter;
    private final ShoalAdmission admission;
    private final NodeMaxima maxima;
    private final EpochBase base;
    private final QuietRows quiet;
    private final CellLink link;
    /** What each node reports on each channel. */
    private final long[][] report;
    /** Of each node of a block: the flow whose cell is let in or leaves, what leaves, and the cell that is let in. */
    private final int[] number = new int[BLOCK];
    private final int[] list = new int[BLOCK];
    private final long[] word = new long[BLOCK];
    private final long[] cell = new long[BLOCK];
    private final long[] localWord = new long[BLOCK];
    private final long[] local = new long[BLOCK];
    private long forwarded;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private boolean simultaneous;
    private long linkAt;
    private long entries;

    ShoalTransmitter(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final CellLink link) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.channels = shoal.channels();
        this.turns = parts.turns();
        this.epochSlots = turns.epochSlots();
        this.queues = parts.queues();
        this.throttles = parts.throttles();
        this.sent = parts.sent();
        this.reports = parts.reports();
        this.segmenter = parts.segmenter();
        this.admission = new ShoalAdmission(shoal, range.size(), queues, throttles, segmenter);
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.quiet = parts.quiet();
        this.link = link;
        this.report = new long[channels][range.size()];
    }

    /** Sends one slot for every node of the bank. */
    void send(final long now) {
        final long epochs = now / epochSlots;
        slot = now;
        epoch = base.turnTo(epochs);
        segmenter.activate(now);
        final boolean nothingToSend = segmenter.active().total() == 0 && queues.held() == 0;
        final int inEpoch = (int) (now - epochs * epochSlots);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * epochSlots + inEpoch);
            if (onLink != Turns.IDLE && !(nothingToSend && isQuiet())) {
                reports.sample(onLink, firstSender(), endSender(), report[channel]);
            }
        }
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * epochSlots + inEpoch);
            linkAt = link.offset(now) + ((long) channel * nodes + range.first()) * CellLink.CELL_BYTES;
            if (onLink == Turns.IDLE) {
                leaveIdle(0, range.size(), CellLink.NO_FEEDBACK);
            } else if (nothingToSend && isQuiet()) {
                sendNothing();
            } else {
                sendRow(report[channel]);
            }
        }
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }

    private void turnTo(final int toPlace) {
        place = toPlace;
        onLink = turns.link(toPlace);
        simultaneous = onLink != Turns.IDLE && turns.simultaneous(toPlace);
    }

    /** Rows of which only some nodes have a turn are never quiet. */
    private boolean isQuiet() {
        return turns.isWhole(place) && quiet.nothingToSay(onLink);
    }

    private int firstSender() {
        return Math.clamp((long) turns.firstSender(place) - range.first(), 0, range.size());
    }

    private int endSender() {
        return Math.clamp((long) turns.endSender(place) - range.first(), 0, range.size());
    }

    private void leaveIdle(final int first, final int end, final long feedback) {
        for (int node = first; node < end; node++) {
            link.sendIdle(linkAt + (long) node * CellLink.CELL_BYTES, feedback);
        }
    }

    /** A row without a cell and in which every queue reported on is empty. */
    private void sendNothing() {
        leaveIdle(0, range.size(), 0);
        if (!quiet.nothingAwaited(onLink)) {
            sent.clear(sent.offset(epoch, onLink), range.size());
        }
        if (simultaneous) {
            sent.setJustSent(0, range.size(), 0, number);
        }
        quiet.sent(onLink, false, false);
    }

    private void sendRow(final long[] feedback) {
        final int first = firstSender();
        final int end = endSender();
        leaveIdle(0, first, CellLink.NO_FEEDBACK);
        leaveIdle(end, range.size(), CellLink.NO_FEEDBACK);
        entries = sent.offset(epoch, onLink);
        admission.choose(slot, epoch, onLink, first, end - first);
        sent.clear(entries + (long) first * Integer.BYTES, end - first);
        long own = 0;
        for (int node = first; node < end; node += BLOCK) {
            own |= sendBlock(node, node - first, Math.min(BLOCK, end - node), feedback);
        }
        admission.settle(first, end - first);
        quiet.sent(onLink, own != 0 || !turns.isWhole(place), admission.readyInRow() != 0);
    }

    /**
     * Sends for some nodes.
     *
     * @param first their first node.
     * @param from  its place in the row.
     * @return the nodes that send a cell of their own.
     */
    private long sendBlock(final int first, final int from, final int count, final long[] feedback) {
        final int[] load = admission.load();
        final int[] goes = admission.goes();
        long waiting = 0;
        long several = 0;
        long joining = 0;
        for (int i = 0; i < count; i++) {
            final int length = ShoalQueues.lengthOf(load[from + i]);
            waiting |= (long) Flag.ifPositive(length) << i;
            several |= (long) Flag.ifPositive(length - 1) << i;
            joining |= (goes[from + i] & 1L) << i;
        }
        queues.pop(queues.queue(onLink, first), waiting, several, load, from, word, cell);
        maxima.onDequeue(first, waiting & ~joining);
        segmenter.take(first, joining, admission.chosen(), from, local);
        letIn(first, from, joining);
        join(first, from, joining & waiting);
        takeFresh(joining & ~waiting);
        final long own = takeOwn(first, from, waiting & ~joining) | joining & ~waiting;
        forward(first, waiting & ~own, feedback);
        if (simultaneous) {
            sent.setJustSent(first, count, own, number);
        }
        leave(first, own, feedback);
        for (long rest = -1L >>> -count & ~waiting & ~joining; rest != 0; rest &= rest - 1) {
            final int node = first + Long.numberOfTrailingZeros(rest);
            link.sendIdle(linkAt + (long) node * CellLink.CELL_BYTES, feedback[node]);
        }
        return own;
    }

    /** Works out what the local cells that are let in say, and of which flow each is. */
    private void letIn(final int first, final int from, final long which) {
        final int firstId = range.first() + first;
        final int[] flow = admission.chosen();
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            number[i] = ActiveFlows.number(flow[from + i]);
            localWord[i] = ShoalCell.of(firstId + i, ActiveFlows.destination(flow[from + i]));
        }
    }

    /** A local cell waits behind others, the first of which has left. */
    private void join(final int first, final int from, final long which) {
        queues.put(queues.queue(onLink, first), which, admission.load(), from, localWord, local);
        throttles.set(first, which, number, onLink, Throttles.HELD);
    }

    /** A local cell that finds the queue empty leaves at once. */
    private void takeFresh(final long which) {
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            word[i] = localWord[i];
            cell[i] = local[i];
        }
    }

    /** The local cell of a queue has come to its head; returns where. */
    private long takeOwn(final int first, final int from, final long which) {
        final int firstId = range.first() + first;
        final int[] search = admission.search();
        long own = 0;
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            own |= (long) Flag.ifEqual(ShoalCell.source(word[i]), firstId + i) << i;
        }
        final int taken = Bits.list(own, list);
        for (int k = 0; k < taken; k++) {
            final int i = list[k];
            number[i] = ShoalQueues.localOf(search[from + i]);
            search[from + i] = ShoalQueues.search(ShoalQueues.turnOf(search[from + i]), 0);
        }
        return own;
    }

    private void forward(final int first, final long which, final long[] feedback) {
        final CellLink onto = link;
        final long at = linkAt + (long) first * CellLink.CELL_BYTES;
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            onto.send(at + (long) i * CellLink.CELL_BYTES, word[i], cell[i], feedback[first + i]);
        }
        forwarded += Long.bitCount(which);
    }

    /** Local cells leave their nodes. */
    private void leave(final int first, final long which, final long[] feedback) {
        final CellLink onto = link;
        final long at = linkAt + (long) first * CellLink.CELL_BYTES;
        final long entry = entries + (long) first * Integer.BYTES;
        final int firstId = range.first() + first;
        throttles.set(first, which, number, onLink, Throttles.AWAIT);
        final int count = Bits.list(which, list);
        for (int k = 0; k < count; k++) {
            final int i = list[k];
            onto.send(at + (long) i * CellLink.CELL_BYTES, ShoalCell.sent(word[i], slot), cell[i],
                feedback[first + i]);
            sent.set(entry + (long) i * Integer.BYTES, SentCells.entry(number[i],
                turns.services(place, firstId + i, ShoalCell.destination(word[i]))));
        }
    }
}
