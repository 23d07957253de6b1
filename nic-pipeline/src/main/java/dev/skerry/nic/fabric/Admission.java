package dev.skerry.nic.fabric;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.nic.fabric.shale.FailureAware;
import dev.skerry.nic.fabric.shale.HopByHop;

/**
 * What may be sent now: the fabric's congestion control as the transmitter and the receiver see it. Nodes are numbered
 * within their bank, queues {@code slotInEpoch * nodesOfBank + node}: one for each link of each node. An admission
 * belongs to one bank and its thread.
 */
public sealed interface Admission extends Eligibility permits FailureAware, HopByHop, Unlimited {
    /** A half of a feedback word that says nothing. */
    int NO_NOTICE = -1;

    /**
     * Pays for sending on the oldest cells of queues of a link, where it is clear at a glance that they may go.
     *
     * @param firstQueue the first of some queues that follow each other.
     * @param which      a bit for each queue that is not empty.
     * @param oldest     the words of their oldest cells.
     * @return the queues whose oldest cell is paid for; another's may be eligible all the same.
     */
    default long payOldest(final int firstQueue, final long which, final long[] oldest) {
        return 0;
    }

    /**
     * Pays for sending local cells to destinations that are not the peer itself, as {@link #payOldest}.
     *
     * @param firstNode    the node whose queue the first one is.
     * @param destinations of the cells.
     */
    default long payLocal(final int firstQueue, final int firstNode, final long which, final int[] destinations) {
        return 0;
    }

    /** Cells are sent on, see {@link #onForward(int, long)}. */
    default void onForward(final CellBatch sent) {
        for (int i = 0; i < sent.count(); i++) {
            onForward(sent.node()[i], sent.word()[i]);
        }
    }

    /** Cells joined queues, see {@link #onEnqueue(int, long)}. */
    default void onEnqueue(final CellBatch joined) {
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
     * @param firstQueue the queue of the first of some nodes that follow each other, towards its sender.
     * @param feedback   a word for each, as {@link #takeFeedback(int)} makes them.
     */
    default void onFeedback(final int firstQueue, final int firstNode, final int count, final long[] feedback) {
        for (int i = 0; i < count; i++) {
            if ((int) feedback[i] != NO_NOTICE) {
                onNotice(firstQueue + i, firstNode + i, (int) feedback[i]);
            }
            if ((int) (feedback[i] >>> 32) != NO_NOTICE) {
                onNotice(firstQueue + i, firstNode + i, (int) (feedback[i] >>> 32));
            }
        }
    }

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
     * {@code CellLink.NO_FEEDBACK} if there is nothing.
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
