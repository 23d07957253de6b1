package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;

import java.lang.foreign.Arena;

/**
 * An admission for links that fail: over another one, it keeps cells off links that lead nowhere, lets notices of
 * failures ride ahead of tokens, and does what docs/spec/shale.md §8.3 to §8.5 say when a link goes down or comes up
 * and when a notice arrives. One bank, one thread.
 */
public final class LinkFailureAdmission implements Admission {
    private final Admission admission;
    private final HopByHop tokens;
    private final PathReachability reach;
    private final Detours detours;
    private final int nodes;
    private final int links;
    private final int linksPerPhase;
    private final int firstSprays;
    private final SentLog sent;
    /** Of a block: what rode along where it was only tokens, and the nodes that were told something else. */
    private final long[] tokensOnly;
    private final int[] told;
    private long slot;
    private long noticesIgnored;

    /**
     * Nothing has failed.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param admission what admits while nothing fails.
     * @param reach     what is known of failures.
     * @param detours   what becomes of cells.
     * @param nodes     nodes of the bank.
     */
    public LinkFailureAdmission(final Arena arena, final Shale shale, final Admission admission,
        final PathReachability reach,
        final Detours detours, final int nodes) {
        this.admission = admission;
        this.tokens = admission instanceof HopByHop hopByHop ? hopByHop : null;
        this.reach = reach;
        this.detours = detours;
        this.nodes = nodes;
        this.links = shale.schedule().epochSlots();
        this.linksPerPhase = shale.schedule().linksPerPhase();
        this.sent = shale.failures().missLimit() > 1 ? new SentLog(arena, shale, nodes) : null;
        this.firstSprays = shale.schedule().phases() - 1;
        this.tokensOnly = new long[CellBatch.block(nodes)];
        this.told = new int[tokensOnly.length + 1];
    }

    /** Off-heap memory of a bank in bytes that failures cost before any has happened. */
    public static long bytes(final Shale shale, final int nodes) {
        return LinkStates.bytes(shale, nodes) + LinkRecords.bytes(shale, nodes)
            + FailureNotices.bytes(shale.schedule().epochSlots() * nodes) + SentLog.bytes(shale, nodes)
            + (long) nodes * EligibilityQueues.QUEUE_BYTES;
    }

    /** Turns to a slot. */
    public void turnTo(final long to) {
        slot = to;
    }

    /**
     * A slot was sent on a link.
     *
     * @param route    the word of its cell, or what stands in its place.
     * @param peer     the node at the other end.
     * @param feedback what rode along.
     */
    public void onSent(final int queue, final long route, final int peer, final long feedback) {
        if (sent != null) {
            sent.record(queue, slot, Route.isCell(route) && Route.destination(route) != peer ? Route.bucket(route) + 1
                : 0, feedback);
        }
    }

    /** What is known of failures. */
    public PathReachability reach() {
        return reach;
    }

    /** The cells whose way is lost. */
    public Detours detours() {
        return detours;
    }

    /** Whether a link is up. */
    public boolean isUp(final int queue) {
        return reach.states.isUp(queue);
    }

    /** Which nodes of a block have their link up: 1 for each, else 0. */
    public void up(final int slotInEpoch, final int first, final int count, final int[] into) {
        final int phase = slotInEpoch / linksPerPhase;
        reach.states.up(first, count, phase, slotInEpoch - phase * linksPerPhase, into);
    }

    /** Whether any link is down. */
    public boolean isAnyDown() {
        return reach.states.down() > 0;
    }

    /** Whether what is sent has to be told, see {@link #onSent}. */
    public boolean keepsSent() {
        return sent != null;
    }

    /**
     * Whether nothing is to be done for a cell or an idle one that came over a link but what the stages do; where it
     * is not clear at a glance, false.
     *
     * @param route the word of the cell or of the idle one.
     */
    public boolean isUsual(final int queue, final int node, final long route) {
        return reach.states.isSound(queue)
            && !(reach.isTroubled(node) && Route.isCell(route) && Route.sprays(route) == 0);
    }

