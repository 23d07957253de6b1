package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Coverage;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.check.Bounds;

/**
 * Base class of the followers of Shale nodes, with and without failures: slots, the order of local cells, and findings.
 * Not thread-safe.
 */
abstract class FollowedNode implements Follower {
    /** Bucket of a finding that concerns no bucket. */
    static final int NO_BUCKET = -1;
    /** Value of a sequence number that is unknown. */
    static final long UNKNOWN = -1;

    final Shale shale;
    final Phased schedule;
    final CellNames names;
    final int node;
    final int linksPerPhase;
    /** Sequence number of the next cell by flow of the node, or {@link #UNKNOWN}. */
    final long[] next;
    long slot;
    /** Link that the node sends on, or the link back to the node that it receives from. */
    int link;
    final NodePoints points;
    private final FindingLog log;
    /** Whether the node receives before it sends in a slot. */
    private final boolean receivesFirst;

    FollowedNode(final Shale shale, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        Bounds.refuseIf(!shale.population().allPresent() || shale.mechanisms().control() != HopByHop.FACTORY
            || shale.mechanisms().endToEnd() != null,
            "only nodes with hbh, spray-short, spray-bucket and priority can be followed, in fabrics without failed "
                + "nodes: "
            + "mechanisms=", shale.mechanisms(), " nodes=", shale.population().endpoints());
        Bounds.refuseIf(shale.mechanisms().order() != QueueOrder.ARRIVAL && !rules.is(Setting.FREE_ORDER),
            "cells do not contain the ranks of priority, so the order in which they leave cannot be checked: use "
                + "free order: mechanisms=", shale.mechanisms());
        Bounds.refuseIf(node < 0 || node >= shale.nodes(), "no such node: node=", node, " nodes=", shale.nodes());
        this.shale = shale;
        this.schedule = shale.schedule();
        this.names = names;
        this.node = node;
        this.linksPerPhase = schedule.linksPerPhase();
        this.next = new long[names.flows()];
        this.log = log;
        this.points = new NodePoints(shale, rules, !(this instanceof NodeFollower));
        this.receivesFirst = rules.is(Setting.RECEIVE_FIRST);
        Bounds.refuseIf(receivesFirst && shale.propagationSlots() < 1,
            "with receive-first, the delay must be at least one slot: propagationSlots=", shale.propagationSlots());
    }

    @Override
    public final void step(final long now, final NodeCells received, final NodeCells observed, final int joined) {
        checkNext(now);
        if (receivesFirst) {
            receive(received, joined);
            send(now, observed);
        } else {
            send(now, observed);
            receive(received, joined);
        }
    }

    @Override
    public final boolean receivesFirst() {
        return receivesFirst;
    }

    private void checkNext(final long now) {
        if (now != slot) {
            throw new IllegalArgumentException("slots must be consecutive: slot=" + now + " next=" + slot);
        }
    }

    @Override
    public final void send(final long now, final NodeCells observed) {
        checkNext(now);
        link = schedule.slotInEpoch(slot);
        points.sent(link, observed.route(0), isLocal(observed.route(0), observed.cell(0)));
        sent(observed.route(0), observed.cell(0), observed.feedback(0));
        slot += receivesFirst ? 1 : 0;
    }

    /** @param joined position in the epoch of the link. */
    @Override
    public final void receive(final NodeCells received, final int joined) {
        final long sentIn = slot - shale.propagationSlots();
        if (sentIn >= 0) {
            link = back(sentIn);
            points.received(node, received.route(0), received.feedback(0));
            received(link / linksPerPhase, received.route(0), received.cell(0), received.feedback(0), joined);
        }
        slot += receivesFirst ? 0 : 1;
    }

    /** Whether the words are a cell whose source is the node. */
    final boolean isLocal(final long route, final long cell) {
        return InFlightCells.isCell(route) && names.exists(cell) && names.source(cell) == node;
    }

    @Override
    public final Coverage coverage() {
        return points.coverage;
    }

    /** Returns the link back to the node that sent in a slot. */
    final int back(final long sentIn) {
        final int inEpoch = schedule.slotInEpoch(sentIn);
        final int inPhase = inEpoch % linksPerPhase;
        return inEpoch - inPhase + schedule.reverseLink(inPhase);
    }

    /** Checks the words that the node sent on {@link #link}, and updates the state. */
    abstract void sent(long route, long cell, long feedback);

    /** Processes the words that arrived over {@link #link} and were sent in a slot of a phase. */
    abstract void received(int phase, long route, long cell, long feedback, int joined);

    @Override
    public final void refuse(final int channel, final Law law, final String expected, final String seen) {
        find(law, slot, schedule.slotInEpoch(slot), NO_BUCKET, expected, seen);
    }

    @Override
    public final long slot() {
        return slot;
    }

    final void find(final Law law, final int bucket, final String expected, final String seen) {
        find(law, slot, link, bucket, expected, seen);
    }

    final void find(final Law law, final long at, final int ofLink, final int bucket, final String expected,
        final String seen) {
        log.add(new Finding(law, at, node, ofLink, bucket(bucket), expected, seen));
    }

    /** Reports words that name no cell of this fabric. */
    final void findForeign(final String expected, final long route, final long cell) {
        find(Law.ROUTE, NO_BUCKET, expected, "route 0x" + Long.toHexString(route) + " cell 0x"
            + Long.toHexString(cell));
    }

    /** Returns the neighbour at the end of a link, which is a position in the epoch. */
    final int peer(final int ofLink) {
        return schedule.peerAt(node, 0, ofLink);
    }

    /**
     * Whether a local cell left before: its sequence number is behind the next one of its flow, in modular arithmetic.
     */
    final boolean leftBefore(final long cell) {
        return ahead(cell) >= names.sequences() / 2;
    }

    private long ahead(final long cell) {
        final long due = next[names.flow(cell)];
        return due == UNKNOWN ? 0 : names.sequence(cell) - due & names.sequences() - 1;
    }

    /** Whether a local cell is the next one of its flow; reports a finding if not. */
    final boolean isNext(final long cell, final int bucket, final String seen) {
        if (leftBefore(cell)) {
            find(Law.CONSERVATION, bucket, "seq " + next[names.flow(cell)], seen + ", which left before");
        } else if (ahead(cell) > 0) {
            find(Law.ORDER, bucket, "seq " + next[names.flow(cell)], seen);
        } else if (!names.hasCell(cell, slot)) {
            find(Law.CONSERVATION, bucket, "no cell that its flow does not have yet", seen);
        } else {
            return true;
        }
        return false;
    }

    /** Records that a local cell has left. */
    final void advance(final long cell) {
        next[names.flow(cell)] = names.sequence(cell) + 1 & names.sequences() - 1;
    }

    /** Returns the bucket of a finding, {@code <destination,sprays>}; null if none is concerned. */
    static Finding.Bucket bucket(final int bucket) {
        return bucket < 0 ? null : new Finding.Bucket(Route.bucketDestination(bucket), Route.sprays(bucket));
    }

    /** Describes a bucket, or none. */
    static String token(final int bucket) {
        return bucket < 0 ? "none" : bucket(bucket).toString();
    }

    /** Describes a cell and the bucket that it goes to. */
    final String text(final long cell, final int bucket) {
        return names.text(cell) + " to " + token(bucket);
    }

    /** Describes the content of a slot. */
    static String slot(final CellNames names, final long route, final long cell) {
        return names.text(route, cell)
            + (InFlightCells.isCell(route) ? " to " + token(Route.bucket(route)) : "");
    }
}
