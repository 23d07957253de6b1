package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * Lets cells of one node join its queues, one of each traffic class at most (docs/spec/shoal.md §6.1): a flow of a
 * class waits for the queues of that class and of all higher ones. One thread.
 */
final class HinderedAdmission {
    private static final int NONE = FlowSearch.NONE;

    private final int firstId;
    private final ShoalBank.Parts parts;
    private final FlowSearch search;
    /** By class: the flow whose cell joins the queue of the turn, {@link #NONE} if none does. */
    private final int[] joining;
    private int link;

    HinderedAdmission(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state) {
        this.firstId = range.first();
        this.parts = parts;
        this.search = new FlowSearch(shoal, firstId, parts.throttles(), parts.scheduler(), state.reachability());
        this.joining = new int[parts.queues().length];
    }

    /** Turns to a link of all nodes in a slot. */
    void turnTo(final long slot, final int epoch, final int onLink) {
        link = onLink;
        search.turnTo(slot, epoch, onLink);
    }

    /** Whether the link may not be used for the only flow of a node. */
    boolean hinders(final int node) {
        final int only = parts.scheduler().active().only(node);
        return only != ActiveFlows.NONE && !search.isUsable(node, only);
    }

    /** Lets the cells of a node join. */
    void admit(final int node) {
        int length = 0;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(link, node);
            length += queues.length(queue);
            joining[number] = search.choose(node, node * joining.length + number, length,
                queues.local(queue) == ShoalQueues.NONE, queues.turn(queue));
            queues.setSearched(queue, search.ready(), search.turn());
        }
        for (int number = 0; number < joining.length; number++) {
            if (joining[number] != NONE) {
                join(node, number, joining[number]);
            }
        }
    }

    private void join(final int node, final int number, final int flow) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(link, node);
        parts.scheduler().take(node * joining.length + number, flow);
        parts.throttles().set(node, ActiveFlows.number(flow), link, Throttles.HELD);
        queues.append(queue, ClassedCell.of(firstId + node, ActiveFlows.destination(flow), number),
            parts.scheduler().cell());
        queues.setLocal(queue, ActiveFlows.number(flow));
    }

    /**
     * Counts the cells that the node holds after its turn. A cell that joins and a cell that leaves cancel out: one
     * that only passes is not counted.
     *
     * @param oneLeft whether a cell has left a queue.
     */
    void countHeld(final int node, final boolean oneLeft) {
        boolean left = oneLeft;
        for (int number = 0; number < joining.length; number++) {
            if (joining[number] == NONE) {
                continue;
            }
            if (left) {
                left = false;
            } else {
                final ShoalQueues queues = parts.queues()[number];
                parts.maxima().onEnqueue(node, queues.length(queues.queue(link, node)));
            }
        }
        if (left) {
            parts.maxima().onDequeue(node);
        }
    }
}
