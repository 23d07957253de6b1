package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.Spray.IdleLinks;
import dev.skerry.schedule.Phased;

import java.lang.foreign.Arena;

/**
 * Behaviour of nodes when a link goes down or comes up, when something was lost on its way, and when a notice arrives
 * (docs/spec/shale.md §8.3 to §8.5). It takes precedence over the admission of congestion control: it keeps cells off
 * links that lead nowhere, and sends failure notices before other feedback.
 *
 * <p>Of the cells whose path is lost, a cell before its last hop is dropped, a cell before another direct hop starts a
 * new path at the node that holds it, and a cell before a spraying hop moves to another link of its phase. A cell that
 * starts a new path waits in its node's restart queue for any link that it may take as a first hop, and holds no bucket
 * meanwhile: the token that it owes is returned immediately, so no bucket ever waits for a restart. One bank, one
 * thread.
 */
public final class LinkFailures implements Admission {
    private static final int USE_SPRAY_AGAIN = 2;

    private final Phased schedule;
    private final int firstNode;
    private final boolean resprayLastHop;
    private final long seed;
    private final QueueBank queues;
    private final ShaleRouter router;
    private final CongestionControl control;
    private final PathReachability reach;
    private final SlotMath numbers;
    private final int firstSprays;
    private final SentLog sent;
    private final DroppedCells drops;
    private final EligibilityQueues restarts;
    /** Number of choices made by each node; the counter of its random numbers. */
    private final int[] choices;
    private final Eligibility mayStart = this::mayStart;
    /** Position in the epoch of the link for which {@link #pollRestart} is called. */
    private int starting;
    /** Number of cells that started a new path, and that moved to another link of their phase. */
    private long restarted;
    private long moved;
    /** For a block: feedback without failure notices, and the nodes that received such notices. */
    private final long[] withoutNotices;
    private final int[] withNotices;
    private int noticeCount;
    private long slot;
    /** Number of notices that arrived over links that are down, or concerned a cell that was never sent. */
    private long noticesIgnored;

    /**
     * Creates the state without failures.
     *
     * @param arena     owner of the memory.
     * @param shale     the fabric.
     * @param firstNode id of the bank's first node.
     * @param nodes     number of nodes of the bank.
     * @param pool      overflow of the bank.
     * @param queues    queues of its cells.
     * @param reach     knowledge of failures.
     */
    public LinkFailures(final Arena arena, final Shale shale, final int firstNode, final int nodes,
        final SpillPool pool, final QueueBank queues, final PathReachability reach) {
        this.schedule = shale.schedule();
        this.firstNode = firstNode;
        this.resprayLastHop = shale.failures().resprayLastHop();
        this.seed = shale.seed();
        this.queues = queues;
        this.router = queues.router;
        this.control = queues.control;
        this.drops = queues.drops;
        this.reach = reach;
        this.numbers = new SlotMath(schedule, nodes);
        this.firstSprays = schedule.phases() - 1;
        this.sent = shale.failures().missLimit() > 1 ? new SentLog(arena, shale, nodes) : null;
        this.restarts = new EligibilityQueues(arena, nodes, pool);
        this.choices = new int[nodes];
        this.withoutNotices = new long[CellBatch.block(nodes)];
        this.withNotices = new int[withoutNotices.length + 1];
    }

    /** Off-heap memory of a bank for failure handling in bytes, before the first failure. */
    public static long bytes(final Shale shale, final int nodes) {
        return LinkStates.bytes(shale, nodes) + IdleLinks.bytes(shale, nodes)
            + FailureNotices.bytes(shale.schedule().epochSlots() * nodes) + SentLog.bytes(shale, nodes)
            + (long) nodes * EligibilityQueues.QUEUE_BYTES;
    }

    /** Whether half a feedback word is empty, or a token or notice that nodes of a fabric can send. */
    public static boolean isNotice(final Shale shale, final int notice) {
        return notice == FailureNotices.NONE || shale.isBucket(FailureNotices.bucket(notice))
            && (FailureNotices.isToken(notice) || FailureNotices.isNotice(notice)
            || FailureNotices.isMissing(notice) && shale.failures().missLimit() > 1);
    }

    /** Advances to a slot. */
    public void turnTo(final long to) {
        slot = to;
    }

