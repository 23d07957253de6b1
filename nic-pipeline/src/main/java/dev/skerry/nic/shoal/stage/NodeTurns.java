package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.Throttles;

/**
 * Takes one node after the other through its turn on a link (docs/spec/shoal.md §4.4 SEND) where nothing can fail and
 * there is one traffic class: what {@link ShoalAdmission} and {@link ShoalTransmitter} do for a row, for a node at a
 * time. A local cell that finds its queue empty leaves without joining it. One thread.
 */
final class NodeTurns extends LinkTurns {
    /** Of the choice made last. */
    private int ready;
    private int turn;

    NodeTurns(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts, final InFlightCells link) {
        super(range, shoal, parts, link);
    }

    @Override
    void send(final int node, final long feedback) {
        queue.turnTo(onLink, node);
        final int length = queue.length();
        parts.samples().count(length);
        final int flow = choose(node, length);
        if (length > 0) {
            serve(node, flow, feedback);
        } else if (flow != NONE) {
            scheduler.take(node, flow);
            leave(node, ActiveFlows.number(flow), ShoalCell.of(firstId + node, ActiveFlows.destination(flow)),
                scheduler.cell(), feedback);
            queue.settle(ready, turn, NONE);
        } else {
            link.sendIdle(at(node), feedback);
            queue.settle(ready, turn, NONE);
        }
    }

    /** The flow whose cell joins the queue; flows that stay ready and the next turn are noted. */
    private int choose(final int node, final int length) {
        final int only = active.only(node);
        final boolean isOpen = queue.local() == NONE;
        if (only == ActiveFlows.NONE) {
            final int flow = search.choose(node, node, length, isOpen, queue.turn());
            ready = search.ready();
            turn = search.turn();
            return flow;
        }
        final boolean lets = throttles.freeFrom(node, 0, onLink) <= length + epoch;
        final boolean goes = lets && isOpen && search.isOld(node, only, length);
        ready = lets && !goes ? 1 : 0;
        turn = goes ? 0 : queue.turn();
        return goes ? only : NONE;
    }

    /** The first cell of a queue leaves, after a local cell may have joined it. */
    private void serve(final int node, final int flow, final long feedback) {
        int local = queue.local();
        if (flow != NONE) {
            local = ActiveFlows.number(flow);
            scheduler.take(node, flow);
            throttles.set(node, local, onLink, Throttles.HELD);
            queue.append(ShoalCell.of(firstId + node, ActiveFlows.destination(flow)), scheduler.cell());
        } else {
            parts.maxima().onDequeue(node);
        }
        queue.pop();
        if (flow == NONE && local != NONE && ShoalCell.source(queue.word()) == firstId + node) {
            leave(node, local, queue.word(), queue.cell(), feedback);
            local = NONE;
        } else {
            link.send(at(node), queue.word(), queue.cell(), feedback);
            forwarded++;
        }
        queue.settle(ready, turn, local);
    }
}