    /**
     * Parts the nodes of a block whose next cell of their own is not known to be allowed on their link by failures.
     *
     * @param destinations of those cells.
     * @param asking       1 for a node that asks for such a cell, else 0; 0 for those parted after it.
     * @param apart        gets 1 for those, too.
     */
    public void parted(final int slotInEpoch, final int first, final int count, final int[] destinations,
        final int[] asking, final int[] apart) {
        final int phase = slotInEpoch / linksPerPhase;
        final int link = slotInEpoch - phase * linksPerPhase;
        for (int i = 0; i < count; i++) {
            if (asking[i] != 0 && reach.isTroubled(first + i)
                && !reach.usable(first + i, phase, link, destinations[i], firstSprays)) {
                asking[i] = 0;
                apart[i] = 1;
            }
        }
    }

    /** Whether a link joins nodes that both are there, so that every slot must bring something. */
    public boolean exists(final int queue) {
        return reach.states.state(queue) != LinkStates.ABSENT;
    }

    /** A link brought no valid cell in its slot. */
    public void onMiss(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onMiss(slotInEpoch * nodes + node));
    }

    /** A link brought a probe. */
    public void onProbe(final int node, final int slotInEpoch, final long probe) {
        act(node, slotInEpoch, reach.states.onProbe(slotInEpoch * nodes + node, probe));
    }

    /** A link brought a valid cell; what it says is taken in by other means. */
    public void onCell(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onCell(slotInEpoch * nodes + node));
    }

    /** What the probe says that a down link sends in this slot, -1 if it sends none. */
    public long probe(final int queue) {
        return reach.states.probe(queue);
    }

    /** A whole cell, not at its destination, came over a link that is down. */
    public void takeIn(final int node, final long route, final long cell) {
        detours.takeIn(node, route, cell);
    }

    /** A cell with only direct hops to go came over a link that is up; false if it can go on as usual. */
    public boolean takeInBlocked(final int node, final long route, final long cell) {
        return reach.isTroubled(node) && detours.takeInBlocked(node, route, cell);
    }

    /** Notices rode with a cell that came over a link that is down. */
    public void ignore(final long feedback) {
        noticesIgnored += ((int) feedback != -1 ? 1 : 0) + ((int) (feedback >>> 32) != -1 ? 1 : 0);
    }

    /** A node stops: it loses all it holds and knows. When it starts again all its links are down and probed. */
    public void onNodeDown(final int node) {
        detours.loseAll(node);
        if (tokens != null) {
            for (int queue = node; queue < links * nodes; queue += nodes) {
                tokens.voidLink(queue, node);
            }
        }
        reach.onNodeDown(node);
    }

    /** Notices that came over links that are down. */
    public long noticesIgnored() {
        return noticesIgnored;
    }

    @Override
    public boolean eligible(final int queue, final long entry) {
        return admission.eligible(queue, entry);
    }

    /** Of cells that start here only those may ask that failures do not hinder. */
    @Override
    public void trySpend(final int link, final int first, final int count, final int[] oldest, final int[] waiting,
        final int[] destinations, final int[] local, final int[] paid) {
        admission.trySpend(link, first, count, oldest, waiting, destinations, local, paid);
    }

    @Override
    public void onForward(final CellBatch cells) {
        int owing = 0;
        for (int i = 0; i < cells.count(); i++) {
            owing += Route.owes(cells.word()[i]) ? 1 : 0;
        }
        if (owing == cells.count()) {
            admission.onForward(cells);
        } else {
            Admission.super.onForward(cells);
        }
    }

    @Override
    public void onEnqueue(final int first, final CellBatch joined) {
        admission.onEnqueue(first, joined);
    }

    /** Over a link that is down nothing is owed, and there is nothing to tell. */
    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        if (reach.notices.areEmpty(firstQueue, count)) {
            admission.takeFeedback(firstQueue, count, into);
        } else {
            Admission.super.takeFeedback(firstQueue, count, into);
        }
        assert areSilent(firstQueue, count, into);
    }

    private boolean areSilent(final int firstQueue, final int count, final long[] feedback) {
        for (int i = 0; i < count; i++) {
            assert isUp(firstQueue + i) || feedback[i] == InFlightCells.NO_FEEDBACK : "queue=" + (firstQueue + i);
        }
        return true;
    }

    @Override
    public void onDequeue(final int queue, final long entry) {
        admission.onDequeue(queue, entry);
    }

    @Override
    public void onForward(final int node, final long entry) {
        if (Route.owes(entry)) {
            admission.onForward(node, entry);
        }
    }

    @Override
    public void onEnqueue(final int node, final long entry) {
        admission.onEnqueue(node, entry);
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        if (!reach.isTroubled(node)) {
            return admission.admitLocal(queue, node, destination);
        }
        final int slotInEpoch = queue / nodes;
        final int phase = slotInEpoch / linksPerPhase;
        if (reach.usable(node, phase, slotInEpoch - phase * linksPerPhase, destination, firstSprays)) {
            return admission.admitLocal(queue, node, destination);
        }
        reach.onRefused(node, destination);
        return false;
    }

    @Override
    public long takeFeedback(final int queue) {
        if (reach.notices.isEmpty(queue)) {
            return admission.takeFeedback(queue);
        }
        final int first = reach.notices.poll(queue);
        int second = reach.notices.poll(queue);
        if (second == FailureNotices.NONE && tokens != null) {
            second = tokens.takeToken(queue);
        }
        return (long) second << 32 | first & 0xFFFF_FFFFL;
    }

    @Override
    public void onFeedback(final int link, final int first, final int count, final long[] feedback) {
        int others = 0;
        for (int i = 0; i < count; i++) {
            final int tells = FailureNotices.oneIfTells(feedback[i]);
            tokensOnly[i] = feedback[i] | InFlightCells.NO_FEEDBACK * tells;
            told[others] = i;
            others += tells;
        }
        admission.onFeedback(link, first, count, tokensOnly);
        for (int k = 0; k < others; k++) {
            final int i = told[k];
            onNotices(link * nodes + first + i, first + i, feedback[i]);
        }
    }

    private void onNotices(final int queue, final int node, final long feedback) {
        if ((int) feedback != NO_NOTICE) {
            onNotice(queue, node, (int) feedback);
        }
        if ((int) (feedback >>> 32) != NO_NOTICE) {
            onNotice(queue, node, (int) (feedback >>> 32));
        }
    }

    @Override
    public void onNotice(final int queue, final int node, final int notice) {
        if (!reach.states.isUp(queue)) {
            // The other notice of the same cell has put the link down.
            noticesIgnored++;
        } else if (FailureNotices.isToken(notice)) {
            admission.onNotice(queue, node, notice);
        } else if (FailureNotices.isMissing(notice)) {
            onLostOnWay(queue, node);
        } else if (FailureNotices.isLoss(notice)) {
            if (reach.onLost(node, queue, FailureNotices.bucket(notice))) {
                detours.review(node, queue / nodes);
            }
        } else {
            reach.onRegained(node, queue, FailureNotices.bucket(notice));
        }
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return admission.maxActiveBuckets(node);
    }

    /**
     * A cell of ours is missing at the other end of a link. Tokens are restored; if it told of failures, or of a
     * missing cell, the link begins a new life, in which all is told again.
     */
    private void onLostOnWay(final int queue, final int node) {
        final int slotInEpoch = queue / nodes;
        final long lostIn = sent.missing(slot, slotInEpoch);
        final long feedback = sent.feedback(queue, lostIn);
        final int bucket = sent.bucketPlusOne(queue, lostIn) - 1;
        if (bucket >= 0 && tokens != null) {
            tokens.unspend(queue, node, bucket);
        }
        if (FailureNotices.oneIfTells(feedback) == 0) {
            oweAgain(queue, (int) feedback);
            oweAgain(queue, (int) (feedback >>> 32));
        } else {
            reach.states.giveUp(queue);
            act(node, slotInEpoch, LinkStates.WENT_DOWN);
        }
    }

    private void oweAgain(final int queue, final int tokenOrNone) {
        if (tokenOrNone != FailureNotices.NONE) {
            tokens.oweAgain(queue, tokenOrNone);
        }
    }

    private void act(final int node, final int slotInEpoch, final int change) {
        if (change == LinkStates.AS_BEFORE) {
            return;
        }
        if (change == LinkStates.MISSED_ONE) {
            reach.onMissing(node, slotInEpoch * nodes + node);
            return;
        }
        final int phase = slotInEpoch / linksPerPhase;
        final int link = slotInEpoch - phase * linksPerPhase;
        if (change == LinkStates.CAME_UP) {
            reach.onUp(node, phase, link);
            return;
        }
        if (tokens != null) {
            tokens.voidLink(slotInEpoch * nodes + node, node);
        }
        reach.onDown(node, phase, link);
        detours.forget(node, slotInEpoch);
        detours.review(node, slotInEpoch);
    }
}