    /**
     * Called when a slot was sent on a link.
     *
     * @param route    the word of its cell, or the mark in its place.
     * @param peer     the node at the other end.
     * @param feedback feedback that accompanied it.
     */
    public void onSent(final int queue, final long route, final int peer, final long feedback) {
        if (sent != null) {
            sent.record(queue, slot, Route.isCell(route) && Route.destination(route) != peer ? Route.bucket(route) + 1
                : 0, feedback);
        }
    }

    /** Knowledge of failures. */
    public PathReachability reach() {
        return reach;
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
     * Whether the stages can handle a cell or an idle cell that arrived over a link; false if it requires failure
     * handling.
     *
     * @param route the route word of the cell or idle cell.
     */
    public boolean isUsual(final int queue, final int node, final long route) {
        return reach.states.isSound(queue)
            && !(reach.isTroubled(node) && Route.isCell(route) && Route.sprays(route) == 0);
    }

    /** Whether a link connects present nodes, so that something must arrive in every slot. */
    public boolean exists(final int queue) {
        return reach.states.state(queue) != LinkStates.ABSENT;
    }

    /** Sets 1 for the nodes of a block whose link is up, else 0. */
    public void up(final int slotInEpoch, final int first, final int count, final int[] into) {
        reach.states.up(first, count, numbers.phase(slotInEpoch), numbers.link(slotInEpoch), into);
    }

    /**
     * Marks nodes whose next local cell may be blocked by failures.
     *
     * @param destinations destinations of the next local cell of each node of the block.
     * @param asking       1 for a node that requests to send it, else 0; receives 0 for a hindered node.
     * @param hindered     receives 1 for a hindered node, otherwise unchanged.
     */
    public void hinder(final int slotInEpoch, final int first, final int count, final int[] destinations,
        final int[] asking, final int[] hindered) {
        for (int i = 0; i < count; i++) {
            if (asking[i] != 0 && reach.isTroubled(first + i)
                && !reach.usable(numbers.queue(slotInEpoch, first + i), destinations[i], firstSprays)) {
                asking[i] = 0;
                hindered[i] = 1;
            }
        }
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        if (!reach.isTroubled(node) || reach.usable(queue, destination, firstSprays)) {
            return control.admitLocal(queue, node, destination);
        }
        reach.onRefused(node, destination);
        return false;
    }

    /** {@inheritDoc} A link that is down has nothing owed and no notices. */
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

    /** Called when a link brought no valid cell in its slot. */
    public void onMiss(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onMiss(numbers.queue(slotInEpoch, node)));
    }

    /** Called when a link brought a probe. */
    public void onProbe(final int node, final int slotInEpoch, final long probe) {
        act(node, slotInEpoch, reach.states.onProbe(numbers.queue(slotInEpoch, node), probe));
    }

    /** Called when a link brought a valid cell, which the stages handle. */
    public void onCell(final int node, final int slotInEpoch) {
        act(node, slotInEpoch, reach.states.onCell(numbers.queue(slotInEpoch, node)));
    }

    /** Content of the probe that a down link sends in this slot, -1 if it sends none. */
    public long probe(final int queue) {
        return reach.states.probe(queue);
    }

    /** Counts notices that accompanied a cell over a link that is down. */
    public void ignore(final long feedback) {
        noticesIgnored += ((int) feedback != -1 ? 1 : 0) + ((int) (feedback >>> 32) != -1 ? 1 : 0);
    }

