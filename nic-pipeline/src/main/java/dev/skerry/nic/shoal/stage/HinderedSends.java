package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * Sends the turns of hindered nodes, one by one (docs/spec/shoal.md §4.4 SEND, §5, §6.1). To a neighbour that is down a
 * node sends a probe or nothing; damaged cells and messages go before queues; of the classes the highest goes first.
 * One thread.
 */
final class HinderedSends {
    /** No class. */
    private static final int NONE = FlowSearch.NONE;

    private final NodeRange range;
    private final int classes;
    private final int probeEpochs;
    private final ShoalBank.Parts parts;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private final InFlightCells link;
    private final FlowSearch search;
    /** By class: the flow whose cell joins the queue of the turn, {@link #NONE} if none does. */
    private final int[] joining;
    private long forwarded;
    private long resent;
    private long probes;
    private long notices;
    private long unused;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;
    /** The cell taken out last: its route word and its cell word. */
    private long word;
    private long cell;

    HinderedSends(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state, final InFlightCells link) {
        this.range = range;
        this.classes = parts.queues().length;
        this.probeEpochs = shoal.resilience().probeEpochs();
        this.parts = parts;
        this.state = state;
        this.neighbours = state.neighbours();
        this.link = link;
        this.search = new FlowSearch(shoal, range.first(), parts.throttles(), parts.scheduler(),
            state.reachability());
        this.joining = new int[classes];
    }

