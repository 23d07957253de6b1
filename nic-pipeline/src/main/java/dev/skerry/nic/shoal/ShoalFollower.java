package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.IntArrayList;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Follows a node of Shoal that somebody else designed. Which of its flows is next, and whether it sends a cell of its
 * own at all, is the device's choice and taken over. What is not legal becomes a {@link Finding}; the follower takes
 * over what the device did as far as it can, and goes on. Findings name a link by the number that {@link ShoalSlotPlan}
 * gives it, and no bucket.
 *
 * <p>When a cell of its own joined a queue nobody sees. It leaves behind the cells that were there before, so what is
 * still there tells the last turn in which it can have joined, and the reports that had come by then must release it
 * (docs/spec/shoal.md §4.2). A report must tell at least the cells of others that wait, and at most the flows besides
 * that may be ready. Not judged: the 2^age rule, and the order of flows.
 *
 * <p>One thread.
 */
public final class ShoalFollower implements Follower {
    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final CellNames names;
    private final int node;
    private final FollowRules rules;
    private final FindingLog log;
    private final int epochSlots;
    private final RelayQueue[] queues;
    private final RelayReports reports;
    private final OwnNumbers numbers;
    /** The node's flows among the first ones; others may come. */
    private final IntArrayList own = new IntArrayList();
    private int known;
    /** By channel, what the node may report in a slot: the cells of others that wait, and flows that may be ready. */
    private final long[] least;
    private final long[] most;
    private long slot;
    private int held;
    /** Of the channel that is sent or received. */
    private int link;
    private Place place;

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param rules what the device may do besides; it may be silent, and has no limits of hardware.
     * @param log   gets the findings; several nodes may have one.
     * @throws IllegalArgumentException if the rule of the fabric is neither exact nor paper-literal, nodes have failed
     *     from the start, or there is no such node.
     */
    public ShoalFollower(final Shoal shoal, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        Bounds.refuseIf(shoal.rule() != ReleaseRule.EXACT && shoal.rule() != ReleaseRule.PAPER_LITERAL
            || shoal.failedNodes() > 0,
            "nodes of Shoal are followed with the rules exact and paper-literal, where all are present: rule=",
            shoal.rule().label(), " failedNodes=", shoal.failedNodes());
        Bounds.refuseIf(!rules.equals(FollowRules.STRICT.with(Setting.SILENCE, rules.get(Setting.SILENCE))),
            "a node of Shoal has no limits of hardware: rules=", rules);
        Bounds.refuseIf(node < 0 || node >= shoal.nodes(), "no such node: node=", node, " nodes=", shoal.nodes());
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.names = names;
        this.node = node;
        this.rules = rules;
        this.log = log;
        this.epochSlots = plan.epochSlots();
        this.queues = new RelayQueue[shoal.nodes() - 1];
        Arrays.setAll(queues, each -> new RelayQueue());
        this.reports = new RelayReports(shoal, plan);
        this.numbers = new OwnNumbers();
        this.least = new long[shoal.channels()];
        this.most = new long[shoal.channels()];
    }

    private void check(final long now, final NodeCells cells) {
        if (now != slot || cells.channels() != least.length) {
            throw new IllegalArgumentException("slots come one after another, with " + least.length
                + " channels: slot=" + now + " next=" + slot + " channels=" + cells.channels());
        }
    }

    @Override
    public long slot() {
        return slot;
    }

    @Override
    public int held() {
        return held;
    }

    /** Cells of others that wait for a link. */
    public int length(final int ofLink) {
        return queues[ofLink].cells.size();
    }

    @Override
    public void refuse(final int channel, final Law law, final String expected, final String seen) {
        turnTo(channel, slot);
        find(law, expected, seen);
    }

    private void find(final Law law, final String expected, final String seen) {
        log.add(new Finding(law, slot, node, link, null, expected, seen));
    }

    private String text(final long cell) {
        return names.text(cell);
    }

    private void turnTo(final int channel, final long ofSlot) {
        place = plan.place(channel, (int) (ofSlot % epochSlots));
        link = place.link;
    }

