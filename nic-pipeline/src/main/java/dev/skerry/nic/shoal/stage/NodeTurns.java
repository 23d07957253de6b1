package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.ServedQueue;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

/**
 * Takes one node after the other through its turn on a link (docs/spec/shoal.md §4.4 SEND) where nothing can fail and
 * there is one traffic class: what {@link ShoalAdmission} and {@link ShoalTransmitter} do for a row, for a node at a
 * time. A local cell that finds its queue empty leaves without joining it. One thread.
 */
final class NodeTurns {
    private static final int NONE = ShoalQueues.NONE;

    private final int firstId;
    private final ShoalBank.Parts parts;
    private final ShoalSlotPlan plan;
    private final Throttles throttles;
    private final ShoalFlowScheduler scheduler;
    private final ActiveFlows active;
    private final SentCells sent;
    private final InFlightCells link;
    private final FlowSearch search;
    private final ServedQueue queue;
    /** Of the row being served. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    private long linkAt;
    private boolean simultaneous;
    /** Of the choice made last. */
    private int ready;
    private int turn;
    private long forwarded;

    NodeTurns(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
        this.firstId = range.first();
        this.parts = parts;
        this.plan = parts.plan();
        this.throttles = parts.throttles();
        this.scheduler = parts.scheduler();
        this.active = scheduler.active();
        this.sent = parts.sent();
        this.link = link;
        this.search = new FlowSearch(shoal, firstId, throttles, scheduler, null);
        this.queue = parts.queues()[0].served();
    }

    /** Turns to a place of the schedule in a slot; {@code rowAt} is the place of the bank's first node on the link. */
    void turnTo(final long ofSlot, final int ofEpoch, final int toPlace, final long rowAt) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        onLink = plan.link(toPlace);
        simultaneous = plan.simultaneous(toPlace);
        linkAt = rowAt;
        search.turnTo(ofSlot, ofEpoch, onLink);
    }

    /** A node sends. */
    void send(final int node, final long feedback) {
        queue.turnTo(onLink, node);
        final int length = queue.length();
        parts.samples().count(length);
        final int flow = choose(node, length);
        if (length > 0) {
            serve(node, flow, feedback);
        } else if (flow != NONE) {
            scheduler.take(node, flow);
            leave(node, ActiveFlows.number(flow), ShoalCell.of(firstId + node, ActiveFlows.destination(flow)),
                scheduler.cell(), feedback);
            queue.settle(ready, turn, NONE);
        } else {
            link.sendIdle(at(node), feedback);
            queue.settle(ready, turn, NONE);
        }
    }

    /** Cells of other nodes sent on. */
    long forwarded() {
        return forwarded;
    }

    /** The flow whose cell joins the queue; flows that stay ready and the next turn are noted. */
    private int choose(final int node, final int length) {
        final int only = active.only(node);
        final boolean isOpen = queue.local() == NONE;
        if (only == ActiveFlows.NONE) {
            final int flow = search.choose(node, node, length, isOpen, queue.turn());
            ready = search.ready();
            turn = search.turn();
            return flow;
        }
        final boolean lets = throttles.freeFrom(node, 0, onLink) <= length + epoch;
        final boolean goes = lets && isOpen && search.isOld(node, only, length);
        ready = lets && !goes ? 1 : 0;
        turn = goes ? 0 : queue.turn();
        return goes ? only : NONE;
    }

    /** The first cell of a queue leaves, after a local cell may have joined it. */
    private void serve(final int node, final int flow, final long feedback) {
        int local = queue.local();
        if (flow != NONE) {
            local = ActiveFlows.number(flow);
            scheduler.take(node, flow);
            throttles.set(node, local, onLink, Throttles.HELD);
            queue.append(ShoalCell.of(firstId + node, ActiveFlows.destination(flow)), scheduler.cell());
        } else {
            parts.maxima().onDequeue(node);
        }
        queue.pop();
        if (flow == NONE && local != NONE && ShoalCell.source(queue.word()) == firstId + node) {
            leave(node, local, queue.word(), queue.cell(), feedback);
            local = NONE;
        } else {
            link.send(at(node), queue.word(), queue.cell(), feedback);
            forwarded++;
        }
        queue.settle(ready, turn, local);
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
