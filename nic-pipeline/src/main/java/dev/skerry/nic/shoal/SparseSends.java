package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.NodeRange;

/**
 * Sends rows in which few nodes have something to do: takes these nodes through their turns one by one and leaves all
 * others idle. A node has something to do if its queue holds a cell or had ready flows, if a flow of it is active, or
 * if it may have a queue to tell of; no other node's turn changes anything. One thread.
 */
final class SparseSends {
    private static final int NONE = ShoalQueues.NONE;

    private final ShoalBank.Parts parts;
    private final InFlightCells link;
    private final int firstId;
    private final boolean isBasic;
    private final ShoalSlotPlan plan;
    private final Throttles throttles;
    private final ShoalFlowScheduler scheduler;
    private final ActiveFlows active;
    private final SentCells sent;
    private final FlowSearch search;
    private final ShoalQueues queues;
    private final ShoalBank.Density density;
    /** By channel: nodes that have something to do, how many, or -1 if the row is not sparse. */
    private final int[][] nodes;
    private final int[] count;
    private long forwarded;
    /** Of the row being served. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private long linkAt;
    private boolean simultaneous;
    /** The last slot in which a node had something to do, and may have put it on the link. */
    private long lastBusy = Long.MIN_VALUE / 2;

    SparseSends(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
        this.parts = parts;
        this.link = link;
        this.firstId = range.first();
        this.isBasic = shoal.rule() == ReleaseRule.BASIC;
        this.plan = parts.plan();
        this.throttles = parts.throttles();
        this.scheduler = parts.scheduler();
        this.active = scheduler.active;
        this.sent = parts.sent();
        this.search = new FlowSearch(shoal, firstId, throttles, scheduler, null);
        this.queues = parts.queues()[0];
        this.density = parts.density();
        this.nodes = new int[shoal.channels()][range.size()];
        this.count = new int[shoal.channels()];
    }

