package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.NodeSets;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;

/**
 * Handles rows in which few nodes receive something that matters: a cell, a report on a cell, or, where queues are to
 * be told of, the next turn. Takes these nodes one by one. One thread.
 */
final class SparseArrivals {
    /** Places that are looked at together. */
    private static final int GROUP = 8;

    private final int firstId;
    private final ShoalBank.Parts parts;
    private final ShoalSlotPlan plan;
    private final ShoalQueues queues;
    private final JoinedQueues joined;
    private final ShoalBank.Density density;
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Nodes with something that matters. */
    private final int[] nodes;
    /** Whether the report that each of them gets may be about a cell. */
    private final boolean[] awaits;
    /** Of the row being received. */
    private long slot;
    private int place;
    private int acknowledged;
    private int next;

    SparseArrivals(final NodeRange range, final ShoalBank.Parts parts, final ArrivalMap.Received received) {
        this.firstId = range.first();
        this.parts = parts;
        this.plan = parts.plan();
        this.queues = parts.queues()[0];
        this.joined = parts.joined();
        this.density = parts.density();
        this.route = received.route();
        this.cell = received.cell();
        this.feedback = received.feedback();
        this.nodes = new int[range.size()];
        this.awaits = new boolean[range.size()];
    }

    /**
     * Handles the row of a place of the schedule if it is sparse.
     *
     * @param ofSlot  the slot in which it is handled.
     * @param ofEpoch the epoch in which it was sent.
     * @param toPlace the place.
     * @param first   the first node that receives; what it receives is at 0 of the columns.
     * @param count   nodes that receive.
     * @return whether it is sparse.
     */
    boolean receive(final long ofSlot, final int ofEpoch, final int toPlace, final int first, final int count) {
        slot = ofSlot;
        place = toPlace;
        acknowledged = ofEpoch - plan.acknowledgedBack(toPlace);
        next = ofEpoch + plan.nextAhead(toPlace);
        final int linkBack = plan.linkBack(toPlace);
        final int end = first + count;
        int busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            busy += Long.bitCount((joined.telling(linkBack, word) | awaited(linkBack, word))
                & NodeSets.within(word, first, end));
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        busy = 0;
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            final int base = word * NodeSets.WORD_NODES;
            final long awaited = awaited(linkBack, word);
            long left = (joined.telling(linkBack, word) | awaited) & NodeSets.within(word, first, end)
                | arrivals(Math.max(base, first), Math.min(base + NodeSets.WORD_NODES, end), first);
            for (; left != 0; left &= left - 1) {
                final int node = base + Long.numberOfTrailingZeros(left);
                awaits[busy] = (awaited >>> node & 1) != 0;
                nodes[busy++] = node;
            }
        }
        if (!density.isSparse(busy, count)) {
            return false;
        }
        for (int k = 0; k < busy; k++) {
            if (awaits[k]) {
                parts.reports().takeOne(nodes[k], feedback[nodes[k] - first], linkBack, acknowledged, next,
                    plan.simultaneous(place));
            }
        }
        for (int k = 0; k < busy; k++) {
            receive(nodes[k], nodes[k] - first, linkBack);
        }
        return true;
    }

    private long awaited(final int linkBack, final int word) {
        return parts.reports().awaited(linkBack, acknowledged, next, plan.simultaneous(place), word);
    }

    /** The nodes of [from, to), all in one word, that receive cells, a bit each. */
    private long arrivals(final int from, final int to, final int first) {
        long bits = 0;
        int i = from - first;
        final int end = to - first;
        for (; i + GROUP <= end; i += GROUP) {
            final long all = route[i] & route[i + 1] & route[i + 2] & route[i + 3] & route[i + 4] & route[i + 5]
                & route[i + 6] & route[i + 7];
            for (int k = 0; (int) all >= 0 && k < GROUP; k++) {
                bits |= (route[i + k] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i + k;
            }
        }
        for (; i < end; i++) {
            bits |= (route[i] >>> Integer.SIZE - 1 & 1 ^ 1) << first + i;
        }
        return bits;
    }

    private void receive(final int node, final int i, final int linkBack) {
        int towards = joined.noLink();
        final long word = route[i];
        if ((int) word >= 0) {
            towards = plan.linkTo(firstId + node, ShoalCell.destination(word));
            if (towards == joined.noLink()) {
                parts.deliveries().deliver(slot, firstId + node, cell[i], ShoalCell.age(word, slot));
            } else {
                parts.maxima().onEnqueue(node, queues.append(towards, node, word, cell[i]));
            }
        }
        joined.note(linkBack, node, towards);
    }
}
