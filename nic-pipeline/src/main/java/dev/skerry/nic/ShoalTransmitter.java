package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
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
 */
final class ShoalTransmitter {
    private static final int NONE = -1;

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
    private final NodeMaxima maxima;
    private final EpochBase base;
    private final CellLink link;
    /** Slots that a flow must have been active for before it may join a queue of this length. */
    private final long[] ageNeeded;
    /** What each node reports on each channel. */
    private final long[][] report;
    /** Flows of a node that Eq. 2 lets go, as {@link ShoalSegmenter#activeBits} has them. */
    private final long[] free;
    private long forwarded;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private boolean simultaneous;

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
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.link = link;
        this.ageNeeded = ageNeeded(shoal);
        this.report = new long[channels][range.size()];
        this.free = new long[Throttles.words(nodes)];
    }

    /** By length of the queue: none up to 1, then epochs until 2^epochs reaches it. No queue is longer than N. */
    static long[] ageNeeded(final Shoal shoal) {
        final long[] slots = new long[shoal.nodes() + 1];
        for (int length = 2; length < slots.length && shoal.ageRule(); length++) {
            final int epochs = Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
            slots[length] = (long) epochs * shoal.schedule().epochSlots();
        }
        return slots;
    }

    /** Sends one slot for every node of the bank. */
    void send(final long now) {
        final long epochs = now / epochSlots;
        slot = now;
        epoch = base.turnTo(epochs);
        segmenter.activate(now);
        final int inEpoch = (int) (now - epochs * epochSlots);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * epochSlots + inEpoch);
            if (onLink != Turns.IDLE) {
                reports.sample(onLink, firstSender(), endSender(), report[channel]);
            }
        }
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * epochSlots + inEpoch);
            sendRow(link.offset(now) + ((long) channel * nodes + range.first()) * CellLink.CELL_BYTES, report[channel]);
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

    private int firstSender() {
        return Math.clamp((long) turns.firstSender(place) - range.first(), 0, range.size());
    }

    private int endSender() {
        return Math.clamp((long) turns.endSender(place) - range.first(), 0, range.size());
    }

    private void sendRow(final long linkAt, final long[] feedback) {
        final int first = onLink == Turns.IDLE ? range.size() : firstSender();
        final int end = onLink == Turns.IDLE ? range.size() : endSender();
        leaveIdle(linkAt, 0, first);
        leaveIdle(linkAt, end, range.size());
        final long entries = sent.offset(epoch, Math.max(onLink, 0));
        for (int node = first; node < end; node++) {
            final long line = queues.line(onLink, node);
            final long at = linkAt + (long) node * CellLink.CELL_BYTES;
            final int length = queues.length(line);
            final int flow = choose(node, line, length);
            int entry = SentCells.NONE;
            if (length > 0) {
                entry = sendFirst(node, line, flow, at, feedback[node]);
            } else if (flow != NONE) {
                entry = sendFresh(node, flow, at, feedback[node]);
            } else {
                link.sendIdle(at, feedback[node]);
            }
            if (simultaneous) {
                sent.setJustSent(node, entry == SentCells.NONE ? SentCells.NONE : SentCells.flow(entry));
            }
            sent.set(entries + (long) node * Integer.BYTES, entry);
        }
    }

    private void leaveIdle(final long linkAt, final int first, final int end) {
        for (int node = first; node < end; node++) {
            link.sendIdle(linkAt + (long) node * CellLink.CELL_BYTES, CellLink.NO_FEEDBACK);
        }
    }

    /**
     * Finds the flow whose next cell joins the queue: in the node's order, from the link's turn on, the first that
     * Eq. 2 lets go and that is old enough, unless a local cell is in the queue already. The others that Eq. 2 lets go
     * are ready (spec/shoal §4.4 SEND 2, 3).
     */
    private int choose(final int node, final long line, final int length) {
        final int count = segmenter.active(node);
        final int atMost = length + epoch;
        final long startBy = slot - ageNeeded[Math.min(length, nodes)];
        if (count > Throttles.FEW) {
            return chooseOfMany(node, line, atMost, startBy);
        }
        int chosen = NONE;
        int ready = 0;
        int turn = queues.turn(line);
        if (count > 0) {
            boolean free = queues.local(line) == ShoalQueues.NONE;
            int at = turn < count ? turn : 0;
            for (int i = 0; i < count; i++) {
                final int flow = segmenter.activeFlow(node, at);
                at = at + 1 < count ? at + 1 : 0;
                if (throttles.freeFrom(node, ShoalSegmenter.number(flow), onLink) <= atMost) {
                    if (free && (startBy == slot || segmenter.startSlot(node, flow) <= startBy)) {
                        chosen = flow;
                        free = false;
                        turn = at;
                    } else {
                        ready++;
                    }
                }
            }
        }
        queues.setSearched(line, ready, turn);
        return chosen;
    }

    /** The same by the index of the throttles: only flows that Eq. 2 lets go are counted, and tried until one goes. */
    private int chooseOfMany(final int node, final long line, final int atMost, final long startBy) {
        throttles.index(node, segmenter.flowsOf(node));
        final int count = segmenter.active(node);
        final long[] active = segmenter.activeBits(node);
        int ready = 0;
        for (int word = Throttles.words(segmenter.flowsOf(node)) - 1; word >= 0; word--) {
            free[word] = throttles.free(node, onLink, word, atMost) & active[word];
            ready += Long.bitCount(free[word]);
        }
        int chosen = NONE;
        int turn = queues.turn(line);
        int left = queues.local(line) == ShoalQueues.NONE ? ready : 0;
        for (int at = turn < count ? turn : 0; left > 0;) {
            final int flow = segmenter.activeFlow(node, at);
            at = at + 1 < count ? at + 1 : 0;
            if (ShoalSegmenter.isIn(free, flow)) {
                left--;
                if (startBy == slot || segmenter.startSlot(node, flow) <= startBy) {
                    chosen = flow;
                    turn = at;
                    left = 0;
                }
            }
        }
        queues.setSearched(line, chosen == NONE ? ready : ready - 1, turn);
        return chosen;
    }

    /** A local cell that finds the queue empty leaves at once. */
    private int sendFresh(final int node, final int flow, final long at, final long feedback) {
        final int destination = ShoalSegmenter.destination(flow);
        segmenter.take(node, flow);
        throttles.set(node, ShoalSegmenter.number(flow), onLink, Throttles.AWAIT);
        link.send(at, ShoalCell.sent(ShoalCell.of(range.first() + node, destination), slot), segmenter.cell(),
            feedback);
        return SentCells.entry(ShoalSegmenter.number(flow),
            turns.services(place, range.first() + node, destination));
    }

    /** Sends the first cell of a queue that has one, after a local one has joined it if there is one to. */
    private int sendFirst(final int node, final long line, final int joining, final long at, final long feedback) {
        final int id = range.first() + node;
        if (joining == NONE) {
            maxima.onDequeue(node);
        } else {
            segmenter.take(node, joining);
            throttles.set(node, ShoalSegmenter.number(joining), onLink, Throttles.HELD);
            queues.append(line, ShoalCell.of(id, ShoalSegmenter.destination(joining)), segmenter.cell());
            queues.setLocal(line, ShoalSegmenter.number(joining));
        }
        queues.pop(line);
        final long word = queues.word();
        if (ShoalCell.source(word) != id) {
            forwarded++;
            link.send(at, word, queues.cell(), feedback);
            return SentCells.NONE;
        }
        final int flow = queues.local(line);
        queues.setLocal(line, ShoalQueues.NONE);
        throttles.set(node, flow, onLink, Throttles.AWAIT);
        link.send(at, ShoalCell.sent(word, slot), queues.cell(), feedback);
        return SentCells.entry(flow, turns.services(place, id, ShoalCell.destination(word)));
    }
}
