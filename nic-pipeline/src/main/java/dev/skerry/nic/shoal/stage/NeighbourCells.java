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

/**
 * Cells of a connection that goes down and of a node that stops (docs/spec/shoal.md §5.2 steps 3 to 5). A node's own
 * cells go back to their flows if they waited for the neighbour or nobody knows whether they arrived there; cells of
 * others are dropped. One thread.
 */
final class NeighbourCells {
    private final int firstId;
    private final int links;
    private final ShoalBank.Parts parts;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private long returned;
    private long rerouted;
    private long withLink;
    private long nodeDown;

    NeighbourCells(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state) {
        this.firstId = range.first();
        this.links = shoal.nodes() - 1;
        this.parts = parts;
        this.state = state;
        this.neighbours = state.neighbours();
    }

    /** A cell of a node goes back to its flow. */
    void giveBack(final int node, final long word, final long cell) {
        final int row = node * parts.queues().length + ClassedCell.trafficClass(word);
        parts.scheduler().giveBack(row, ShoalCell.destination(word), cell);
    }

    /** Clears a connection that goes down; of the cells that go back, the oldest goes to the very head. */
    void clear(final int node, final int link) {
        for (final ShoalQueues queues : parts.queues()) {
            final int queue = queues.queue(link, node);
            while (takeFirst(queues, queue, node)) {
                if (isOwn(node, queues.word())) {
                    giveBack(node, queues.word(), queues.cell());
                    returned++;
                } else {
                    withLink++;
                }
            }
        }
        for (int back = 0; back < state.copies().kept(); back++) {
            final long copy = state.copies().at(state.presence().epoch() - back, link, node);
            reroute(node, state.copies().route(copy), state.copies().cell(copy));
        }
        while (neighbours.takeResend(neighbours.line(link, node))) {
            reroute(node, neighbours.word(), neighbours.cell());
        }
        forget(node, link);
        release(node, link);
    }

    /** Takes the first cell out of a queue of a node; in an empty queue no local cell is left. */
    private boolean takeFirst(final ShoalQueues queues, final int queue, final int node) {
        if (queues.length(queue) == 0) {
            queues.setLocal(queue, ShoalQueues.NONE);
            return false;
        }
        queues.pop(queue);
        parts.maxima().onDequeue(node);
        return true;
    }

    /** All flows of a node may use a link at once. */
    private void release(final int node, final int link) {
        for (int flow = parts.scheduler().flowsOf(node) - 1; flow >= 0; flow--) {
            parts.throttles().set(node, flow, link, 0);
        }
    }

    private void reroute(final int node, final long word, final long cell) {
        if (InFlightCells.isCell(word) && isOwn(node, word)) {
            giveBack(node, word, cell);
            rerouted++;
        }
    }

    /** Forgets all that was sent to a neighbour and all that came from it. */
    void forget(final int node, final int link) {
        for (int back = 0; back < state.copies().kept(); back++) {
            state.copies().put(state.copies().at(back, link, node), InFlightCells.NO_CELL, InFlightCells.NO_CELL);
            parts.sent().set(parts.sent().offset(back, link, node), SentCells.NONE);
        }
        parts.joined().clear(link, node);
        state.accepted().clear(link, node);
        state.reachability().forget(node, link);
    }

    /** Drops everything that a stopping node holds. */
    void drop(final int node) {
        for (int link = 0; link < links; link++) {
            for (final ShoalQueues queues : parts.queues()) {
                while (takeFirst(queues, queues.queue(link, node), node)) {
                    nodeDown++;
                }
            }
            neighbours.dropResends(neighbours.line(link, node));
            forget(node, link);
            release(node, link);
        }
    }

    /** A cell came to a node that is down. */
    void loseAtNode() {
        nodeDown++;
    }

    private boolean isOwn(final int node, final long word) {
        return ClassedCell.source(word) == firstId + node;
    }

    /** What it has counted. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_RETURNED -> returned;
            case CELLS_REROUTED -> rerouted;
            case DROPPED_WITH_LINK -> withLink;
            case DROPPED_NODE_DOWN -> nodeDown;
            default -> throw new AssertionError(counter);
        };
    }
}