    /** @throws IllegalArgumentException also if channels are missing. */
    @Override
    public void send(final long now, final NodeCells observed) {
        check(now, observed);
        for (int channel = 0; channel < least.length; channel++) {
            turnTo(channel, slot);
            if (place.sends(node)) {
                final int told = reports.tells(link);
                least[channel] = told == queues.length ? 0 : queues[told].cells.size();
                most[channel] = told == queues.length ? 0 : queues[told].mostLoad();
            }
        }
        for (int channel = 0; channel < least.length; channel++) {
            turnTo(channel, slot);
            final long route = observed.route(channel);
            if (place.sends(node)) {
                // One of the node's own cells may be in the queue, which makes it longer by one.
                queues[link].begin(mostReady(slot / epochSlots + queues[link].cells.size() + 1));
                reports.begin(slot / epochSlots, link);
                sendCell(route, observed.cell(channel));
                checkReport(channel, route, observed.feedback(channel));
            } else if (InFlightCells.isCell(route)) {
                find(Law.SCHEDULE, "no cell where no circuit is", "route 0x" + Long.toHexString(route));
            }
        }
        numbers.findOverdue();
    }

    private void checkReport(final int channel, final long route, final long report) {
        if (route != InFlightCells.SILENCE && (report < least[channel] || report > most[channel])) {
            find(Law.TOKEN, "a report of " + least[channel] + (most[channel] == least[channel] ? ""
                : " to " + most[channel]), "one of " + report);
        }
    }

    /**
     * Most destinations for which a flow may be ready in a turn: Eq. 2 releases its next cell.
     *
     * @param epoch of the turn, and the most cells that may be in the queue.
     */
    private int mostReady(final long epoch) {
        learn();
        final BitSet ready = new BitSet(shoal.nodes());
        for (int i = 0; i < own.size(); i++) {
            final long cell = names.cell(node, own.getInt(i), numbers.next[own.getInt(i)]);
            final int to = names.destination(cell);
            if (!ready.get(to) && names.hasCell(cell, slot) && reports.isReleased(link, to, slot, epoch)) {
                ready.set(to);
            }
        }
        return ready.cardinality();
    }

    /** Flows come one after another; where they are pairs of nodes, no pair is a node with itself. */
    private void learn() {
        for (int flow = known; flow < names.flows() && flow < known + 2; flow++) {
            final long cell = names.cell(node, flow, 0);
            if (names.exists(cell)) {
                known = flow + 1;
                if (names.source(cell) == node) {
                    own.addInt(flow);
                }
            }
        }
    }

    private void sendCell(final long route, final long cell) {
        final RelayQueue queue = queues[link];
        if (!InFlightCells.isCell(route)) {
            if (route == InFlightCells.SILENCE && !rules.is(Setting.SILENCE)) {
                find(Law.SCHEDULE, "a cell or a dummy", "nothing");
            }
            if (queue.cells.size() > 0) {
                find(Law.ORDER, text(queue.cells.peekFirst().cell()),
                    route == InFlightCells.SILENCE ? "nothing" : "a dummy");
            }
        } else if (!names.exists(cell) || ShoalCell.source(route) != names.source(cell)
            || ShoalCell.destination(route) != names.destination(cell)) {
            find(Law.ROUTE, "a cell with the source and destination of its flow", "route 0x" + Long.toHexString(route)
                + " cell 0x" + Long.toHexString(cell));
        } else if (names.source(cell) == node) {
            sendOwn(cell);
        } else {
            sendHeld(cell);
        }
    }

    private void sendOwn(final long cell) {
        final RelayQueue queue = queues[link];
        final int to = names.destination(cell);
        final long epoch = slot / epochSlots;
        final long joined = queue.joinedIn(slot, epochSlots);
        final boolean isNext = numbers.take(cell);
        if (isNext && !names.hasCell(cell, Math.max(joined, 0))) {
            find(Law.CONSERVATION, "no cell that its flow does not have yet", text(cell));
        } else if (isNext && joined < 0) {
            find(Law.ORDER, text(queue.cells.peekFirst().cell()), text(cell));
        } else if (isNext && reports.isAwaited(link, to)) {
            find(Law.TOKEN, "no cell to node " + to + " before the report on the last one", text(cell));
        } else if (isNext && !reports.isReleased(link, to, joined, epoch)) {
            find(Law.TOKEN, "no cell to node " + to + " before epoch " + reports.freeFrom(link, to), text(cell));
        }
        reports.leave(epoch, place, node, to);
        queue.ownLeft = slot;
    }

    /** Other links in whose queues a cell of the node's own may wait. */
    private int elsewhere() {
        int count = 0;
        for (int other = 0; other < queues.length; other++) {
            count += other != link && queues[other].mayHoldOwn() ? 1 : 0;
        }
        return count;
    }

