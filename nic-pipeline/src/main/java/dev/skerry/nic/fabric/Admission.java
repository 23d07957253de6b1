package dev.skerry.nic.fabric;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.queue.Eligibility;
import dev.skerry.nic.fabric.shale.FailureAware;
import dev.skerry.nic.fabric.shale.HopByHop;

/**
 * What may be sent now: the fabric's congestion control as the transmitter and the receiver see it. Nodes are numbered
 * within their bank, queues {@code slotInEpoch * nodesOfBank + node}: one for each link of each node. An admission
 * belongs to one bank and its thread.
 */
public sealed interface Admission extends Eligibility permits FailureAware, HopByHop, Unlimited {

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

    /** Notes the line that {@link #onForward} will need. */
    void prefetchForward(int node, long entry, Prefetcher lines);

    /** Notes the line that {@link #onEnqueue} will need. */
    void prefetchEnqueue(int node, long entry, Prefetcher lines);

    /** Notes the line that {@link #onNotice} will need. */
    void prefetchNotice(int node, int notice, Prefetcher lines);

    /** Most buckets that were ever active at a node; 0 where there are no buckets. */
    int maxActiveBuckets(int node);
}