    /**
     * Finds the nodes of a row that have something to do and samples their reports, if they are few.
     *
     * @param slot     the slot.
     * @param channel  of the row.
     * @param onLink   its link.
     * @param first    the first node with a turn.
     * @param end      one past the last.
     * @param barred   first of the nodes in between that have none.
     * @param barredTo one past the last of them.
     * @param feedback gets the reports, by node.
     * @return whether they are few.
     */
    boolean sample(final long slot, final int channel, final int onLink, final int first, final int end,
        final int barred, final int barredTo, final long[] feedback) {
        int busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            busy += Long.bitCount((work(onLink, word) | parts.joined().telling(onLink, word))
                & NodeSets.within(word, first, end) & ~NodeSets.within(word, barred, barredTo));
        }
        if (busy > 0) {
            lastBusy = slot;
        }
        count[channel] = density.isSparse(busy, end - first - barredTo + barred) ? 0 : -1;
        if (count[channel] < 0) {
            return false;
        }
        for (int word = NodeSets.wordOf(first); busy > 0 && word * NodeSets.WORD_NODES < end; word++) {
            final long telling = parts.joined().telling(onLink, word);
            long left = (work(onLink, word) | telling) & NodeSets.within(word, first, end)
                & ~NodeSets.within(word, barred, barredTo);
            for (; left != 0; left &= left - 1) {
                final int node = word * NodeSets.WORD_NODES + Long.numberOfTrailingZeros(left);
                nodes[channel][count[channel]++] = node;
                feedback[node] = (telling >>> node & 1) == 0 ? 0 : parts.reports().sample(onLink, node);
            }
        }
        return true;
    }

    private long work(final int onLink, final int word) {
        return queues.waiting(onLink, word) | active.some(word);
    }

    /** Whether all nodes have left the link idle for some slots before this one. */
    boolean isLinkIdle(final long slot, final int slots) {
        return slot - lastBusy > slots;
    }

    /** Whether the row of a channel is sparse, as found by {@link #sample}. */
    boolean isChosen(final int channel) {
        return count[channel] >= 0;
    }

    /**
     * Sends the row of a channel.
     *
     * @param toPlace  of the schedule.
     * @param rowAt    place of the bank's first node on the link.
     * @param feedback the reports, by node.
     */
    void send(final int channel, final long ofSlot, final int ofEpoch, final int toPlace, final int first,
        final int end, final long rowAt, final long[] feedback) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        onLink = plan.link(toPlace);
        simultaneous = plan.simultaneous(toPlace);
        linkAt = rowAt;
        link.leaveIdle(at(first), end - first, 0);
        sent.begin(epoch, onLink, first, end);
        search.turnTo(slot, epoch, onLink);
        final int[] busy = nodes[channel];
        for (int k = 0; k < count[channel]; k++) {
            if (isBasic) {
                turnBasic(busy[k], feedback[busy[k]]);
            } else {
                turn(busy[k], feedback[busy[k]]);
            }
        }
    }

    /** Cells of other nodes sent on. */
    long forwarded() {
        return forwarded;
    }

    /**
     * Takes a node through its turn on a link (docs/spec/shoal.md §4.4 SEND) where nothing can fail and there is one
     * traffic class: what {@link ShoalTransmitter} does for a row, for a node at a time. A local cell that finds its
     * queue empty leaves without joining it.
     */
    private void turn(final int node, final long feedback) {
        final int queue = queues.queue(onLink, node);
        final int length = queues.length(queue);
        int local = queues.local(queue);
        parts.samples().count(length);
        final int flow = search.choose(node, node, length, local == NONE, queues.turn(queue));
        if (length > 0) {
            if (flow != NONE) {
                local = ActiveFlows.number(flow);
                join(node, flow);
            } else {
                parts.maxima().onDequeue(node);
            }
            local = sendFirst(node, queue, feedback) ? NONE : local;
        } else if (flow != NONE) {
            scheduler.take(node, flow);
            leave(node, ActiveFlows.number(flow), ShoalCell.of(firstId + node, ActiveFlows.destination(flow)),
                scheduler.cell(), feedback);
        } else {
            link.sendIdle(at(node), feedback);
        }
        queues.settle(onLink, node, search.ready(), search.turn(), local);
    }

    /** The next cell of a flow joins the queue. */
    private void join(final int node, final int flow) {
        scheduler.take(node, flow);
        throttles.set(node, ActiveFlows.number(flow), onLink, Throttles.HELD);
        queues.append(onLink, node, ShoalCell.of(firstId + node, ActiveFlows.destination(flow)), scheduler.cell());
    }

    /** The first cell of a queue leaves; returns whether it was a local one. */
    private boolean sendFirst(final int node, final int queue, final long feedback) {
        queues.pop(queue);
        final long word = queues.word();
        if (ShoalCell.source(word) == firstId + node) {
            leave(node, scheduler.numberOf(node, ShoalCell.destination(word)), word, queues.cell(), feedback);
            return true;
        }
        link.send(at(node), word, queues.cell(), feedback);
        forwarded++;
        return false;
    }

    /**
     * Takes a node through its turn by the basic mechanism (docs/spec/shoal.md §4.2 Eq. 1 to 3): the cells of all flows
     * that Eq. 2 and the 2^age rule release join the queue, in the order in which the flows became active; then its
     * first cell leaves. No flow is ready afterwards, so reports tell the length alone.
     */
    private void turnBasic(final int node, final long feedback) {
        final int queue = queues.queue(onLink, node);
        final int length = queues.length(queue);
        parts.samples().count(length);
        joinReleased(node, length);
        if (queues.length(queue) == 0) {
            link.sendIdle(at(node), feedback);
        } else {
            sendFirst(node, queue, feedback);
        }
        countMaxima(node, length, queues.length(queue));
        queues.settle(onLink, node, 0, 0, NONE);
    }

    private void joinReleased(final int node, final int length) {
        int place = 0;
        while (place < active.size(node)) {
            final int flow = active.get(node, place);
            final int size = active.size(node);
            if (throttles.freeFrom(node, ActiveFlows.number(flow), onLink) <= length + epoch
                && search.isOld(node, flow, length)) {
                join(node, flow);
            }
            // The others close up behind a flow that has sent its last cell.
            place += active.size(node) == size ? 1 : 0;
        }
    }

    /** Counts by how many cells the queue is longer than before its turn, one fewer at least. */
    private void countMaxima(final int node, final int before, final int after) {
        if (after < before) {
            parts.maxima().onDequeue(node);
        }
        for (int length = before + 1; length <= after; length++) {
            parts.maxima().onEnqueue(node, length);
        }
    }

    /** A local cell leaves its node. */
    private void leave(final int node, final int number, final long word, final long cell, final long feedback) {
        throttles.set(node, number, onLink, Throttles.AWAIT);
        sent.add(epoch, onLink, node,
            SentCells.entry(number, plan.services(place, firstId + node, ShoalCell.destination(word))));
        if (simultaneous) {
            sent.setJustSent(node, number);
        }
        link.send(at(node), ShoalCell.sent(word, slot), cell, feedback);
    }

    private long at(final int node) {
        return linkAt + Region.offset(node, InFlightCells.PLACE_BYTES);
    }
}
