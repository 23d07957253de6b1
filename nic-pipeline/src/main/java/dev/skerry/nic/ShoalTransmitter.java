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
 *
 * <p>Which of these a node does nobody can predict. So the nodes of a row are sorted first, without branches that
 * depend on it, and then each kind of work is done for all nodes that have it. A row in which nothing is sent and every
 * queue reported on is empty is written without looking at its nodes.
 */
final class ShoalTransmitter {
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
    /** The flow of each node whose cell joins the queue. */
    private final int[] chosen;
    private final Nodes joining;
    private final Nodes forwarding;
    private final Nodes sendingOwn;
    private final Nodes sendingFresh;
    private final Nodes idle;
    private long forwarded;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private boolean simultaneous;
    private long linkAt;
    private long entries;

    /** Nodes that have something in common. One place more, as it is written before it counts. */
    private static final class Nodes {
        private final int[] node;
        private int count;

        Nodes(final int most) {
            this.node = new int[most + 1];
        }

        void add(final int number, final boolean really) {
            node[count] = number;
            count += really ? 1 : 0;
        }
    }

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
        this.admission = new ShoalAdmission(shoal, queues, throttles, segmenter);
        this.maxima = parts.maxima();
        this.base = parts.base();
        this.quiet = parts.quiet();
        this.link = link;
        this.report = new long[channels][range.size()];
        this.chosen = new int[range.size()];
        this.joining = new Nodes(range.size());
        this.forwarding = new Nodes(range.size());
        this.sendingOwn = new Nodes(range.size());
        this.sendingFresh = new Nodes(range.size());
        this.idle = new Nodes(range.size());
    }

    /** Sends one slot for every node of the bank. */
    void send(final long now) {
        final long epochs = now / epochSlots;
        slot = now;
        epoch = base.turnTo(epochs);
        segmenter.activate(now);
        final boolean nothingToSend = segmenter.activeFlows() == 0 && queues.held() == 0;
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
            entries = sent.offset(epoch, onLink);
            for (int node = 0; node < range.size(); node++) {
                sent.set(entries + (long) node * Integer.BYTES, SentCells.NONE);
            }
        }
        for (int node = 0; simultaneous && node < range.size(); node++) {
            sent.setJustSent(node, SentCells.NONE);
        }
        quiet.sent(onLink, false, false);
    }

    private void sendRow(final long[] feedback) {
        final int first = firstSender();
        final int end = endSender();
        leaveIdle(0, first, CellLink.NO_FEEDBACK);
        leaveIdle(end, range.size(), CellLink.NO_FEEDBACK);
        entries = sent.offset(epoch, onLink);
        admission.turnTo(slot, epoch, onLink);
        sort(first, end);
        join();
        forward(feedback);
        sendOwn(feedback);
        sendFresh(feedback);
        for (int i = 0; i < idle.count; i++) {
            link.sendIdle(linkAt + (long) idle.node[i] * CellLink.CELL_BYTES, feedback[idle.node[i]]);
        }
        quiet.sent(onLink, sendingOwn.count + sendingFresh.count > 0 || !turns.isWhole(place),
            admission.readyInRow() != 0);
    }

    private void sort(final int first, final int end) {
        joining.count = 0;
        forwarding.count = 0;
        sendingOwn.count = 0;
        sendingFresh.count = 0;
        idle.count = 0;
        long line = queues.line(onLink, first);
        for (int node = first; node < end; node++) {
            final int length = queues.length(line);
            final int flow = admission.choose(node, line, length);
            final boolean goes = flow != ShoalAdmission.NONE;
            final boolean has = length > 0;
            final boolean own = ShoalCell.source(queues.first(line)) == range.first() + node;
            chosen[node] = flow;
            joining.add(node, has & goes);
            forwarding.add(node, has & !own);
            sendingOwn.add(node, has & own);
            sendingFresh.add(node, !has & goes);
            idle.add(node, !has & !goes);
            maxima.onDequeue(node, has & !goes ? 1 : 0);
            sent.set(entries + (long) node * Integer.BYTES, SentCells.NONE);
            if (simultaneous) {
                sent.setJustSent(node, SentCells.NONE);
            }
            line += ShoalQueues.LINE_BYTES;
        }
    }

    /** A local cell waits behind others. */
    private void join() {
        for (int i = 0; i < joining.count; i++) {
            final int node = joining.node[i];
            final int flow = chosen[node];
            final long line = queues.line(onLink, node);
            segmenter.take(node, flow);
            throttles.set(node, ShoalSegmenter.number(flow), onLink, Throttles.HELD);
            queues.append(line, ShoalCell.of(range.first() + node, ShoalSegmenter.destination(flow)),
                segmenter.cell());
            queues.setLocal(line, ShoalSegmenter.number(flow));
        }
    }

    private void forward(final long[] feedback) {
        for (int i = 0; i < forwarding.count; i++) {
            final int node = forwarding.node[i];
            queues.pop(queues.line(onLink, node));
            link.send(linkAt + (long) node * CellLink.CELL_BYTES, queues.word(), queues.cell(), feedback[node]);
        }
        forwarded += forwarding.count;
    }

    /** The local cell of a queue has come to its head. */
    private void sendOwn(final long[] feedback) {
        for (int i = 0; i < sendingOwn.count; i++) {
            final int node = sendingOwn.node[i];
            final long line = queues.line(onLink, node);
            queues.pop(line);
            final int flow = queues.local(line);
            queues.setLocal(line, ShoalQueues.NONE);
            leave(node, flow, queues.word(), queues.cell(), feedback[node]);
        }
    }

    /** A local cell that finds the queue empty leaves at once. */
    private void sendFresh(final long[] feedback) {
        for (int i = 0; i < sendingFresh.count; i++) {
            final int node = sendingFresh.node[i];
            final int flow = chosen[node];
            segmenter.take(node, flow);
            leave(node, ShoalSegmenter.number(flow),
                ShoalCell.of(range.first() + node, ShoalSegmenter.destination(flow)), segmenter.cell(),
                feedback[node]);
        }
    }

    /** A local cell leaves its node. */
    private void leave(final int node, final int flow, final long word, final long cell, final long feedback) {
        throttles.set(node, flow, onLink, Throttles.AWAIT);
        link.send(linkAt + (long) node * CellLink.CELL_BYTES, ShoalCell.sent(word, slot), cell, feedback);
        sent.set(entries + (long) node * Integer.BYTES, SentCells.entry(flow,
            turns.services(place, range.first() + node, ShoalCell.destination(word))));
        if (simultaneous) {
            sent.setJustSent(node, flow);
        }
    }
}