    private void sendHeld(final long cell) {
        final RelayQueue queue = queues[link];
        if (queue.cells.size() > 0 && queue.cells.peekFirst().cell() == cell) {
            queue.cells.removeFirst();
        } else if (queue.remove(cell)) {
            find(Law.ORDER, text(queue.cells.peekFirst().cell()), text(cell));
        } else {
            sendStranger(cell);
            return;
        }
        held--;
    }

    /** A cell that does not wait for the link: it waits for another, or another one was changed to it. */
    private void sendStranger(final long cell) {
        for (int other = 0; other < queues.length; other++) {
            if (queues[other].remove(cell)) {
                find(Law.ROUTE, text(cell) + " on link " + other, "link " + link);
                held--;
                return;
            }
        }
        if (queues[link].cells.size() > 0) {
            find(Law.PAYLOAD, text(queues[link].cells.peekFirst().cell()), text(cell));
            queues[link].cells.removeFirst();
            held--;
        } else {
            find(Law.CONSERVATION, "a cell that is held", text(cell));
        }
    }

    @Override
    public void receive(final NodeCells received, final int joined) {
        check(slot, received);
        final long sentIn = slot - shoal.propagationSlots();
        for (int channel = 0; channel < least.length && sentIn >= 0; channel++) {
            turnTo(channel, sentIn);
            if (place.receives(node)) {
                link = place.linkBack();
                reports.take(slot, sentIn / epochSlots, place, (int) received.feedback(channel));
                reports.join(link, joins(received.route(channel), received.cell(channel)));
            }
        }
        slot++;
    }

    /** A cell that arrives; returns the link of the queue that it joins, the number of links for none. */
    private int joins(final long route, final long cell) {
        final int from = plan.peer(node, link);
        if (!InFlightCells.isCell(route)) {
            return queues.length;
        }
        if (!names.exists(cell) || ShoalCell.destination(route) != names.destination(cell)
            || names.destination(cell) != node && names.source(cell) != from) {
            find(Law.ROUTE, "a cell of node " + from + " or for this node to arrive", "route 0x"
                + Long.toHexString(route) + " cell 0x" + Long.toHexString(cell));
            return queues.length;
        }
        if (names.destination(cell) == node) {
            return queues.length;
        }
        final int towards = plan.linkTo(node, names.destination(cell));
        final RelayQueue queue = queues[towards];
        if (queue.has(cell)) {
            find(Law.CONSERVATION, "each cell to arrive once", text(cell) + " again");
        }
        if (queue.cells.size() >= shoal.nodes() - 1) {
            find(Law.CAPACITY, "at most " + (shoal.nodes() - 1) + " cells to wait for node "
                + names.destination(cell), "one more");
        }
        queue.cells.add(new RelayQueue.Waiting(cell, slot));
        held++;
        return towards;
    }

    /**
     * The sequence numbers of a followed node's own cells where they wait in several queues, as with Shoal: a cell has
     * its number when it joins a queue, so a number may be skipped while its cell waits elsewhere. It leaves once, and
     * soon. One thread.
     */
    private final class OwnNumbers {
        /** Slots in which a skipped number has left: no queue is longer. */
        private final long soon = (long) shoal.nodes() * (epochSlots + 1);
        /** By flow, one more than the largest number that has left: the first not known to have joined a queue. */
        private final long[] next = new long[names.flows()];
        /** Words of cells whose numbers were skipped, and the slot in which that was seen. */
        private final Map<Long, Long> skipped = new HashMap<>();
        /** By flow and link, the largest number that has left there. */
        private final Map<Long, Long> last = new HashMap<>();

        /** Takes in a cell that leaves; returns whether nothing is wrong with its number. */
        boolean take(final long cell) {
            final int flow = names.flow(cell);
            final long number = names.sequence(cell);
            final long ahead = number - next[flow] & names.sequences() - 1;
            if (ahead >= names.sequences() / 2) {
                return isBehind(cell);
            }
            final long expected = next[flow];
            next[flow] = number + 1 & names.sequences() - 1;
            last.put((long) flow * queues.length + link, number);
            if (skipped.size() + ahead > elsewhere()) {
                find(Law.ORDER, "seq " + expected, text(cell));
                return false;
            }
            for (long each = 0; each < ahead; each++) {
                skipped.put(names.cell(names.source(cell), flow, expected + each & names.sequences() - 1), slot);
            }
            return true;
        }