    /** Turns to a place of the schedule in a slot. */
    void turnTo(final long ofSlot, final int ofEpoch, final int toPlace) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        onLink = parts.plan().link(toPlace);
        search.turnTo(ofSlot, ofEpoch, onLink);
    }

    /** The first hindered node from one on, the end if there is none before it. */
    int next(final int from, final int end) {
        int node = from;
        while (node < end && !isHindered(node)) {
            node++;
        }
        return node;
    }

    private boolean isHindered(final int node) {
        final long line = neighbours.line(onLink, node);
        return classes > 1 || neighbours.state(line) != NeighbourTable.UP || neighbours.ahead(line) > 0
            || hinders(node);
    }

    /** Keeps copies of the cells that a block of nodes has sent. */
    void keep(final int first, final int end, final long[] route, final long[] cell) {
        for (int node = first; node < end; node++) {
            state.copies().put(state.copies().at(epoch, onLink, node), route[node], cell[node]);
        }
    }

    /**
     * One turn of a hindered node.
     *
     * @param at       its place on the link.
     * @param feedback its report.
     */
    void send(final int node, final long at, final long feedback) {
        final long copy = state.copies().at(epoch, onLink, node);
        state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        final long line = neighbours.line(onLink, node);
        int entry = SentCells.NONE;
        if (neighbours.state(line) == NeighbourTable.UP) {
            entry = sendUp(node, line, at, feedback, copy);
        } else {
            sendDown(node, line, at, feedback);
        }
        parts.sent().set(parts.sent().offset(epoch, onLink, node), entry);
        parts.sent().setJustSent(node, entry < 0 ? SentCells.NONE : SentCells.flow(entry));
    }

    /** A probe from time to time, or silence. */
    private void sendDown(final int node, final long line, final long at, final long feedback) {
        if (state.presence().isDown(node)) {
            link.silence(at);
            return;
        }
        unused++;
        final boolean hears = neighbours.state(line) == NeighbourTable.HEARD;
        if (hears || (epoch + range.first() + node) % probeEpochs == 0) {
            link.sendControl(at, feedback);
            state.control().probe(at, hears, state.presence().incarnation(node));
            probes++;
        } else {
            link.silence(at);
        }
    }

    /** First local cells join the queues, then one cell goes (docs/spec/shoal.md §4.4 SEND 2 to 5). */
    private int sendUp(final int node, final long line, final long at, final long feedback, final long copy) {
        final int highest = admit(node);
        int entry = SentCells.NONE;
        boolean oneLeaves = false;
        if (neighbours.takeResend(line)) {
            entry = resend(node, at, feedback, copy);
        } else if (neighbours.notices(line) > 0) {
            sendNotice(node, line, at, feedback, copy);
        } else if (highest == NONE) {
            link.sendIdle(at, feedback);
        } else {
            oneLeaves = true;
            entry = takeFirst(node, highest);
            put(at, word, cell, feedback, copy);
        }
        settle(node, oneLeaves);
        return entry;
    }

    /** Sends a cell again; its age counts from when it was sent first. */
    private int resend(final int node, final long at, final long feedback, final long copy) {
        final long waiting = neighbours.word();
        final long again = ClassedCell.unwaiting(waiting);
        final int id = range.first() + node;
        resent++;
        put(at, again, neighbours.cell(), feedback, copy);
        if (ClassedCell.source(again) != id) {
            return SentCells.NONE;
        }
        final int destination = ShoalCell.destination(again);
        final int row = node * classes + ClassedCell.trafficClass(again);
        final int entry = SentCells.entry(parts.scheduler().numberOf(row, destination),
            parts.plan().services(place, id, destination));
        if (ClassedCell.isAwaited(waiting)) {
            return entry;
        }
        return SentCells.joins(entry) ? SentCells.UNAWAITED : SentCells.NONE;
    }

    private void put(final long at, final long ofWord, final long ofCell, final long feedback, final long copy) {
        link.send(at, ofWord, ofCell, feedback);
        state.copies().put(copy, ofWord, ofCell);
    }

    private void sendNotice(final int node, final long line, final long at, final long feedback, final long copy) {
        final int left = neighbours.notices(line) - 1;
        neighbours.setNotices(line, left);
        link.sendControl(at, feedback);
        state.reachability().write(node, left % state.reachability().chunks(), state.control().bytes(),
            state.control().offset(at));
        state.copies().put(copy, InFlightCells.CONTROL, InFlightCells.NO_CELL);
        notices++;
    }

    /** Whether the link may not be used for the only flow of a node. */
    private boolean hinders(final int node) {
        final int only = parts.scheduler().active().only(node);
        return only != ActiveFlows.NONE && !search.isUsable(node, only);
    }

    /** Lets the cells of a node join; returns the class of the cell that is to leave, {@link #NONE} without one. */
    private int admit(final int node) {
        int length = 0;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(onLink, node);
            length += queues.length(queue);
            joining[number] = search.choose(node, node * joining.length + number, length,
                queues.local(queue) == ShoalQueues.NONE, queues.turn(queue));
            queues.setSearched(queue, search.ready(), search.turn());
        }
        parts.samples().count(length);
        int highest = NONE;
        for (int number = joining.length - 1; number >= 0; number--) {
            if (joining[number] != NONE) {
                join(node, number, joining[number]);
            }
            final ShoalQueues queues = parts.queues()[number];
            highest = queues.length(queues.queue(onLink, node)) > 0 ? number : highest;
        }
        return highest;
    }

    private void join(final int node, final int number, final int flow) {
        final ShoalQueues queues = parts.queues()[number];
        parts.scheduler().take(node * joining.length + number, flow);
        parts.throttles().set(node, ActiveFlows.number(flow), onLink, Throttles.HELD);
        queues.append(onLink, node, ClassedCell.of(range.first() + node, ActiveFlows.destination(flow), number),
            parts.scheduler().cell());
        queues.setLocal(queues.queue(onLink, node), ActiveFlows.number(flow));
    }

    /**
     * Takes out the first cell of a queue that has one; {@link #word} and {@link #cell} then are what leaves.
     *
     * @param number the class of the queue.
     * @return the entry of the cell in {@link SentCells}.
     */
    private int takeFirst(final int node, final int number) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(onLink, node);
        queues.pop(queue);
        word = queues.word();
        cell = queues.cell();
        final int id = range.first() + node;
        if (ClassedCell.source(word) != id) {
            forwarded++;
            return SentCells.NONE;
        }
        final int flow = queues.local(queue);
        queues.setLocal(queue, ShoalQueues.NONE);
        parts.throttles().set(node, flow, onLink, Throttles.AWAIT);
        final int entry = SentCells.entry(flow, parts.plan().services(place, id, ShoalCell.destination(word)));
        word = ShoalCell.sent(word, slot);
        return entry;
    }

    /**
     * Ends the turn of a node and counts the cells that it holds. A cell that joins and a cell that leaves cancel
     * out: one that only passes is not counted.
     *
     * @param oneLeft whether a cell has left a queue.
     */
    private void settle(final int node, final boolean oneLeft) {
        boolean left = oneLeft;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            queues.settle(onLink, node);
            if (joining[number] == NONE) {
                continue;
            }
            if (left) {
                left = false;
            } else {
                parts.maxima().onEnqueue(node, queues.length(queues.queue(onLink, node)));
            }
        }
        if (left) {
            parts.maxima().onDequeue(node);
        }
    }

    /** What it has counted. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_FORWARDED -> forwarded;
            case CELLS_RESENT -> resent;
            case PROBES_SENT -> probes;
            case NOTICES_SENT -> notices;
            case TURNS_UNUSED -> unused;
            default -> throw new AssertionError(counter);
        };
    }
}