    /**
     * Called when a node stops: it loses all its cells and state. When it starts again, all its links are down and
     * probed.
     */
    public void onNodeDown(final int node) {
        loseAll(node);
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            control.onLinkDown(queue, node);
        }
        reach.onNodeDown(node);
    }

    /** Value of a counter; 0 if it is not counted here. */
    public long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_RESTARTED -> restarted;
            case CELLS_MOVED -> moved;
            case NEIGHBOURS_DOWN -> reach.states.wentDown;
            case NEIGHBOURS_UP -> reach.states.cameUp;
            case NOTICES_IGNORED -> noticesIgnored + reach.errors();
            case DESTINATIONS_UNREACHABLE -> reach.unreachableReports();
            default -> 0;
        };
    }

    /**
     * Lists the nodes of a block that received failure notices, for {@link #onNotices(int, int, long[])}.
     *
     * @param feedback feedback of the arrived cells.
     * @return the feedback for congestion control, without failure notices; valid until the next call.
     */
    public long[] withoutNotices(final int count, final long[] feedback) {
        int others = 0;
        for (int i = 0; i < count; i++) {
            final int isNotice = FailureNotices.oneIfNotice(feedback[i]);
            withoutNotices[i] = feedback[i] | InFlightCells.NO_FEEDBACK * isNotice;
            withNotices[others] = i;
            others += isNotice;
        }
        noticeCount = others;
        return withoutNotices;
    }

    /** Handles the notices that {@link #withoutNotices} has listed. */
    public void onNotices(final int link, final int first, final long[] feedback) {
        for (int k = 0; k < noticeCount; k++) {
            final int i = withNotices[k];
            onNotice(numbers.queue(link, first + i), first + i, (int) feedback[i]);
            onNotice(numbers.queue(link, first + i), first + i, (int) (feedback[i] >>> 32));
        }
    }

    /** Handles a notice of either kind, or none, that accompanied an arrived cell. */
    void onNotice(final int queue, final int node, final int notice) {
        if (notice == FailureNotices.NONE) {
            return;
        }
        if (!reach.states.isUp(queue)) {
            // The other notice of the same cell has taken the link down.
            noticesIgnored++;
        } else if (FailureNotices.isToken(notice)) {
            control.onNotice(queue, node, notice);
        } else if (FailureNotices.isMissing(notice)) {
            onLostOnWay(queue, node);
        } else if (FailureNotices.isLoss(notice)) {
            if (reach.onLost(node, queue, FailureNotices.bucket(notice))) {
                review(node, numbers.positionOf(queue));
            }
        } else {
            reach.onRegained(node, queue, FailureNotices.bucket(notice));
        }
    }

    /**
     * Handles the report that a cell sent by this end is missing at the other. Tokens are restored. If the cell carried
     * a notice, the link starts a new life, in which everything is reported again.
     */
    private void onLostOnWay(final int queue, final int node) {
        final int slotInEpoch = numbers.positionOf(queue);
        final long lostIn = sent.missing(slot, slotInEpoch);
        if (lostIn < 0) {
            // No cell had been sent yet.
            noticesIgnored++;
            return;
        }
        final long feedback = sent.feedback(queue, lostIn);
        final int bucket = sent.bucketPlusOne(queue, lostIn) - 1;
        if (bucket >= 0) {
            control.onCellLost(queue, node, bucket);
        }
        if (FailureNotices.oneIfNotice(feedback) == 0) {
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
        final int queue = numbers.queue(slotInEpoch, node);
        if (change == LinkStates.MISSED_ONE) {
            reach.onMissing(queue);
        } else if (change == LinkStates.CAME_UP) {
            reach.onUp(node, queue);
        } else {
            control.onLinkDown(queue, node);
            reach.onDown(node, queue);
            forget(node, slotInEpoch);
            review(node, slotInEpoch);
        }
    }

    /** Number of cells of a node that wait for a restart. */
    public int waiting(final int node) {
        return restarts.length(node);
    }

    /**
     * Marks the nodes of a block that hold such cells.
     *
     * @param asking   1 for a node that may start a cell, else 0; receives 0 for a node with a restart.
     * @param hindered receives 1 for a node with a restart, else 0.
     */
    public void hinderByRestarts(final int first, final int count, final int[] asking, final int[] hindered) {
        for (int i = 0; i < count; i++) {
            hindered[i] = asking[i] & Branchless.ifPositive(restarts.length(first + i));
        }
        for (int i = 0; i < count; i++) {
            asking[i] ^= hindered[i];
        }
    }

    /**
     * Removes the first restart that may leave over a link and spends its cost; {@link #route()} and {@link #cell()}
     * then describe it.
     */
    public boolean pollRestart(final int node, final int slotInEpoch) {
        if (restarts.length(node) == 0) {
            return false;
        }
        starting = slotInEpoch;
        if (!restarts.dequeue(node, mayStart)) {
            return false;
        }
        final int destination = Route.destination(restarts.entry());
        if (destination != schedule.peerOf(firstNode + node, slotInEpoch)) {
            final boolean admitted = control.admitLocal(numbers.queue(slotInEpoch, node), node, destination);
            assert admitted : "node=" + node + " slotInEpoch=" + slotInEpoch;
        }
        queues.release(node);
        return true;
    }

    /** The in-flight word of the restart polled last. */
    public long route() {
        return restarts.entry();
    }

    /** The cell of the restart polled last. */
    public long cell() {
        return restarts.payload();
    }

    /**
     * Accepts an undamaged cell, not at its destination, that arrived over a link that is abandoned. No token is owed
     * for it.
     */
    public void takeIn(final int node, final long route, final long cell) {
        final int id = firstNode + node;
        final int next = Route.sprays(route) > 0 ? router.spray(id, node, route) : router.direct(id, route);
        final long entry = Route.owingNothing(router.entry());
        if (next == ShaleRouter.NO_LINK) {
            drops.onDrop(node, cell, NicCounter.DROPPED_NO_LINK);
        } else if (isUsable(node, next, entry)) {
            queues.enqueue(node, next, entry, cell);
        } else {
            divert(node, next, entry, cell);
        }
    }

    /**
     * Accepts a cell with only direct hops left if the link that it must take next is not usable.
     *
     * @return false if the link is usable; nothing is done then.
     */
    public boolean takeInBlocked(final int node, final long route, final long cell) {
        if (!reach.isTroubled(node)) {
            return false;
        }
        final int next = router.direct(firstNode + node, route);
        final long entry = router.entry();
        if (isUsable(node, next, entry)) {
            return false;
        }
        divert(node, next, entry, cell);
        return true;
    }

    /**
     * Moves every cell off a link that has become unusable for it, and drops restarts that cannot reach their
     * destination.
     */
    private void review(final int node, final int slotInEpoch) {
        queues.remove(node, slotInEpoch, (queue, entry) -> isUsable(node, slotInEpoch, entry), (entry, cell) -> {
            if (Route.came(entry) > 0 && (resprayLastHop || !Route.isFinal(entry))) {
                sprayAgain(node, numbers.phase(slotInEpoch), entry, cell);
            } else {
                divert(node, slotInEpoch, entry, cell);
            }
        });
        dropUnreachable(node);
    }

    /** Cancels the tokens that cells of a node owe over a link that has failed. */
    private void forget(final int node, final int slotInEpoch) {
        for (int queue = node; queue < numbers.queues(); queue += numbers.step()) {
            queues.queues().rewrite(queue,
                entry -> Route.owedLink(entry) == slotInEpoch ? Route.owingNothing(entry) : entry);
        }
    }

    /** Drops all cells that a node holds. */
    private void loseAll(final int node) {
        for (int slotInEpoch = 0; slotInEpoch < schedule.epochSlots(); slotInEpoch++) {
            queues.remove(node, slotInEpoch, (queue, entry) -> false,
                (entry, cell) -> drops.onDrop(node, cell, NicCounter.DROPPED_NODE_DOWN));
        }
        while (restarts.dequeue(node, Eligibility.ALWAYS)) {
            queues.release(node);
            drops.onDrop(node, restarts.payload(), NicCounter.DROPPED_NODE_DOWN);
        }
    }

    private boolean mayStart(final int node, final long entry) {
        final int destination = Route.destination(entry);
        final int queue = numbers.queue(starting, node);
        return destination == schedule.peerOf(firstNode + node, starting)
            || reach.usable(queue, destination, firstSprays) && control.canStart(queue, destination);
    }

    private boolean isUsable(final int node, final int slotInEpoch, final long entry) {
        return reach.usable(numbers.queue(slotInEpoch, node), Route.destination(entry), Route.sprays(entry));
    }

    /** Handles a cell that cannot take its direct hop and is in no queue: it starts a new path, or is lost. */
    private void divert(final int node, final int slotInEpoch, final long entry, final long cell) {
        queues.owe(node, entry);
        final int destination = Route.destination(entry);
        final int queue = numbers.queue(slotInEpoch, node);
        final boolean lastHop = Route.isFinal(entry) || reach.states.isUp(queue)
            && reach.lastHopFailed(queue, destination);
        if (lastHop && !resprayLastHop) {
            drops.onDrop(node, cell, NicCounter.DROPPED_LAST_HOP);
        } else if (reach.isUnreachable(node, destination)) {
            drops.onDrop(node, cell, NicCounter.DROPPED_UNREACHABLE);
        } else {
            restarts.enqueue(node, Route.restarted(entry, firstSprays), cell);
            queues.hold(node);
            restarted++;
        }
    }

    private void sprayAgain(final int node, final int ofPhase, final long entry, final long cell) {
        final int id = firstNode + node;
        final int destination = Route.destination(entry);
        final int next = router.sprayAgain(id, node, ofPhase, destination, Route.sprays(entry),
            CounterRandom.bits(seed, id, choices[node]++, USE_SPRAY_AGAIN));
        if (next == ShaleRouter.NO_LINK) {
            queues.owe(node, entry);
            drops.onDrop(node, cell, NicCounter.DROPPED_NO_LINK);
        } else {
            final boolean last = schedule.peerOf(id, next) == destination;
            queues.enqueue(node, next, Route.moved(entry, last), cell);
            moved++;
        }
    }

    private void dropUnreachable(final int node) {
        for (int left = restarts.length(node); left > 0; left--) {
            restarts.dequeue(node, Eligibility.ALWAYS);
            if (reach.isUnreachable(node, Route.destination(restarts.entry()))) {
                queues.release(node);
                drops.onDrop(node, restarts.payload(), NicCounter.DROPPED_UNREACHABLE);
            } else {
                restarts.enqueue(node, restarts.entry(), restarts.payload());
            }
        }
    }

    /**
     * The cells recently sent on every link, in case the other end reports one as missing: the token that a cell cost
     * and the notices that accompanied it. Kept if a link may miss cells without going down.
     *
     * <pre>
     *   one link: a record for each of the last epochs, round robin
     *   0          8           12    16
     *   +----------+-----------+-----+
     *   | feedback | bucket + 1| pad |    bucket of the token spent; 0: none
     *   +----------+-----------+-----+
     * </pre>
     *
     * A notice of a missing cell leaves with the next cell of its sender. The missing cell is therefore the last one
     * that could have been handled before: at most two propagation delays and two epochs earlier. One thread at a time.
     */
    private static final class SentLog {
        private static final int BUCKET = 8;
        private static final int RECORD_BYTES = 16;

        private final Shale shale;
        private final int epochSlots;
        private final int epochs;
        private final Region region;

        SentLog(final Arena arena, final Shale shale, final int nodes) {
            this.shale = shale;
            this.epochSlots = shale.schedule().epochSlots();
            this.epochs = epochs(shale);
            this.region = Region.allocate(arena, bytes(shale, nodes));
        }

        /** Memory of a bank in bytes, 0 if no cell may be missed. */
        static long bytes(final Shale shale, final int nodes) {
            return shale.failures().missLimit() == 1 ? 0
                : (long) shale.schedule().epochSlots() * nodes * epochs(shale) * RECORD_BYTES;
        }

        private static int epochs(final Shale shale) {
            return 2 * shale.propagationSlots() / shale.schedule().epochSlots() + 3;
        }

        /** Records what a link sent in its slot. */
        void record(final int queue, final long slot, final int bucketPlusOne, final long feedback) {
            final long at = at(queue, shale.share().before(slot));
            region.setLong(at, feedback);
            region.setInt(at + BUCKET, bucketPlusOne);
        }

        /**
         * The slot in which the missing cell was sent, numbered among the schedule's own slots.
         *
         * @param heardIn     the slot in which the notice was received.
         * @param slotInEpoch position of the link in the epoch.
         */
        long missing(final long heardIn, final int slotInEpoch) {
            final long last = shale.share().before(heardIn - 2L * shale.propagationSlots()) - 1;
            return last - Math.floorMod(last - slotInEpoch, epochSlots);
        }

        /** The bucket, plus 1, of the token that a cell cost; 0 if it cost no token. */
        int bucketPlusOne(final int queue, final long own) {
            return region.getInt(at(queue, own) + BUCKET);
        }

        /** The feedback word that accompanied the cell. */
        long feedback(final int queue, final long own) {
            return region.getLong(at(queue, own));
        }

        private long at(final int queue, final long own) {
            return ((long) queue * epochs + own / epochSlots % epochs) * RECORD_BYTES;
        }
    }
}
