package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
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
 * Follows a Shoal node of another design. The device chooses which of its flows is next, and whether it sends a local
 * cell at all; the follower adopts these choices. Illegal behaviour becomes a {@link Finding}; the follower adopts what
 * the device did as far as possible, and continues. Findings name a link by its number in {@link ShoalSlotPlan}, and no
 * bucket.
 *
 * <p>When a local cell joined its queue cannot be observed. When it leaves, all cells that were in the queue before it
 * have left, so the remaining cells give the last turn in which it can have joined; reports received by then must
 * release it (docs/spec/shoal.md §4.2). A report must be at least the number of waiting forwarded cells, and at most
 * that plus the number of flows that may be ready. The 2^age rule and the order of flows are not checked.
 *
 * <p>Not thread-safe.
 */
public final class ShoalFollower extends FollowedShoalNode {
    private final FollowRules rules;
    private final RelayQueue[] queues;
    private final RelayReports reports;
    private final OwnNumbers numbers;
    /** Flows of the node among the first {@link #known} flows; more may follow. */
    private final IntArrayList own = new IntArrayList();
    private int known;
    /**
     * Bounds of the node's report in a slot, by channel: the number of waiting forwarded cells, and that plus the flows
     * that may be ready.
     */
    private final long[] least;
    private final long[] most;

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param rules what the device may do in addition: it may be silent; hardware limits are not supported.
     * @param log   receives the findings; several nodes may share one.
     * @throws IllegalArgumentException if the rule of the fabric is neither exact nor paper-literal, nodes have failed
     *                                  from the start, or there is no such node.
     */
    public ShoalFollower(final Shoal shoal, final CellNames names, final int node, final FollowRules rules,
        final FindingLog log) {
        super(shoal, names, node, log);
        Bounds.refuseIf(!rules.equals(FollowRules.STRICT.with(Setting.SILENCE, rules.get(Setting.SILENCE))),
            "a node of Shoal has no limits of hardware: rules=", rules);
        this.rules = rules;
        this.queues = new RelayQueue[links];
        Arrays.setAll(queues, each -> new RelayQueue());
        this.reports = new RelayReports(shoal, plan);
        this.numbers = new OwnNumbers();
        this.least = new long[shoal.channels()];
        this.most = new long[shoal.channels()];
    }

    /** Returns the number of forwarded cells that wait for a link. */
    public int length(final int ofLink) {
        return queues[ofLink].cells.size();
    }

    @Override
    void sample(final int channel) {
        final int reported = reports.reportedLink(link);
        least[channel] = reported == queues.length ? 0 : queues[reported].cells.size();
        most[channel] = reported == queues.length ? 0 : queues[reported].mostLoad();
    }

    @Override
    void send(final int channel, final NodeCells observed) {
        final long route = observed.route(channel);
        // A local cell may be in the queue, which makes it longer by one.
        queues[link].begin(mostReady(slot / epochSlots + queues[link].cells.size() + 1));
        reports.begin(slot / epochSlots, link);
        sendCell(route, observed.cell(channel));
        checkReport(channel, route, observed.feedback(channel));
    }

    @Override
    void endSend() {
        numbers.findOverdue();
    }

    private void checkReport(final int channel, final long route, final long report) {
        if (route != InFlightCells.SILENCE && (report < least[channel] || report > most[channel])) {
            find(Law.TOKEN, "a report of " + least[channel] + (most[channel] == least[channel] ? ""
                : " to " + most[channel]), "one of " + report);
        }
    }

