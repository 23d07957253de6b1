package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.RelayReachability;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * The turn of one node on a link (docs/spec/shoal.md §4.4 SEND 2 to 5, §6.1): {@link #admit} lets local cells join its
 * queues, one of each traffic class at most, {@link #takeFirst} takes out the cell that leaves, {@link #settle} ends
 * the turn. A flow of a class waits for the queues of that class and of all higher ones. One thread.
 */
final class NodeSends {
    /** No class. */
    static final int NONE = FlowSearch.NONE;

    private final int firstId;
    private final ShoalBank.Parts parts;
    private final FlowSearch search;
    /** By class: the flow whose cell joins the queue of the turn, {@link #NONE} if none does. */
    private final int[] joining;
    /** Of the row being served. */
    private long slot;
    private int place;
    private int link;
    /** The cell taken out last. */
    private long word;
    private long cell;
    private long forwarded;

    /**
     * Turns of a bank's nodes.
     *
     * @param reachability as of {@link FlowSearch}.
     */
    NodeSends(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final RelayReachability reachability) {
        this.firstId = range.first();
        this.parts = parts;
        this.search = new FlowSearch(shoal, firstId, parts.throttles(), parts.scheduler(), reachability);
        this.joining = new int[parts.queues().length];
    }

    /** Turns to a place of the schedule in a slot. */
    void turnTo(final long ofSlot, final int epoch, final int toPlace) {
        slot = ofSlot;
        place = toPlace;
        link = parts.plan().link(toPlace);
        search.turnTo(ofSlot, epoch, link);
    }

    /** Whether the link may not be used for the only flow of a node. */
    boolean hinders(final int node) {
        final int only = parts.scheduler().active().only(node);
        return only != ActiveFlows.NONE && !search.isUsable(node, only);
    }

    /** Lets the cells of a node join; returns the class of the cell that is to leave, {@link #NONE} without one. */
    int admit(final int node) {
        int length = 0;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            final int queue = queues.queue(link, node);
            length += queues.length(queue);
            joining[number] = search.choose(node, node * joining.length + number, length,
                queues.local(queue) == ShoalQueues.NONE, queues.turn(queue));
            queues.setSearched(queue, search.ready(), search.turn());
        }
        parts.samples().count(length);
        int highest = NONE;
        for (int number = joining.length - 1; number >= 0; number--) {
            if (joining[number] != NONE) {
                join(node, number, joining[number]);
            }
            final ShoalQueues queues = parts.queues()[number];
            highest = queues.length(queues.queue(link, node)) > 0 ? number : highest;
        }
        return highest;
    }

    private void join(final int node, final int number, final int flow) {
        final ShoalQueues queues = parts.queues()[number];
        parts.scheduler().take(node * joining.length + number, flow);
        parts.throttles().set(node, ActiveFlows.number(flow), link, Throttles.HELD);
        queues.append(link, node, ClassedCell.of(firstId + node, ActiveFlows.destination(flow), number),
            parts.scheduler().cell());
        queues.setLocal(queues.queue(link, node), ActiveFlows.number(flow));
    }

    /**
     * Takes out the first cell of a queue that has one; {@link #word()} and {@link #cell()} then are what leaves.
     *
     * @param number the class of the queue.
     * @return the entry of the cell in {@link SentCells}.
     */
    int takeFirst(final int node, final int number) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(link, node);
        queues.pop(queue);
        word = queues.word();
        cell = queues.cell();
        final int id = firstId + node;
        if (ClassedCell.source(word) != id) {
            forwarded++;
            return SentCells.NONE;
        }
        final int flow = queues.local(queue);
        queues.setLocal(queue, ShoalQueues.NONE);
        parts.throttles().set(node, flow, link, Throttles.AWAIT);
        final int entry = SentCells.entry(flow, parts.plan().services(place, id, ShoalCell.destination(word)));
        word = ShoalCell.sent(word, slot);
        return entry;
    }

    /**
     * Ends the turn of a node and counts the cells that it holds. A cell that joins and a cell that leaves cancel out:
     * one that only passes is not counted.
     *
     * @param oneLeft whether a cell has left a queue.
     */
    void settle(final int node, final boolean oneLeft) {
        boolean left = oneLeft;
        for (int number = 0; number < joining.length; number++) {
            final ShoalQueues queues = parts.queues()[number];
            queues.settle(link, node);
            if (joining[number] == NONE) {
                continue;
            }
            if (left) {
                left = false;
            } else {
                parts.maxima().onEnqueue(node, queues.length(queues.queue(link, node)));
            }
        }
        if (left) {
            parts.maxima().onDequeue(node);
        }
    }

    /** The route word of the cell taken out last. */
    long word() {
        return word;
    }

    /** The cell word of the cell taken out last. */
    long cell() {
        return cell;
    }

    /** Cells of other nodes taken out. */
    long forwarded() {
        return forwarded;
    }
}
