package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveredCells;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

/**
 * What every node of a bank receives in a slot where things fail and flows have classes (docs/spec/shoal.md §4.4
 * RECEIVE, §5.1, §6): as {@link ShoalReceiver}, but silence and damage have consequences, and a cell may come twice, or
 * find its queue full or its way closed. A cell that comes while its neighbour counts as down is as good as any other.
 * One thread.
 */
final class GuardedReceiver {
    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final int epochSlots;
    private final int propagationSlots;
    private final ShoalSlotPlan turns;
    private final GuardedBank.Parts parts;
    private final GuardedReports reports;
    private final NeighbourProtocol keeper;
    private final NeighbourCells cells;
    private final InFlightCells link;
    private final ArrivalMap circuits;
    private final FlowSet flows;
    private final DeliveredCells deliveredCells;
    /** By class: cells that a queue has room for. */
    private final int[] room;
    private final long[] arrived;
    private long duplicates;
    private long stale;
    private long noWay;
    private long noRoom;
    private long overBound;
    /** Of the row being received. */
    private long slot;
    private int epoch;
    private int place;
    private int linkBack;

    GuardedReceiver(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts,
        final GuardedReports reports, final NeighbourProtocol keeper, final NeighbourCells cells,
            final Bank.Ends ends) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.channels = shoal.channels();
        this.propagationSlots = shoal.propagationSlots();
        this.turns = parts.turns();
        this.epochSlots = turns.epochSlots();
        this.parts = parts;
        this.reports = reports;
        this.keeper = keeper;
        this.cells = cells;
        this.link = ends.link();
        this.circuits = ends.circuits();
        this.flows = ends.flows();
        this.deliveredCells = parts.deliveredCells();
        this.arrived = new long[range.size()];
        this.room = new int[parts.queues().length];
        for (int number = 0; number < room.length; number++) {
            // Damage can make a queue of the highest class longer than N, by what is under way (docs/spec/shoal.md
            // §4.1).
            room[number] = number == 0 ? nodes + turns.sentEpochs()
                : shoal.resilience().lowerClassCells() == 0 ? nodes : shoal.resilience().lowerClassCells();
        }
    }

    /** Handles, for every node of the bank, what was sent to it the propagation delay before a slot. */
    void receive(final long handlingSlot) {
        final long sentIn = handlingSlot - propagationSlots;
        if (sentIn < 0) {
            return;
        }
        slot = handlingSlot;
        epoch = (int) (sentIn / epochSlots);
        final int inEpoch = (int) (sentIn - (long) epoch * epochSlots);
        for (int channel = 0; channel < channels; channel++) {
            place = channel * epochSlots + inEpoch;
            if (turns.link(place) != ShoalSlotPlan.IDLE) {
                linkBack = turns.linkBack(place);
                final int first = Math.max(range.first(), turns.firstReceiver(place));
                final int end = Math.min(range.end(), turns.endReceiver(place));
                if (first < end) {
                    circuits.arrivals(sentIn, channel, first, end - first, arrived);
                    for (int id = first; id < end; id++) {
                        receive(id - range.first(), arrived[id - first]);
                    }
                }
            }
        }
    }

    private void receive(final int node, final long at) {
        final long route = link.route(at);
        if (parts.presence().isDown(node)) {
            if (InFlightCells.isCell(route)) {
                cells.loseAtNode();
            }
            return;
        }
        final NeighbourTable pairs = parts.pairs();
        final long line = pairs.line(linkBack, node);
        final boolean silent = route == InFlightCells.SILENCE;
        if (silent && !keeper.silence(node, linkBack, epoch)) {
            return;
        }
        // What is missing and still borne is as good as damaged beyond reading.
        final boolean damaged = silent || route == InFlightCells.DAMAGED;
        if (!silent) {
            pairs.hear(line, epoch, !damaged);
        }
        if (pairs.state(line) == NeighbourTable.UP) {
            reports.take(node, linkBack, silent ? ReportWord.of(0, true) : link.feedback(at), damaged,
                epoch - turns.acknowledgedBack(place), epoch + turns.nextAhead(place), turns.simultaneous(place));
        }
        if (damaged) {
            pairs.setJoined(line, nodes - 1, 0, NeighbourTable.DAMAGED);
        } else if (InFlightCells.isCell(route)) {
            keeper.hear(node, linkBack);
            take(node, line, route, link.cell(at));
        } else {
            pairs.setJoined(line, nodes - 1, 0, NeighbourTable.TAKEN);
            if (route == InFlightCells.CONTROL) {
                keeper.read(node, linkBack, epoch, at);
            } else {
                keeper.hear(node, linkBack);
            }
        }
    }

    private void take(final int node, final long line, final long route, final long cell) {
        final int number = ClassedCell.trafficClass(route);
        final int by = ShoalCell.destination(route) - range.first() - node - 1;
        final int towards = by < 0 ? by + nodes : by;
        final int from = linkBack * range.size() + node;
        if (parts.accepted().contains(from, cell)) {
            duplicates++;
            parts.pairs().setJoined(line, towards, number, NeighbourTable.TAKEN);
        } else if (towards == nodes - 1) {
            parts.accepted().add(from, epoch, cell);
            parts.pairs().setJoined(line, towards, number, NeighbourTable.TAKEN);
            deliver(range.first() + node, route, cell);
        } else if (parts.pairs().state(parts.pairs().line(towards, node)) != NeighbourTable.UP) {
            noWay++;
            parts.pairs().setJoined(line, towards, number, NeighbourTable.NO_WAY);
        } else {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(towards, node);
            final int length = queues.length(queue);
            if (length >= room[number]) {
                noRoom++;
                parts.pairs().setJoined(line, towards, number, NeighbourTable.NO_ROOM);
                return;
            }
            overBound += number == 0 && length >= nodes - 1 ? 1 : 0;
            parts.accepted().add(from, epoch, cell);
            parts.pairs().setJoined(line, towards, number, NeighbourTable.TAKEN);
            parts.maxima().onEnqueue(node, queues.append(queue, route, cell));
        }
    }

    private void deliver(final int id, final long route, final long cell) {
        final int flow = Cell.flow(cell);
        switch (deliveredCells.add(flow, flows.cells(flow), Cell.sequence(cell))) {
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
            default -> throw new AssertionError(counter);
        };
    }
}
