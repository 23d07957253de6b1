package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.schedule.SlotShare;

import java.lang.foreign.Arena;

/**
 * What nodes do when a link goes down or comes up, when something on its way got lost, and when a notice arrives
 * (docs/spec/shale.md §8.3 to §8.5). It stands before the admission of congestion control: it keeps cells off links
 * that lead nowhere, and lets notices of failures ride ahead of feedback. One bank, one thread.
 */
public final class LinkFailures implements Admission {
    private final CongestionControl control;
    private final PathReachability reach;
    private final Detours detours;
    private final SlotMath numbers;
    private final int firstSprays;
    private final SentLog sent;
    /** Of a block: feedback without the words that tell of failures, and the nodes that got such a word. */
    private final long[] withoutNotices;
    private final int[] told;
    private int toldCount;
    private long slot;
    private long noticesIgnored;

    /**
     * Nothing has failed.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param control   congestion control.
     * @param reach     what is known of failures.
     * @param detours   what becomes of cells.
     * @param nodes     nodes of the bank.
     */
    public LinkFailures(final Arena arena, final Shale shale, final CongestionControl control,
        final PathReachability reach, final Detours detours, final int nodes) {
        this.control = control;
        this.reach = reach;
        this.detours = detours;
        this.numbers = new SlotMath(shale.schedule(), nodes);
        this.firstSprays = shale.schedule().phases() - 1;
        this.sent = shale.failures().missLimit() > 1 ? new SentLog(arena, shale, nodes) : null;
        this.withoutNotices = new long[CellBatch.block(nodes)];
        this.told = new int[withoutNotices.length + 1];
    }

    /** Off-heap memory of a bank in bytes that failures cost, before the first one. */
    public static long bytes(final Shale shale, final int nodes) {
        return LinkStates.bytes(shale, nodes) + LinkRecords.bytes(shale, nodes)
            + FailureNotices.bytes(shale.schedule().epochSlots() * nodes) + SentLog.bytes(shale, nodes)
            + (long) nodes * EligibilityQueues.QUEUE_BYTES;
    }

    /** Whether half a word of feedback is nothing, a token or a notice that nodes of a fabric can send. */
    public static boolean isNotice(final Shale shale, final int notice) {
        return notice == FailureNotices.NONE || shale.isBucket(FailureNotices.bucket(notice))
            && (FailureNotices.isToken(notice) || FailureNotices.isNotice(notice)
            || FailureNotices.isMissing(notice) && shale.failures().missLimit() > 1);
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

    /** The cells whose path is lost. */
    public Detours detours() {
        return detours;
    }

    /** Whether a link is up. */
    public boolean isUp(final int queue) {
        return reach.states.isUp(queue);
    }

    /** Whether any link is down. */
    public boolean isAnyDown() {
        return reach.states.down() > 0;
    }

    /** Whether {@link #onSent} has to be called. */
    public boolean keepsSent() {
        return sent != null;
    }

    /**
     * Whether the stages alone can handle a cell or an idle one that came over a link; false where that needs a closer
     * look.
     *
     * @param route the word of the cell or of the idle one.
     */
    public boolean isUsual(final int queue, final int node, final long route) {
        return reach.states.isSound(queue)
            && !(reach.isTroubled(node) && Route.isCell(route) && Route.sprays(route) == 0);
    }

    /** Whether a link joins nodes that both are there, so that every slot must bring something. */
    public boolean exists(final int queue) {
        return reach.states.state(queue) != LinkStates.ABSENT;
    }

    /** Which nodes of a block have their link up: 1 for each, else 0. */
    public void up(final int slotInEpoch, final int first, final int count, final int[] into) {
        reach.states.up(first, count, numbers.phase(slotInEpoch), numbers.link(slotInEpoch), into);
    }

    /**
     * Marks nodes whose next local cell failures may block.
     *
     * @param destinations of the next local cell of each node of the block.
     * @param asking       1 for a node that asks to send it, else 0; gets 0 for a hindered node.
     * @param hindered     gets 1 for a hindered node, else stays.
     */
    public void hinder(final int slotInEpoch, final int first, final int count, final int[] destinations,
        final int[] asking, final int[] hindered) {
        final int phase = numbers.phase(slotInEpoch);
        final int link = numbers.link(slotInEpoch);
        for (int i = 0; i < count; i++) {
            if (asking[i] != 0 && reach.isTroubled(first + i)
                && !reach.usable(first + i, phase, link, destinations[i], firstSprays)) {
                asking[i] = 0;
                hindered[i] = 1;
            }
        }
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        if (!reach.isTroubled(node)) {
            return control.admitLocal(queue, node, destination);
        }
        if (reach.usable(node, numbers.phaseOf(queue), numbers.linkOf(queue), destination, firstSprays)) {
            return control.admitLocal(queue, node, destination);
        }
        reach.onRefused(node, destination);
        return false;
    }

    /** Over a link that is down nothing is owed, and there is nothing to tell. */
    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        if (reach.notices.areEmpty(firstQueue, count)) {
            control.takeFeedback(firstQueue, count, into);
        } else {
            Admission.super.takeFeedback(firstQueue, count, into);
        }
        assert areSilent(firstQueue, count, into);
    }