        private boolean isBehind(final long cell) {
            final int flow = names.flow(cell);
            if (skipped.remove(cell) == null) {
                find(Law.CONSERVATION, "seq " + next[flow], text(cell) + ", which left before");
                return false;
            }
            final Long before = last.put((long) flow * queues.length + link, (long) names.sequence(cell));
            if (before == null || (names.sequence(cell) - before & names.sequences() - 1) < names.sequences() / 2) {
                return true;
            }
            find(Law.ORDER, "a number above " + before + " on this link", text(cell));
            return false;
        }

        /** Finds a skipped number that should have left by now, and forgets it. */
        void findOverdue() {
            for (final Iterator<Map.Entry<Long, Long>> all = skipped.entrySet().iterator(); all.hasNext();) {
                final Map.Entry<Long, Long> each = all.next();
                if (slot - each.getValue() > soon) {
                    all.remove();
                    find(Law.CONSERVATION, text(each.getKey()) + " to leave within " + soon + " slots", "it does not");
                    return;
                }
            }
        }
    }

    /**
     * The cells of others that a followed node of Shoal has for one neighbour, oldest first. A cell of its own is among
     * them from a turn on that nobody sees, until it leaves. One thread.
     */
    private static final class RelayQueue {
        private final ArrayDeque<Waiting> cells = new ArrayDeque<>();
        /** Slot in which an own cell left last; the next one joins later. */
        private long ownLeft = -1;
        /** Cells at the start of the last turn, and most flows that were ready in it. */
        private int atTurn;
        private int readyAtTurn;

        /**
         * A cell.
         *
         * @param cell    its word.
         * @param arrived slot in which it came, after the sending of that slot.
         */
        record Waiting(long cell, long arrived) {
        }

        boolean has(final long cell) {
            return cells.stream().anyMatch(each -> each.cell == cell);
        }

        /** Takes a cell out of turn; false if it is not here. */
        boolean remove(final long cell) {
            for (final Iterator<Waiting> all = cells.iterator(); all.hasNext();) {
                if (all.next().cell == cell) {
                    all.remove();
                    return true;
                }
            }
            return false;
        }

        /**
         * A turn begins.
         *
         * @param ready most flows that are ready in it.
         */
        void begin(final int ready) {
            atTurn = cells.size();
            readyAtTurn = ready;
        }

        /** The most that a report of it may tell: flows that were ready in the last turn, too, and an own cell. */
        int mostLoad() {
            return cells.size() + readyAtTurn + (mayHoldOwn() ? 1 : 0);
        }

        /** Whether an own cell may wait here: behind a cell of another node, which left at most a turn ago. */
        boolean mayHoldOwn() {
            return atTurn > 0 || !cells.isEmpty();
        }

        /**
         * The last turn in which an own cell that leaves now may have joined: before the oldest cell still here came.
         *
         * @param epochSlots slots from one turn to the next.
         * @return its slot; -1 if there is no such turn since the last own cell left, so that the oldest cell is before
         * it.
         */
        long joinedIn(final long now, final int epochSlots) {
            long joined = now;
            if (!cells.isEmpty()) {
                final long later = now - cells.peekFirst().arrived + epochSlots - 1;
                joined -= later / epochSlots * epochSlots;
            }
            return joined > ownLeft ? joined : -1;
        }
    }

    /**
     * What a followed node of Shoal knows by reports: for each relay and destination, from which epoch its next cell
     * may go (Eq. 2, docs/spec/shoal.md §4.2, §4.5); and which of its own queues it has to tell of. What is seen on
     * links decides all of it. One thread.
     */
    private static final class RelayReports {
        private static final int NONE = SentCells.NONE;

        private final int nodes;
        private final int kept;
        /**
         * By epoch modulo those kept, then link: the own cell sent, as an entry of {@link SentCells} by destination.
         */
        private final int[] sent;
        /** By link and destination: what reports have said since the last cell left, null while none has. */
        private final List<List<Release>> releases = new ArrayList<>();
        private final JoinedQueues joined;
        /** Destination of the own cell sent in this slot. */
        private int justSent = NONE;

        /**
         * A report has come.
         *
         * @param slot     in which it came; from the next one on it counts.
         * @param freeFrom epoch from which an empty queue would do.
         */
        private record Release(long slot, long freeFrom) {
            private static final Release FIRST = new Release(-1, Long.MIN_VALUE);
        }

