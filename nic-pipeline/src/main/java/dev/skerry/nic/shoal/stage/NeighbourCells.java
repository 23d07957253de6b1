package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;

/**
 * What becomes of the cells of a connection that goes down, and of a node that stops (docs/spec/shoal.md §5.2 steps 3
 * to 5). Those of the node's own that were to go to the neighbour, or of which it is not known whether they arrived
 * there, go back to their flows; those of others are dropped. One thread.
 */
final class NeighbourCells {
    private final int firstId;
    private final int nodes;
    private final int links;
    private final GuardedBank.Parts parts;
    private long returned;
    private long rerouted;
    private long withLink;
    private long nodeDown;

    NeighbourCells(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts) {
        this.firstId = range.first();
        this.nodes = range.size();
        this.links = shoal.nodes() - 1;
        this.parts = parts;
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
            for (int left = queues.length(queue); left > 0; left--) {
                queues.pop(queue);
                parts.maxima().onDequeue(node);
                if (isOwn(node, queues.word())) {
                    giveBack(node, queues.word(), queues.cell());
                    returned++;
                } else {
                    withLink++;
                }
            }
            queues.setLocal(queue, ShoalQueues.NONE);
        }
        for (int back = 0; back < parts.copies().kept(); back++) {
            final long copy = parts.copies().at(parts.presence().epoch() - back, link, node);
            reroute(node, parts.copies().route(copy), parts.copies().cell(copy));
        }
        while (parts.pairs().takeResend(parts.pairs().line(link, node))) {
            reroute(node, parts.pairs().word(), parts.pairs().cell());
        }
        forget(node, link);
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
        for (int back = 0; back < parts.copies().kept(); back++) {
            parts.copies().put(parts.copies().at(back, link, node), InFlightCells.NO_CELL, InFlightCells.NO_CELL);
            parts.sent().set(parts.sent().offset(back, link) + (long) node * Integer.BYTES, SentCells.NONE);
        }
        parts.accepted().clear(link * nodes + node);
        parts.reachability().forget(node, link);
    }

    /** Drops all that a node holds that stops. */
    void drop(final int node) {
        for (int link = 0; link < links; link++) {
            for (final ShoalQueues queues : parts.queues()) {
                final int queue = queues.queue(link, node);
                for (int left = queues.length(queue); left > 0; left--) {
                    queues.pop(queue);
                    parts.maxima().onDequeue(node);
                    nodeDown++;
                }
                queues.setLocal(queue, ShoalQueues.NONE);
            }
            parts.pairs().dropResends(parts.pairs().line(link, node));
            forget(node, link);
            for (int flow = parts.scheduler().flowsOf(node) - 1; flow >= 0; flow--) {
                parts.throttles().set(node, flow, link, 0);
            }
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
