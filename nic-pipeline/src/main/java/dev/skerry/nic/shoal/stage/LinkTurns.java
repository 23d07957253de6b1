package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.ServedQueue;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

/**
 * Takes one node after the other through its turn on a link where nothing can fail and there is one traffic class: the
 * row being served, and a local cell as it leaves. One thread.
 */
abstract sealed class LinkTurns permits NodeTurns, BasicTurns {
    static final int NONE = ShoalQueues.NONE;

    final int firstId;
    final ShoalBank.Parts parts;
    final Throttles throttles;
    final ShoalFlowScheduler scheduler;
    final ActiveFlows active;
    final InFlightCells link;
    final FlowSearch search;
    final ServedQueue queue;
    /** Of the row being served. */
    int epoch;
    int onLink;
    long forwarded;
    private final ShoalSlotPlan plan;
    private final SentCells sent;
    private long slot;
    private int place;
    private long linkAt;
    private boolean simultaneous;

    LinkTurns(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
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

    static LinkTurns of(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final InFlightCells link) {
        return shoal.rule() == ReleaseRule.BASIC ? new BasicTurns(range, shoal, parts, link)
            : new NodeTurns(range, shoal, parts, link);
    }

    /** A node sends. */
    abstract void send(int node, long feedback);

    /** Turns to a place of the schedule in a slot; {@code rowAt} is the place of the bank's first node on the link. */
    final void turnTo(final long ofSlot, final int ofEpoch, final int toPlace, final long rowAt) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        onLink = plan.link(toPlace);
        simultaneous = plan.simultaneous(toPlace);
        linkAt = rowAt;
        search.turnTo(ofSlot, ofEpoch, onLink);
    }

    /** Cells of other nodes sent on. */
    final long forwarded() {
        return forwarded;
    }

    /** A local cell leaves its node. */
    final void leave(final int node, final int number, final long word, final long cell, final long feedback) {
        throttles.set(node, number, onLink, Throttles.AWAIT);
        sent.add(epoch, onLink, node,
            SentCells.entry(number, plan.services(place, firstId + node, ShoalCell.destination(word))));
        if (simultaneous) {
            sent.setJustSent(node, number);
        }
        link.send(at(node), ShoalCell.sent(word, slot), cell, feedback);
    }

    final long at(final int node) {
        return linkAt + Region.offset(node, InFlightCells.PLACE_BYTES);
    }
}
