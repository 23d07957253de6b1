package dev.skerry.nic.shale;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Eligibility;

import java.util.Arrays;

/**
 * What may be sent now: the fabric's congestion control as the transmitter and the receiver see it. Nodes are numbered
 * within their bank, queues {@code slotInEpoch * nodesOfBank + node}: one for each link of each node. An admission
 * belongs to one bank and its thread.
 */
public sealed interface Admission extends Eligibility permits LinkFailureAdmission, HopByHop, Unlimited {
    /** A half of a feedback word that says nothing. */
    int NO_NOTICE = -1;

    /**
     * Pays for what some nodes would send on a link, where it is clear at a glance that it may go: the oldest cell of
     * the queue, or else a cell that starts here, to another destination than the peer.
     *
     * @param link         position in the epoch.
     * @param first        the first of nodes that follow each other.
     * @param count        how many, at most {@link CellBatch#CELLS}.
     * @param oldest       the lower halves of the words of the oldest cells.
     * @param waiting      1 for a node that asks for its oldest cell, else 0.
     * @param destinations of the cells that would start here.
     * @param local        1 for a node that asks for such a cell, else 0.
     * @param paid         gets 1 where it is paid for, else 0; it may be eligible all the same.
     */
    default void trySpend(final int link, final int first, final int count, final int[] oldest, final int[] waiting,
        final int[] destinations, final int[] local, final int[] paid) {
        Arrays.fill(paid, 0, count, 0);
    }

    /** Cells are sent on, see {@link #onForward(int, long)}. */
    default void onForward(final CellBatch sent) {
        for (int i = 0; i < sent.count(); i++) {
            onForward(sent.node()[i], sent.word()[i]);
        }
    }

    /** Cells joined queues of nodes of the block that begins with one, see {@link #onEnqueue(int, long)}. */
    default void onEnqueue(final int first, final CellBatch joined) {
        for (int i = 0; i < joined.count(); i++) {
            onEnqueue(joined.node()[i], joined.word()[i]);
        }
    }

    /** What rides with the cells that leave queues of a link now, see {@link #takeFeedback(int)}. */
    default void takeFeedback(final int firstQueue, final int count, final long[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = takeFeedback(firstQueue + i);
        }
    }

    /**
     * What rode with cells that arrived, see {@link #onNotice}.
     *
     * @param link     position in the epoch of the link towards the senders.
     * @param first    the first of some nodes that follow each other.
     * @param feedback a word for each, as {@link #takeFeedback(int)} makes them.
     */
    void onFeedback(int link, int first, int count, long[] feedback);

    /** The cell just found eligible leaves its queue to be sent on: spend what sending costs. */
    void onDequeue(int queue, long entry);

    /** A cell is sent on, or dropped as it cannot go on: owe what its previous hop is due. */
    void onForward(int node, long entry);

    /** A cell joined a queue of a node. */
    void onEnqueue(int node, long entry);

    /**
     * Asks to send a local cell to a destination that is not the peer itself.
     *
     * @return whether it may go; the cost is then spent.
     */
    boolean admitLocal(int queue, int node, int destination);

    /**
     * What rides with the cell leaving now: two notices, one in each half of the word, -1 where there is none; hence
     * {@code InFlightCells.NO_FEEDBACK} if there is nothing.
     */
    long takeFeedback(int queue);

    /**
     * A notice that rode with a cell that arrived.
     *
     * @param queue the receiver's queue towards the sender.
     */
    void onNotice(int queue, int node, int notice);

    /** Most buckets that were ever active at a node; 0 where there are no buckets. */
    int maxActiveBuckets(int node);
}
