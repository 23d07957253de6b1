package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.Throttles;

/**
 * Turns by the basic mechanism (docs/spec/shoal.md §4.2 Eq. 1 to 3): the cells of all flows that Eq. 2 and the 2^age
 * rule release join the queue, in the order in which the flows became active; then its first cell leaves. No flow is
 * ready afterwards, so reports tell the length alone. One thread.
 */
final class BasicTurns extends LinkTurns {
    BasicTurns(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
        super(range, shoal, parts, link);
    }

    @Override
    void send(final int node, final long feedback) {
        queue.turnTo(onLink, node);
        final int length = queue.length();
        parts.samples().count(length);
        join(node, length);
        if (queue.length() == 0) {
            link.sendIdle(at(node), feedback);
        } else {
            queue.pop();
            serve(node, feedback);
        }
        count(node, queue.length() - length);
        queue.settle(0, 0, NONE);
    }

    private void join(final int node, final int length) {
        int place = 0;
        while (place < active.size(node)) {
            final int flow = active.get(node, place);
            final int size = active.size(node);
            if (throttles.freeFrom(node, ActiveFlows.number(flow), onLink) <= length + epoch
                && search.isOld(node, flow, length)) {
                scheduler.take(node, flow);
                throttles.set(node, ActiveFlows.number(flow), onLink, Throttles.HELD);
                queue.append(ShoalCell.of(firstId + node, ActiveFlows.destination(flow)), scheduler.cell());
            }
            // The others close up behind a flow that has sent its last cell.
            place += active.size(node) == size ? 1 : 0;
        }
    }

    private void serve(final int node, final long feedback) {
        final long word = queue.word();
        if (ShoalCell.source(word) == firstId + node) {
            leave(node, scheduler.numberOf(node, ShoalCell.destination(word)), word, queue.cell(), feedback);
        } else {
            link.send(at(node), word, queue.cell(), feedback);
            forwarded++;
        }
    }

    /** Counts by how many cells the queue is longer than before its turn, one fewer at least. */
    private void count(final int node, final int more) {
        if (more < 0) {
            parts.maxima().onDequeue(node);
        }
        for (int joined = 1; joined <= more; joined++) {
            parts.maxima().onEnqueue(node, queue.length() - more + joined);
        }
    }
}