        RelayReports(final Shoal shoal, final ShoalSlotPlan plan) {
            this.nodes = shoal.nodes();
            this.kept = plan.sentEpochs() + 1;
            this.sent = new int[kept * (nodes - 1)];
            Arrays.fill(sent, NONE);
            for (int i = 0; i < (nodes - 1) * nodes; i++) {
                releases.add(new ArrayList<>(List.of(Release.FIRST)));
            }
            this.joined = new JoinedQueues(Arena.ofAuto(), 1, nodes - 1);
        }

        private int at(final long epoch, final int link) {
            return (int) Math.floorMod(epoch, (long) kept) * (nodes - 1) + link;
        }

        private int about(final long epoch, final int link) {
            return epoch < 0 ? NONE : sent[at(epoch, link)];
        }

        /** A turn on a link begins: no own cell has been sent in it. */
        void begin(final long epoch, final int link) {
            sent[at(epoch, link)] = NONE;
            justSent = NONE;
        }

        /** An own cell leaves in a place of the epoch. */
        void leave(final long epoch, final Place place, final int node, final int destination) {
            sent[at(epoch, place.link)] = SentCells.entry(destination, place.services(node, destination));
            releases.get(of(place.link, destination)).clear();
            justSent = destination;
        }

        private int of(final int link, final int destination) {
            return link * nodes + destination;
        }

        /** Whether the last cell to a destination by a link has no report yet. */
        boolean isAwaited(final int link, final int destination) {
            return releases.get(of(link, destination)).isEmpty();
        }

        /**
         * Whether Eq. 2 releases a cell.
         *
         * @param before slot of the turn in which it joins the queue: reports that came earlier count.
         * @param epoch  of that turn, and the cells that are in the queue then: their sum is the epoch in which it
         * leaves.
         */
        boolean isReleased(final int link, final int destination, final long before, final long epoch) {
            return releases.get(of(link, destination)).stream()
                .anyMatch(release -> release.slot < before && release.freeFrom <= epoch);
        }

        /** From which epoch the next cell may go, as the last report says. */
        long freeFrom(final int link, final int destination) {
            return releases.get(of(link, destination)).getLast().freeFrom;
        }

        /** The link of the queue that a node tells of on a link; the number of links for none. */
        int tells(final int link) {
            return joined.latest(link, 0);
        }

        /** A cell came over a link and joined a queue, or none: the number of links. */
        void join(final int linkBack, final int towards) {
            joined.note(linkBack, 0, towards);
        }

        /**
         * A report has come that was sent in a place of an epoch.
         *
         * @param slot in which it came.
         */
        void take(final long slot, final long epoch, final Place place, final int report) {
            final int link = place.linkBack();
            final long next = epoch + place.nextAhead;
            final long acknowledged = epoch - place.acknowledgedBack;
            if (place.simultaneous) {
                arrived(slot, about(next - 1, link), link, next);
            }
            final int last = about(acknowledged, link);
            arrived(slot, last, link, next);
            final int entry = SentCells.joins(last) ? last : earlier(acknowledged, link);
            if (entry != NONE) {
                // With both sides in one slot, the report is on the queue before the cell just sent joins it.
                final boolean unseen = place.simultaneous && justSent == SentCells.flow(entry);
                release(slot, entry, link, next, report + (unseen ? 1 : 0), SentCells.joins(last) || unseen);
            }
        }

        /** A cell at its destination waits for nobody. */
        private void arrived(final long slot, final int entry, final int link, final long next) {
            if (entry != NONE && !SentCells.joins(entry)) {
                release(slot, entry, link, next, 0, true);
            }
        }

        /** The cell that a report is about if the last one joined no queue. */
        private int earlier(final long acknowledged, final int link) {
            final int before = about(acknowledged - 1, link);
            if (SentCells.joins(before)) {
                return before;
            }
            final int third = about(acknowledged - 3, link);
            return SentCells.joins(about(acknowledged - 2, link)) && SentCells.joins(third) ? third : NONE;
        }

        /** @param awaited whether it may be the report that the flow waits for; else that is one on a later cell. */
        private void release(final long slot, final int entry, final int link, final long next, final int report,
            final boolean awaited) {
            final List<Release> all = releases.get(of(link, SentCells.flow(entry)));
            if (awaited || !all.isEmpty()) {
                all.add(new Release(slot, next + Math.max(0, report - SentCells.services(entry))));
            }
        }
    }
}