    /**
     * Returns the largest number of destinations for which a flow may be ready in a turn, so that Eq. 2 releases its
     * next cell.
     *
     * @param epoch epoch of the turn, plus the largest number of cells in the queue.
     */
    private int mostReady(final long epoch) {
        findFlows();
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

    /**
     * Finds new flows, which are numbered consecutively. The loop skips one number, because with flows by pairs of
     * nodes there is none from a node to itself.
     */
    private void findFlows() {
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

    /** Returns the number of other links in whose queues a local cell may wait. */
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
        queue.left.add(cell);
        if (queue.left.size() > links) {
            queue.left.remove();
        }
        held--;
    }

    /** Handles a cell that does not wait for the link: it waits for another link, or it replaced another cell. */
    private void sendStranger(final long cell) {
        for (int other = 0; other < queues.length; other++) {
            if (queues[other].remove(cell)) {
                find(Law.ROUTE, text(cell) + " on link " + other, "link " + link);
                held--;
                return;
            }
        }
        if (queues[link].left.contains(cell)) {
            find(Law.CONSERVATION, "each cell to leave once", text(cell) + " again");
        } else if (queues[link].cells.size() > 0) {
            find(Law.PAYLOAD, text(queues[link].cells.peekFirst().cell()), text(cell));
            queues[link].cells.removeFirst();
            held--;
        } else {
            find(Law.CONSERVATION, "a cell that is held", text(cell));
        }
    }

    @Override
    void receive(final int channel, final long epoch, final NodeCells received) {
        reports.take(slot, epoch, place, (int) received.feedback(channel));
        reports.join(link, joins(received.route(channel), received.cell(channel)));
    }

    /** Receives a cell; returns the link of the queue that it joins, the number of links for none. */
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
     * Sequence numbers of the local cells of a followed node, which wait in several queues. A cell gets its number when
     * it joins a queue, so a number may be skipped while its cell waits elsewhere. It leaves once, within a bounded
     * time. Not thread-safe.
     */
    private final class OwnNumbers {
        /** Number of slots within which a skipped number must leave: no queue is longer. */
        private final long soon = (long) shoal.nodes() * (epochSlots + 1);
        /**
         * By flow, one more than the largest number that has left: the first number not known to have joined a queue.
         */
        private final long[] next = new long[names.flows()];
        /** Words of cells whose numbers were skipped, with the slot in which that was seen. */
        private final Map<Long, Long> skipped = new HashMap<>();
        /** The largest number that has left, by flow and link. */
        private final Map<Long, Long> last = new HashMap<>();

        /** Records a cell that leaves; returns whether its number is correct. */
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

        /** Finds a skipped number that should have left by now, and removes it. */
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
     * Forwarded cells that a followed node holds for one neighbour, oldest first. The queue may also hold one local
     * cell; the turn in which it joined cannot be observed. Not thread-safe.
     */
    private static final class RelayQueue {
        private final ArrayDeque<Waiting> cells = new ArrayDeque<>();
        /** Cells that left last. */
        private final ArrayDeque<Long> left = new ArrayDeque<>();
        /** Slot in which a local cell left last; the next one joins later. */
        private long ownLeft = -1;
        /** Number of cells at the start of the last turn, and maximum number of flows that were ready in it. */
        private int atTurn;
        private int readyAtTurn;

        /**
         * A waiting cell.
         *
         * @param cell    its word.
         * @param arrived slot in which it arrived, after the node had sent in that slot.
         */
        record Waiting(long cell, long arrived) {
        }

        boolean has(final long cell) {
            return cells.stream().anyMatch(each -> each.cell == cell);
        }

        /** Removes a cell at any position; returns false if it is not in the queue. */
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
         * Begins a turn.
         *
         * @param ready largest number of flows that are ready in it.
         */
        void begin(final int ready) {
            atTurn = cells.size();
            readyAtTurn = ready;
        }

        /**
         * Returns the largest possible report: the cells, the flows that were ready in the last turn, and a local cell.
         */
        int mostLoad() {
            return cells.size() + readyAtTurn + (mayHoldOwn() ? 1 : 0);
        }

        /** Tells whether a local cell may wait here: behind a forwarded cell, which left at most one turn ago. */
        boolean mayHoldOwn() {
            return atTurn > 0 || !cells.isEmpty();
        }

        /**
         * Returns the last turn in which a local cell that leaves now may have joined: before the oldest remaining cell
         * arrived.
         *
         * @param epochSlots slots from one turn to the next.
         * @return its slot; -1 if there is no such turn since the last local cell left, so that the oldest cell must
         *     leave first.
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
     * What a followed node derives from reports: the epoch from which the next cell may leave, by relay and destination
     * (Eq. 2, docs/spec/shoal.md §4.2, §4.5); and the queues that the node has to report. All of this follows from what
     * is seen on links. Not thread-safe.
     */
    private static final class RelayReports {
        private static final int NONE = SentCells.NONE;

        private final int nodes;
        private final int kept;
        /**
         * Local cell that was sent, as an entry of {@link SentCells} by destination; by epoch modulo the number of
         * epochs kept, then link.
         */
        private final int[] sent;
        /** Reports since the last cell left, by link and destination; empty if there was none. */
        private final List<List<Release>> releases = new ArrayList<>();
        private final JoinedQueues joined;
        /** Destination of the local cell sent in this slot. */
        private int justSent = NONE;

        /**
         * A report that has arrived.
         *
         * @param slot     slot in which it arrived; it counts from the next slot on.
         * @param freeFrom epoch from which the next cell of the flow may leave if the queue is empty.
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

        /** Starts a turn on a link: no local cell has been sent in it. */
        void begin(final long epoch, final int link) {
            sent[at(epoch, link)] = NONE;
            justSent = NONE;
        }

        /** Records a local cell that leaves in a place of the epoch. */
        void leave(final long epoch, final Place place, final int node, final int destination) {
            sent[at(epoch, place.link)] = SentCells.entry(destination, place.services(node, destination));
            releases.get(of(place.link, destination)).clear();
            justSent = destination;
        }

        private int of(final int link, final int destination) {
            return link * nodes + destination;
        }

        /** Tells whether the last cell to a destination by a link has no report yet. */
        boolean isAwaited(final int link, final int destination) {
            return releases.get(of(link, destination)).isEmpty();
        }

        /**
         * Tells whether Eq. 2 releases a cell.
         *
         * @param before slot of the turn in which the cell joins the queue: reports that arrived earlier count.
         * @param epoch  epoch of that turn plus the cells in the queue then, which is the epoch in which it leaves.
         */
        boolean isReleased(final int link, final int destination, final long before, final long epoch) {
            return releases.get(of(link, destination)).stream()
                .anyMatch(release -> release.slot < before && release.freeFrom <= epoch);
        }

        /** Returns the epoch from which the next cell may leave, according to the last report. */
        long freeFrom(final int link, final int destination) {
            return releases.get(of(link, destination)).getLast().freeFrom;
        }

        /** Returns the link of the queue that a node reports on a link; the number of links for none. */
        int reportedLink(final int link) {
            return joined.latest(link, 0);
        }

        /** Records that a cell arrived over a link and joined a queue, or none (the number of links). */
        void join(final int linkBack, final int towards) {
            joined.note(linkBack, 0, towards);
        }

        /**
         * Applies a report that was sent in a place of an epoch.
         *
         * @param slot slot in which it arrived.
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
                // If both sides send in one slot, the report covers the queue before the cell just sent joins it.
                final boolean unseen = place.simultaneous && justSent == SentCells.flow(entry);
                release(slot, entry, link, next, report + (unseen ? 1 : 0), SentCells.joins(last) || unseen);
            }
        }

        /** Releases the flow of a cell that has reached its destination and waits in no queue. */
        private void arrived(final long slot, final int entry, final int link, final long next) {
            if (entry != NONE && !SentCells.joins(entry)) {
                release(slot, entry, link, next, 0, true);
            }
        }

        /** Returns the cell that a report is about if the last one joined no queue. */
        private int earlier(final long acknowledged, final int link) {
            final int before = about(acknowledged - 1, link);
            if (SentCells.joins(before)) {
                return before;
            }
            final int third = about(acknowledged - 3, link);
            return SentCells.joins(about(acknowledged - 2, link)) && SentCells.joins(third) ? third : NONE;
        }

        /**
         * Adds a report to the flow of a cell.
         *
         * @param awaited whether it may be the report for which the flow waits; if not, that report is about a later
         *                cell.
         */
        private void release(final long slot, final int entry, final int link, final long next, final int report,
            final boolean awaited) {
            final List<Release> all = releases.get(of(link, SentCells.flow(entry)));
            if (awaited || !all.isEmpty()) {
                all.add(new Release(slot, next + Math.max(0, report - SentCells.services(entry))));
            }
        }
    }
}
