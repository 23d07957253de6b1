package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;

/**
 * Sends the turns of hindered nodes, one by one (docs/spec/shoal.md §4.4 SEND, §5, §6.1). To a neighbour that is down a
 * node sends a probe or nothing; damaged cells and messages go before queues; of the classes the highest goes first.
 * One thread.
 */
final class HinderedSends {
    private final NodeRange range;
    private final int classes;
    private final int probeEpochs;
    private final ShoalBank.Parts parts;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private final InFlightCells link;
    private final NodeSends sends;
    private long resent;
    private long probes;
    private long notices;
    private long unused;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;

    HinderedSends(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state, final InFlightCells link) {
        this.range = range;
        this.classes = parts.queues().length;
        this.probeEpochs = shoal.resilience().probeEpochs();
        this.parts = parts;
        this.state = state;
        this.neighbours = state.neighbours();
        this.link = link;
        this.sends = new NodeSends(range, shoal, parts, state.reachability());
    }

    /** Turns to a place of the schedule in a slot. */
    void turnTo(final long ofSlot, final int ofEpoch, final int toPlace) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        onLink = parts.plan().link(toPlace);
        sends.turnTo(ofSlot, ofEpoch, toPlace);
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
            || sends.hinders(node);
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
        final int highest = sends.admit(node);
        int entry = SentCells.NONE;
        boolean oneLeaves = false;
        if (neighbours.takeResend(line)) {
            entry = resend(node, at, feedback, copy);
        } else if (neighbours.notices(line) > 0) {
            sendNotice(node, line, at, feedback, copy);
        } else if (highest == NodeSends.NONE) {
            link.sendIdle(at, feedback);
        } else {
            oneLeaves = true;
            entry = sends.takeFirst(node, highest);
            put(at, sends.word(), sends.cell(), feedback, copy);
        }
        sends.settle(node, oneLeaves);
        return entry;
    }

    /** Sends a cell again; its age counts from when it was sent first. */
    private int resend(final int node, final long at, final long feedback, final long copy) {
        final long waiting = neighbours.word();
        final long word = ClassedCell.unwaiting(waiting);
        final int id = range.first() + node;
        resent++;
        put(at, word, neighbours.cell(), feedback, copy);
        if (ClassedCell.source(word) != id) {
            return SentCells.NONE;
        }
        final int destination = ShoalCell.destination(word);
        final int row = node * classes + ClassedCell.trafficClass(word);
        final int entry = SentCells.entry(parts.scheduler().numberOf(row, destination),
            parts.plan().services(place, id, destination));
        if (ClassedCell.isAwaited(waiting)) {
            return entry;
        }
        return SentCells.joins(entry) ? SentCells.UNAWAITED : SentCells.NONE;
    }

    private void put(final long at, final long word, final long cell, final long feedback, final long copy) {
        link.send(at, word, cell, feedback);
        state.copies().put(copy, word, cell);
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

    /** What it has counted. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_FORWARDED -> sends.forwarded();
            case CELLS_RESENT -> resent;
            case PROBES_SENT -> probes;
            case NOTICES_SENT -> notices;
            case TURNS_UNUSED -> unused;
            default -> throw new AssertionError(counter);
        };
    }
}
