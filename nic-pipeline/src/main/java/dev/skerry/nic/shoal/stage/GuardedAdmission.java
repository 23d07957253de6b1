package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * Which cells of a node's own join the queues of a neighbour whose turn it is: of each class at most one, of a flow
 * that Eq. 2 and the 2^age rule let go and that may use the neighbour as a relay (docs/spec/shoal.md §4.4 SEND 2 and 3,
 * §5.3, §6.1). What a flow of a class has to wait for are the queues of all classes that go before it or along with it.
 * One thread.
 */
final class GuardedAdmission {
    private static final int NONE = -1;

    private final int firstId;
    private final int nodes;
    private final int classes;
    private final GuardedBank.Parts parts;
    private final long[] ageNeeded;
    /** By class: the flow whose cell joins the queue of the turn, {@link #NONE} if none does. */
    private final int[] joining = new int[ClassedCell.MAX_CLASSES];
    /** Of the turn. */
    private long slot;
    private int epoch;
    private int link;

    GuardedAdmission(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts) {
        this.firstId = range.first();
        this.nodes = shoal.nodes();
        this.classes = parts.queues().length;
        this.parts = parts;
        this.ageNeeded = ShoalAdmission.ageNeeded(shoal);
    }

    /** Turns to a link of all nodes in a slot. */
    void turnTo(final long now, final int nowEpoch, final int onLink) {
        slot = now;
        epoch = nowEpoch;
        link = onLink;
    }

    /** Lets the cells of a node join. */
    void admit(final int node) {
        int length = 0;
        for (int number = 0; number < classes; number++) {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(link, node);
            length += queues.length(queue);
            joining[number] = choose(node, node * classes + number, queues, queue, length);
        }
        for (int number = 0; number < classes; number++) {
            if (joining[number] != NONE) {
                join(node, number, joining[number]);
            }
        }
    }

    /** As in {@link ShoalAdmission}, among the flows of a row. */
    private int choose(final int node, final int row, final ShoalQueues queues, final int queue, final int length) {
        final ShoalFlowScheduler scheduler = parts.scheduler();
        final int relay = (firstId + node + link + 1) % nodes;
        final int count = scheduler.active().size(row);
        final int atMost = length + epoch;
        final long startBy = slot - ageNeeded[Math.min(length, nodes)];
        boolean free = queues.local(queue) == ShoalQueues.NONE;
        int chosen = NONE;
        int ready = 0;
        int turn = queues.turn(queue);
        int at = turn < count ? turn : 0;
        for (int i = 0; i < count; i++) {
            final int flow = scheduler.active().get(row, at);
            at = at + 1 < count ? at + 1 : 0;
            if (parts.throttles().freeFrom(node, ActiveFlows.number(flow), link) <= atMost
                && isUsable(node, relay, ActiveFlows.destination(flow))) {
                if (free && (startBy == slot || scheduler.startSlot(row, flow) <= startBy)) {
                    chosen = flow;
                    free = false;
                    turn = at;
                } else {
                    ready++;
                }
            }
        }
        queues.setSearched(queue, ready, turn);
        return chosen;
    }

    private boolean isUsable(final int node, final int relay, final int destination) {
        return relay == destination || parts.reachability().reaches(link, node, destination);
    }

    private void join(final int node, final int number, final int flow) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(link, node);
        parts.scheduler().take(node * classes + number, flow);
        parts.throttles().set(node, ActiveFlows.number(flow), link, Throttles.HELD);
        queues.append(queue, ClassedCell.of(firstId + node, ActiveFlows.destination(flow), number),
            parts.scheduler().cell());
        queues.setLocal(queue, ActiveFlows.number(flow));
    }

    /**
     * Counts what the node holds, when one cell of its queues has left or none: what joined and what left, one against
     * the other, as a cell that only passes is not counted.
     */
    void countHeld(final int node, final boolean oneLeft) {
        boolean left = oneLeft;
        for (int number = 0; number < classes; number++) {
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
