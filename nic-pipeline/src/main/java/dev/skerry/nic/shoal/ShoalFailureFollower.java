package dev.skerry.nic.shoal;

import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.model.NodeCells;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Follows a node of Shoal that handles failures or has traffic classes (docs/spec/shoal.md §5, §6). The follower checks
 * the rules that hold whatever fails:
 *
 * <ul>
 * <li>The state of a link follows from what arrives on it. On a link that is up the node always sends a cell, dummy or
 *     reachability message; on a link that is down it sends probes or nothing.
 * <li>Forwarded cells leave once, unchanged, in order within their class, and before those of lower classes. No turn is
 *     idle while one waits. The report on a cell shows whether the node has accepted it.
 * <li>A cell that arrived damaged is reported, and a cell that the neighbour reports as damaged is sent again before
 *     all others.
 * <li>Local cells leave once, except after damage, a refusal or a failure of the link. The number of skipped sequence
 *     numbers is bounded.
 * <li>A report includes at least the waiting forwarded cells of its class and of higher classes.
 * </ul>
 *
 * <p>Not checked: Eq. 2 and the 2^age rule, contents of messages, which cells are refused, and the upper bound of
 * reports. {@link #setDown} reports that the device stops or starts. Not thread-safe.
 */
public final class ShoalFailureFollower extends FollowedShoalNode {
    private static final long NONE = -1;
    private static final long MESSAGE = -2;

    private final int classes;
    private final int kept;
    private final int mostReport;
    private final Neighbour[] neighbours;
    /** By link and class: forwarded cells in order of arrival. */
    private final List<List<ArrayDeque<Waiting>>> queues = new ArrayList<>();
    private final JoinedQueues joined;
    /** By flow, the number after the largest one that has left; and local cells with smaller numbers that may leave. */
    private final long[] next;
    private final Set<Long> unsent = new HashSet<>();
    private final int[] least;
    private boolean down;

    /** A forwarded cell. */
    private static final class Waiting {
        private final long cell;
        private final long epoch;
        /** Whether the node certainly had not accepted a copy of the cell before. */
        private final boolean isCertain;
        /** Whether the node must have accepted the cell, and whether another cell or dummy left in its place. */
        private boolean isAccepted;
        private boolean isPassed;
        private boolean isPassedByOwn;
        private boolean isGone;

        Waiting(final long cell, final long epoch, final boolean isCertain) {
            this.cell = cell;
            this.epoch = epoch;
            this.isCertain = isCertain;
        }
    }

    /** What the next report to a neighbour must state about its last cell. */
    private enum Verdict { ANY, TAKEN, DAMAGED }

    private enum State { UP, DOWN, EITHER }

    /**
     * Creates a follower of a node before slot 0.
     *
     * @param guards whether nodes and links may fail; if not, all links are up at the start.
     * @param log    receives the findings; several nodes may share one.
     * @throws IllegalArgumentException as for a {@link ShoalFollower}.
     */
    public ShoalFailureFollower(final Shoal shoal, final CellNames names, final int node, final boolean guards,
        final FindingLog log) {
        super(shoal, names, node, log);
        this.classes = names.classes();
        this.kept = plan.sentEpochs();
        this.mostReport = ReportWord.maxFeedback(shoal.nodes());
        this.neighbours = new Neighbour[links];
        Arrays.setAll(neighbours, each -> new Neighbour(guards ? State.EITHER : State.UP));
        for (int each = 0; each < links; each++) {
            queues.add(IntStream.range(0, classes).mapToObj(number -> new ArrayDeque<Waiting>()).toList());
        }
        this.joined = new JoinedQueues(Arena.ofAuto(), 1, links);
        this.next = new long[names.flows()];
        this.least = new int[shoal.channels()];
    }

    @Override
    public int messageWords() {
        return ShoalControl.BYTES / Long.BYTES;
    }

    @Override
    public void setDown(final boolean isDown) {
        down = isDown;
        for (link = 0; link < links; link++) {
            neighbours[link].goDown();
        }
    }

    @Override
    void sample(final int channel) {
        final int about = joined.latest(link, 0);
        final int towards = JoinedQueues.linkOf(about);
        least[channel] = 0;
        for (int number = 0; towards < links && neighbours[towards].state == State.UP
            && number <= JoinedQueues.classOf(about); number++) {
            least[channel] += (int) queues.get(towards).get(number).stream().filter(each -> each.isAccepted).count();
        }
        least[channel] = Math.min(least[channel], mostReport);
    }

    @Override
    void send(final int channel, final NodeCells observed) {
        final long route = observed.route(channel);
        final Neighbour to = neighbours[link];
        final String seen = names.text(route, observed.cell(channel));
        final boolean isProbe = route == InFlightCells.CONTROL && isProbe(observed, channel);
        if (down) {
            if (route != InFlightCells.SILENCE) {
                find(Law.SCHEDULE, "nothing of a device that is down", seen);
            }
            return;
        }
        if (route == InFlightCells.SILENCE || isProbe) {
            if (to.state == State.UP) {
                find(Law.SCHEDULE, "a cell or a dummy, as the link is up", isProbe ? "a probe" : "nothing");
            }
            to.goDown();
            if (isProbe && hears(observed, channel) && to.readyIn == slot / epochSlots) {
                to.state = State.EITHER;
            }
            return;
        }
        if (to.state == State.DOWN) {
            find(Law.SCHEDULE, "a probe or nothing, as the link is down", seen);
        }
        to.confirm(slot / epochSlots);
        to.sent[at(slot / epochSlots)] = InFlightCells.isCell(route) ? observed.cell(channel)
            : route == InFlightCells.CONTROL ? MESSAGE : NONE;
        checkSent(route, observed.cell(channel), seen);
        checkReport(observed.feedback(channel), least[channel]);
    }

    private int at(final long epoch) {
        return (int) Math.floorMod(epoch, (long) kept);
    }

    private static boolean isProbe(final NodeCells cells, final int channel) {
        final long[] message = cells.message(channel);
        return message == null || message[0] >>> Long.SIZE - Byte.SIZE == ShoalControl.PROBE;
    }

    /** Whether a probe signals, or may signal, "I hear you". */
    private static boolean hears(final NodeCells cells, final int channel) {
        final long[] message = cells.message(channel);
        return message == null || (message[0] >>> Integer.SIZE & 1) != 0;
    }

    /** Checks what leaves on a link that is up. */
    private void checkSent(final long route, final long cell, final String seen) {
        final boolean isCell = InFlightCells.isCell(route);
        if (isCell && (!names.exists(cell) || ClassedCell.source(route) != names.source(cell)
            || ShoalCell.destination(route) != names.destination(cell)
            || ClassedCell.trafficClass(route) != names.trafficClass(cell))) {
            find(Law.ROUTE, "a cell with the source, destination and class of its flow", "route 0x"
                + Long.toHexString(route) + " cell 0x" + Long.toHexString(cell));
            return;
        }
        final ArrayDeque<Long> again = neighbours[link].again;
        if (!again.isEmpty()) {
            final long repeated = again.poll();
            if (isCell && repeated == cell) {
                return;
            }
            find(Law.ORDER, text(repeated) + " again", seen);
            allow(repeated);
        }
        if (route != InFlightCells.CONTROL) {
            final int number = isCell ? names.trafficClass(cell) : classes;
            for (int higher = 0; higher < number; higher++) {
                pass(queues.get(link).get(higher), NONE, seen);
            }
            if (isCell && names.source(cell) == node) {
                sendOwn(cell, seen);
            } else if (isCell) {
                sendHeld(cell, seen);
            }
        }
    }

    /** Marks the cells of a queue before one as passed over: none of them may have been accepted. */
    private void pass(final ArrayDeque<Waiting> queue, final long before, final String seen) {
        for (final Waiting each : queue) {
            if (each.cell == before) {
                return;
            }
            if (each.isAccepted) {
                find(Law.ORDER, text(each.cell), seen);
                return;
            }
            each.isPassed = true;
        }
    }

    private void sendOwn(final long cell, final String seen) {
        for (final Waiting each : queues.get(link).get(names.trafficClass(cell))) {
            // One local cell may have been in the queue before it.
            if (each.isAccepted && each.isPassedByOwn) {
                find(Law.ORDER, text(each.cell), seen);
                break;
            }
            each.isPassedByOwn = true;
        }
        final int flow = names.flow(cell);
        final long ahead = names.sequence(cell) - next[flow] & names.sequences() - 1;
        if (!names.hasCell(cell, slot)) {
            find(Law.CONSERVATION, "no cell that its flow does not have yet", seen);
        } else if (ahead >= names.sequences() / 2) {
            if (!unsent.remove(cell)) {
                find(Law.CONSERVATION, "seq " + next[flow], seen + ", which left before");
            }
        } else {
            if (ahead >= links) {
                find(Law.ORDER, "seq " + next[flow], seen);
            }
            for (long each = 0; each < Math.min(ahead, links); each++) {
                unsent.add(names.cell(node, flow, next[flow] + each & names.sequences() - 1));
            }
            next[flow] = names.sequence(cell) + 1 & names.sequences() - 1;
        }
    }

    private void sendHeld(final long cell, final String seen) {
        final ArrayDeque<Waiting> queue = queues.get(link).get(names.trafficClass(cell));
        if (queue.stream().anyMatch(each -> each.cell == cell)) {
            pass(queue, cell, seen);
            remove(queue, cell);
        } else if (IntStream.range(0, links).anyMatch(other -> queues.get(other).stream().anyMatch(each ->
            remove(each, cell)))) {
            find(Law.ROUTE, "another link", seen);
        } else {
            find(Law.CONSERVATION, "a cell that is held", seen);
        }
    }

    /** Removes the first copy of a cell from a queue; returns false if there is none. */
    private boolean remove(final ArrayDeque<Waiting> queue, final long cell) {
        for (final Iterator<Waiting> all = queue.iterator(); all.hasNext();) {
            final Waiting each = all.next();
            if (each.cell == cell) {
                each.isGone = true;
                all.remove();
                held--;
                return true;
            }
        }
        return false;
    }

    private void checkReport(final long word, final int waiting) {
        final Neighbour of = neighbours[link];
        final boolean dropped = ReportWord.isDropped(word);
        final int report = ReportWord.feedback(word);
        final String seen = "a report of " + report + (dropped ? ", last cell dropped" : "");
        final boolean isDamage = dropped && report == 0;
        of.isRefused = dropped && report > 0;
        if (report > mostReport) {
            find(Law.TOKEN, "a report of up to " + mostReport, seen);
        } else if (of.verdict != Verdict.ANY && isDamage != (of.verdict == Verdict.DAMAGED)) {
            find(Law.TOKEN, of.verdict == Verdict.DAMAGED ? "a report of damage" : "no report of damage", seen);
        } else if (of.last == null && of.verdict == Verdict.TAKEN && dropped) {
            find(Law.TOKEN, "no refusal of a cell at its destination", seen);
        } else if (!isDamage && of.isTrusted(slot / epochSlots) && report < waiting) {
            find(Law.TOKEN, "a report of " + waiting + " or more", seen);
        }
        if (of.last != null) {
            settle(of, dropped, seen);
        }
        of.last = null;
        of.verdict = Verdict.ANY;
    }

    /** Applies the report on the last cell. */
    private void settle(final Neighbour of, final boolean dropped, final String seen) {
        final Waiting last = of.last;
        if (dropped && last.isGone) {
            find(Law.CONSERVATION, "no refusal of " + text(last.cell) + ", which has left", seen);
        } else if (dropped) {
            queues.forEach(each -> each.forEach(queue -> {
                if (queue.remove(last)) {
                    held--;
                }
            }));
        } else {
            of.accepted[at(last.epoch)] = last.cell;
            last.isAccepted = last.isCertain;
            if (last.isCertain && last.isPassed && !last.isGone) {
                find(Law.ORDER, text(last.cell) + " to leave in its turn", "it was accepted and passed over");
            }
        }
    }

    @Override
    void receive(final int channel, final long epoch, final NodeCells received) {
        if (down) {
            return;
        }
        final Neighbour from = neighbours[link];
        final long route = received.route(channel);
        final long cell = received.cell(channel);
        final boolean isSilent = route == InFlightCells.SILENCE;
        from.miss(isSilent);
        if (isSilent && from.state == State.DOWN) {
            return;
        }
        final boolean isDamaged = isSilent || route == InFlightCells.DAMAGED || isOfAnother(route);
        if (from.state != State.DOWN) {
            from.takeReport(epoch - place.acknowledgedBack,
                isSilent || isOfAnother(route) ? ReportWord.of(0, true) : received.feedback(channel), isDamaged);
        }
        final boolean isCertain = from.state == State.UP;
        if (isDamaged) {
            note(links);
            from.verdict = isCertain ? Verdict.DAMAGED : Verdict.ANY;
            return;
        }
        from.verdict = isCertain ? Verdict.TAKEN : Verdict.ANY;
        if (InFlightCells.isCell(route)) {
            take(from, epoch, route, cell);
        } else {
            note(links);
        }
        final boolean isProbe = route == InFlightCells.CONTROL && isProbe(received, channel);
        if (!isProbe || hears(received, channel)) {
            from.readyIn = slot / epochSlots;
        }
        if (from.state == State.DOWN || isProbe) {
            from.state = State.EITHER;
        }
    }

    /** Whether a cell is neither for this node nor on its first hop: its sender's clock is late. */
    private boolean isOfAnother(final long route) {
        return InFlightCells.isCell(route) && ShoalCell.destination(route) != node
            && ClassedCell.source(route) != plan.peer(node, link);
    }

    private void take(final Neighbour from, final long epoch, final long route, final long cell) {
        if (!names.exists(cell) || ShoalCell.destination(route) != names.destination(cell)
            || ClassedCell.source(route) != names.source(cell)
            || ClassedCell.trafficClass(route) != names.trafficClass(cell)) {
            find(Law.ROUTE, "a cell of this fabric to arrive", "route 0x" + Long.toHexString(route) + " cell 0x"
                + Long.toHexString(cell));
            note(links);
            from.verdict = Verdict.ANY;
            return;
        }
        final boolean isRepeated = Arrays.stream(from.accepted).anyMatch(each -> each == cell);
        if (names.destination(cell) == node) {
            note(links);
            from.accepted[at(epoch)] = isRepeated ? from.accepted[at(epoch)] : cell;
            return;
        }
        final int towards = plan.linkTo(node, names.destination(cell));
        note(JoinedQueues.entry(towards, names.trafficClass(cell)));
        if (isRepeated) {
            return;
        }
        from.last = new Waiting(cell, epoch, from.isTrusted(epoch));
        queues.get(towards).get(names.trafficClass(cell)).add(from.last);
        held++;
    }

    /**
     * Records the queue that a cell has joined, or none (the number of links). The queue of a refused cell is reported
     * once.
     */
    private void note(final int entry) {
        if (neighbours[link].isRefused) {
            joined.forgetLast(link, 0);
        }
        joined.note(link, 0, entry);
        neighbours[link].isRefused = false;
        neighbours[link].last = null;
    }

    /** Allows a local cell to leave again. */
    private void allow(final long cell) {
        if (cell != NONE && cell != MESSAGE && names.exists(cell) && names.source(cell) == node) {
            unsent.add(cell);
        }
    }

    /**
     * State of a neighbour: whether the node must consider the link up, and what was sent to it and received from it.
     */
    private final class Neighbour {
        private State state;
        /**
         * Number of consecutive turns without a cell, and of those in which the node certainly considered the link up.
         */
        private int misses;
        private int certainMisses;
        /** First epoch from which the node's state for this neighbour is known. */
        private long trustedFrom;
        private int resends;
        /** Last epoch in which a cell arrived that brings the link up in the next epoch if the node is probing. */
        private long readyIn = NONE;
        /**
         * By epoch modulo the number of epochs kept: the cell that was sent and has no report, and the one that was
         * accepted.
         */
        private final long[] sent = new long[kept];
        private final long[] accepted = new long[kept];
        /** Cells that must be sent again, in this order. */
        private final ArrayDeque<Long> again = new ArrayDeque<>();
        /** Last cell that arrived, until a report on it is sent; null if it joined no queue. */
        private Waiting last;
        private Verdict verdict = Verdict.ANY;
        private boolean isRefused;

        Neighbour(final State state) {
            this.state = state;
            Arrays.fill(sent, NONE);
            Arrays.fill(accepted, NONE);
        }

        boolean isTrusted(final long epoch) {
            return state == State.UP && epoch >= trustedFrom;
        }

        /** Counts a turn of the neighbour, silent or not. */
        void miss(final boolean isSilent) {
            misses = isSilent ? misses + 1 : 0;
            certainMisses = !isSilent ? 0 : state == State.UP ? certainMisses + 1 : certainMisses;
            if (certainMisses >= shoal.resilience().missedEpochs()) {
                goDown();
            } else if (state == State.UP && misses >= shoal.resilience().missedEpochs()) {
                state = State.EITHER;
            }
        }

        /** The node has shown that it considers the link up. */
        void confirm(final long epoch) {
            if (state != State.UP && trustedFrom == Long.MAX_VALUE) {
                trustedFrom = epoch + kept + 1;
            }
            state = State.UP;
        }

        /** The link goes down: forwarded cells are dropped, and local cells without a report may take another link. */
        void goDown() {
            state = State.DOWN;
            trustedFrom = Long.MAX_VALUE;
            resends = 0;
            certainMisses = 0;
            last = null;
            verdict = Verdict.ANY;
            isRefused = false;
            again.forEach(ShoalFailureFollower.this::allow);
            again.clear();
            Arrays.stream(sent).forEach(ShoalFailureFollower.this::allow);
            Arrays.fill(sent, NONE);
            Arrays.fill(accepted, NONE);
            joined.clear(link, 0);
            queues.get(link).forEach(queue -> {
                held -= queue.size();
                queue.clear();
            });
        }

        /** Applies a report on the cell sent in an epoch. */
        void takeReport(final long about, final long word, final boolean damaged) {
            final long cell = sent[at(about)];
            if (about < 0 || cell == NONE) {
                return;
            }
            sent[at(about)] = NONE;
            final boolean isRefusal = !damaged && ReportWord.isDropped(word) && ReportWord.feedback(word) > 0;
            if (!damaged && (!ReportWord.isDropped(word) || isRefusal)) {
                resends = 0;
                if (isRefusal) {
                    allow(cell);
                }
            } else if (++resends > shoal.resilience().maxResends()) {
                // The node takes the link down before it looks at the cell, which is then new to it.
                state = State.EITHER;
                Arrays.fill(accepted, NONE);
                allow(cell);
            } else if (cell != MESSAGE) {
                again.add(cell);
            }
        }
    }
}