    private boolean areSilent(final int firstQueue, final int count, final long[] feedback) {
        for (int i = 0; i < count; i++) {
            final int queue = firstQueue + i;
            assert reach.states.isUp(queue) || feedback[i] == InFlightCells.NO_FEEDBACK : "queue=" + queue;
        }
        return true;
    }

    @Override
    public long takeFeedback(final int queue) {
        if (reach.notices.isEmpty(queue)) {
            return control.takeFeedback(queue);
        }
        final int first = reach.notices.poll(queue);
        int second = reach.notices.poll(queue);
        if (second == FailureNotices.NONE) {
            second = control.takeNotice(queue);
        }
        return (long) second << 32 | first & 0xFFFF_FFFFL;
    }

    /** A link brought no valid cell in its slot. */
    public void onMiss(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onMiss(numbers.queue(slotInEpoch, node)));
    }

    /** A link brought a probe. */
    public void onProbe(final int node, final int slotInEpoch, final long probe) {
        act(node, slotInEpoch, reach.states.onProbe(numbers.queue(slotInEpoch, node), probe));
    }

    /** A link brought a valid cell, which the stages handle. */
    public void onCell(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onCell(numbers.queue(slotInEpoch, node)));
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
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            control.onLinkDown(queue, node);
        }
        reach.onNodeDown(node);
    }

    /** Notices that came over links that are down, and of a cell that was never sent. */
    public long noticesIgnored() {
        return noticesIgnored;
    }

    /**
     * Lists the nodes of a block that were told of failures, for {@link #onNotices(int, int, long[])}.
     *
     * @param feedback what rode with the cells that arrived.
     * @return the same for congestion control, without the words that tell of failures; good until the next call.
     */
    public long[] withoutNotices(final int count, final long[] feedback) {
        int others = 0;
        for (int i = 0; i < count; i++) {
            final int tells = FailureNotices.oneIfTells(feedback[i]);
            withoutNotices[i] = feedback[i] | InFlightCells.NO_FEEDBACK * tells;
            told[others] = i;
            others += tells;
        }
        toldCount = others;
        return withoutNotices;
    }

    /** Takes in the notices that {@link #withoutNotices} has listed. */
    public void onNotices(final int link, final int first, final long[] feedback) {
        for (int k = 0; k < toldCount; k++) {
            final int i = told[k];
            onNotices(numbers.queue(link, first + i), first + i, feedback[i]);
        }
    }

    private void onNotices(final int queue, final int node, final long feedback) {
        if ((int) feedback != FailureNotices.NONE) {
            onNotice(queue, node, (int) feedback);
        }
        if ((int) (feedback >>> 32) != FailureNotices.NONE) {
            onNotice(queue, node, (int) (feedback >>> 32));
        }
    }

    /** A notice that rode with a cell that arrived, of either kind. */
    void onNotice(final int queue, final int node, final int notice) {
        if (!reach.states.isUp(queue)) {
            // The other notice of the same cell has put the link down.
            noticesIgnored++;
        } else if (FailureNotices.isToken(notice)) {
            control.onNotice(queue, node, notice);
        } else if (FailureNotices.isMissing(notice)) {
            onLostOnWay(queue, node);
        } else if (FailureNotices.isLoss(notice)) {
            if (reach.onLost(node, queue, FailureNotices.bucket(notice))) {
                detours.review(node, numbers.positionOf(queue));
            }
        } else {
            reach.onRegained(node, queue, FailureNotices.bucket(notice));
        }
    }

    /**
     * A cell that this end sent is missing at the other. Tokens are restored. If the cell carried a notice, the link
     * begins a new life, in which everything is reported again.
     */
    private void onLostOnWay(final int queue, final int node) {
        final int slotInEpoch = numbers.positionOf(queue);
        final long lostIn = sent.missing(slot, slotInEpoch);
        if (lostIn < 0) {
            // Nothing had been sent yet.
            noticesIgnored++;
            return;
        }
        final long feedback = sent.feedback(queue, lostIn);
        final int bucket = sent.bucketPlusOne(queue, lostIn) - 1;
        if (bucket >= 0) {
            control.onCellLost(queue, node, bucket);
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
            control.onNoticeLost(queue, tokenOrNone);
        }
    }

    private void act(final int node, final int slotInEpoch, final int change) {
        if (change == LinkStates.AS_BEFORE) {
            return;
        }
        if (change == LinkStates.MISSED_ONE) {
            reach.onMissing(node, numbers.queue(slotInEpoch, node));
            return;
        }
        final int phase = numbers.phase(slotInEpoch);
        final int link = numbers.link(slotInEpoch);
        if (change == LinkStates.CAME_UP) {
            reach.onUp(node, phase, link);
            return;
        }
        control.onLinkDown(numbers.queue(slotInEpoch, node), node);
        reach.onDown(node, phase, link);
        detours.forget(node, slotInEpoch);
        detours.review(node, slotInEpoch);
    }

    /**
     * The cells sent lately on every link, in case the other end reports one as missing: the token a cell cost and the
     * notices that rode along. Kept where a link may miss cells without going down.
     *
     * <pre>
     *   one link: a record for each of the last epochs, round robin
     *   0          8           12    16
     *   +----------+-----------+-----+
     *   | feedback | bucket + 1| pad |    bucket of the token spent; 0: none
     *   +----------+-----------+-----+
     * </pre>
     *
     * A notice of a missing cell leaves with the next cell of its sender. So the missing cell is the last one that
     * could have been handled before: at most two propagation delays and two epochs back. One thread at a time.
     */
    private static final class SentLog {
        private static final int BUCKET = 8;
        private static final int RECORD_BYTES = 16;

        private final int epochSlots;
        private final int epochs;
        private final int propagationSlots;
        private final SlotShare share;
        private final Region region;

        SentLog(final Arena arena, final Shale shale, final int nodes) {
            this.epochSlots = shale.schedule().epochSlots();
            this.propagationSlots = shale.propagationSlots();
            this.share = shale.share();
            this.epochs = epochs(shale);
            this.region = Region.allocate(arena, bytes(shale, nodes));
        }

        /** Memory of a bank in bytes, none if no cell may be missed. */
        static long bytes(final Shale shale, final int nodes) {
            return shale.failures().missLimit() == 1 ? 0
                : (long) shale.schedule().epochSlots() * nodes * epochs(shale) * RECORD_BYTES;
        }

        private static int epochs(final Shale shale) {
            return 2 * shale.propagationSlots() / shale.schedule().epochSlots() + 3;
        }

        /** Notes what a link sent in its slot. */
        void record(final int queue, final long slot, final int bucketPlusOne, final long feedback) {
            final long at = at(queue, share.before(slot));
            region.setLong(at, feedback);
            region.setInt(at + BUCKET, bucketPlusOne);
        }

        /**
         * The slot in which the missing cell was sent, numbered among the own slots of the schedule.
         *
         * @param heardIn     the slot in which the notice was received.
         * @param slotInEpoch position of the link in the epoch.
         */
        long missing(final long heardIn, final int slotInEpoch) {
            final long last = share.before(heardIn - 2L * propagationSlots) - 1;
            return last - Math.floorMod(last - slotInEpoch, epochSlots);
        }

        /** The bucket of the token that a cell cost plus 1, 0 if it cost none. */
        int bucketPlusOne(final int queue, final long own) {
            return region.getInt(at(queue, own) + BUCKET);
        }

        /** The feedback word that rode along. */
        long feedback(final int queue, final long own) {
            return region.getLong(at(queue, own));
        }

        private long at(final int queue, final long own) {
            return ((long) queue * epochs + own / epochSlots % epochs) * RECORD_BYTES;
        }
    }
}
