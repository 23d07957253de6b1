package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;

/**
 * Handles what hindered nodes receive, one by one (docs/spec/shoal.md §4.4 RECEIVE, §5.1, §6): silence, damage,
 * messages, refusals, cells that come twice, that find their queue full or their way closed. A cell that comes while
 * its neighbour counts as down is as good as any other. One thread.
 */
final class HinderedArrivals {
    private final NodeRange range;
    private final int nodes;
    private final ShoalBank.Parts parts;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private final ShoalFailures failures;
    private final InFlightCells link;
    private final FlowSet flows;
    /** By class: cells that a queue has room for. */
    private final int[] room;
    private long duplicates;
    private long stale;
    private long noWay;
    private long noRoom;
    private long overBound;
    private long wrong;
    /** Of the row being received. */
    private long slot;
    private int epoch;
    private int place;
    private int linkBack;

    private enum Fate { DUPLICATE, DELIVERED, QUEUED, NO_WAY, NO_ROOM }

    HinderedArrivals(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state, final ShoalFailures failures, final Bank.Ends ends) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.parts = parts;
        this.state = state;
        this.neighbours = state.neighbours();
        this.failures = failures;
        this.link = ends.link();
        this.flows = ends.flows();
        this.room = new int[parts.queues().length];
        for (int number = 0; number < room.length; number++) {
            // Damage can make a queue of the highest class longer than N, by the cells under way (docs/spec/shoal.md
            // §4.1).
            room[number] = number == 0 ? nodes + parts.plan().sentEpochs()
                : shoal.resilience().lowerClassCells() == 0 ? nodes : shoal.resilience().lowerClassCells();
        }
    }

    /** Turns to a place of the schedule: cells sent in an epoch are handled in a slot. */
    void turnTo(final long ofSlot, final int ofEpoch, final int toPlace) {
        slot = ofSlot;
        epoch = ofEpoch;
        place = toPlace;
        linkBack = parts.plan().linkBack(toPlace);
    }

    /**
     * The first hindered node from one on, the end if there is none before it. Notes the arrivals of those before it,
     * which are then to be handled as a block.
     *
     * @param arrived places of the link, that of node {@code first} first.
     */
    int next(final int from, final int end, final int first, final long[] arrived) {
        int node = from;
        while (node < end && passes(node, arrived[node - first])) {
            node++;
        }
        return node;
    }

    /** Whether nothing hinders a node that receives; then its connection notes the arrival. */
    private boolean passes(final int node, final long at) {
        final long route = link.route(at);
        final boolean isCell = InFlightCells.isCell(route);
        final long line = neighbours.line(linkBack, node);
        if (room.length > 1 || !isCell && route != InFlightCells.NO_CELL
            || neighbours.state(line) != NeighbourTable.UP || neighbours.isRefused(line)
            || ReportWord.isDropped(link.feedback(at)) || isCell && !accept(node, route, link.cell(at))) {
            return false;
        }
        neighbours.hear(line, epoch, true);
        neighbours.setMark(line, NeighbourTable.TAKEN);
        final long copy = state.copies().at(epoch - parts.plan().acknowledgedBack(place), linkBack, node);
        if (state.copies().route(copy) != InFlightCells.NO_CELL) {
            neighbours.endResends(line);
            state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        }
        return true;
    }

    /** Accepts a cell that is new and is delivered or finds an open way with room; returns whether it did. */
    private boolean accept(final int node, final long route, final long cell) {
        if (isWrong(node, route)) {
            return false;
        }
        final int towards = parts.plan().linkTo(range.first() + node, ShoalCell.destination(route));
        // A cell that is not new stays so: only new cells are added to those delivered.
        final boolean accepts = switch (fate(node, towards, 0, cell)) {
            case DELIVERED -> addDelivered(cell) == DeliveredCells.NEW;
            case QUEUED -> parts.queues()[0].length(parts.queues()[0].queue(towards, node)) < nodes - 1;
            default -> false;
        };
        if (accepts) {
            state.accepted().add(linkBack, node, epoch, cell);
        }
        return accepts;
    }

    /** Whether a cell that came is of another node: not for this one, and not on its first hop either. */
    private boolean isWrong(final int node, final long route) {
        final int id = range.first() + node;
        return ShoalCell.destination(route) != id && ClassedCell.source(route) != parts.plan().peer(id, linkBack);
    }

    /** What becomes of a cell that goes on to a link, or is delivered where that is none. */
    private Fate fate(final int node, final int towards, final int trafficClass, final long cell) {
        if (state.accepted().contains(linkBack, node, cell)) {
            return Fate.DUPLICATE;
        }
        if (towards == nodes - 1) {
            return Fate.DELIVERED;
        }
        if (neighbours.state(neighbours.line(towards, node)) != NeighbourTable.UP) {
            return Fate.NO_WAY;
        }
        final ShoalQueues queues = parts.queues()[trafficClass];
        return queues.length(queues.queue(towards, node)) < room[trafficClass] ? Fate.QUEUED : Fate.NO_ROOM;
    }

    /**
     * One hindered node receives.
     *
     * @param at where on the link its cell lies.
     */
    void receive(final int node, final long at) {
        final long route = link.route(at);
        if (state.presence().isDown(node)) {
            if (InFlightCells.isCell(route)) {
                failures.protocol().loseAtNode();
            }
            return;
        }
        final long line = neighbours.line(linkBack, node);
        final boolean silent = route == InFlightCells.SILENCE;
        if (silent && !failures.protocol().silence(node, linkBack, epoch)) {
            return;
        }
        final boolean isOfAnother = InFlightCells.isCell(route) && isWrong(node, route);
        wrong += isOfAnother ? 1 : 0;
        // A cell that is missing and still tolerated is as good as damaged beyond reading, and so is that of another.
        final boolean damaged = silent || isOfAnother || route == InFlightCells.DAMAGED;
        if (!silent) {
            neighbours.hear(line, epoch, !damaged);
        }
        if (neighbours.state(line) == NeighbourTable.UP) {
            failures.protocol().takeReport(node, linkBack,
                silent || isOfAnother ? ReportWord.of(0, true) : link.feedback(at),
                damaged, epoch - parts.plan().acknowledgedBack(place), epoch + parts.plan().nextAhead(place),
                parts.plan().simultaneous(place));
        }
        if (damaged) {
            note(node, line, nodes - 1, 0, NeighbourTable.DAMAGED);
        } else if (InFlightCells.isCell(route)) {
            failures.protocol().hear(node, linkBack, epoch);
            take(node, line, route, link.cell(at));
        } else {
            note(node, line, nodes - 1, 0, NeighbourTable.TAKEN);
            if (route == InFlightCells.CONTROL) {
                failures.protocol().read(node, linkBack, epoch, at);
            } else {
                failures.protocol().hear(node, linkBack, epoch);
            }
        }
    }

    /** Notes the queue that a cell joined, {@code nodes - 1} for none, and what became of it. */
    private void note(final int node, final long line, final int towards, final int trafficClass, final int mark) {
        if (neighbours.isRefused(line)) {
            // A refused cell's queue is told of once, in the refusal; its sender does the same.
            parts.joined().forgetLast(linkBack, node);
        }
        parts.joined().note(linkBack, node, JoinedQueues.entry(towards, towards == nodes - 1 ? 0 : trafficClass));
        neighbours.setMark(line, mark);
    }

    private void take(final int node, final long line, final long route, final long cell) {
        final int number = ClassedCell.trafficClass(route);
        final int towards = parts.plan().linkTo(range.first() + node, ShoalCell.destination(route));
        int mark = NeighbourTable.TAKEN;
        switch (fate(node, towards, number, cell)) {
            case DUPLICATE -> duplicates++;
            case DELIVERED -> {
                state.accepted().add(linkBack, node, epoch, cell);
                deliver(range.first() + node, route, cell);
            }
            case QUEUED -> {
                state.accepted().add(linkBack, node, epoch, cell);
                final ShoalQueues queues = parts.queues()[number];
                final int length = queues.append(towards, node, route, cell);
                overBound += number == 0 && length >= nodes ? 1 : 0;
                parts.maxima().onEnqueue(node, length);
            }
            case NO_WAY -> {
                noWay++;
                mark = NeighbourTable.NO_WAY;
            }
            default -> {
                noRoom++;
                mark = NeighbourTable.NO_ROOM;
            }
        }
        note(node, line, towards, number, mark);
    }

    private int addDelivered(final long cell) {
        final int flow = Cell.flow(cell);
        return state.delivered().add(flow, flows.cells(flow), Cell.sequence(cell));
    }

    private void deliver(final int id, final long route, final long cell) {
        switch (addDelivered(cell)) {
            case DeliveredCells.NEW -> parts.deliveries().deliver(slot, id, cell, ShoalCell.age(route, slot));
            case DeliveredCells.DUPLICATE -> duplicates++;
            default -> stale++;
        }
    }

    /** What it has counted. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case DROPPED_DUPLICATE -> duplicates;
            case DROPPED_STALE -> stale;
            case DROPPED_NO_WAY -> noWay;
            case DROPPED_NO_ROOM -> noRoom;
            case CELLS_OVER_BOUND -> overBound;
            case WRONG_DESTINATION -> wrong;
            default -> throw new AssertionError(counter);
        };
    }
}
