package dev.skerry.nic.shale;

/**
 * Decides what a link may send besides queued cells: cells that start at its node, and the feedback that accompanies
 * them. If links may fail, {@link LinkFailures} takes precedence over {@link CongestionControl}. Nodes are numbered
 * within their bank, queues {@code slotInEpoch * nodesOfBank + node}. One bank, one thread.
 */
public interface Admission {
    /** Empty half of a feedback word. */
    int NO_NOTICE = -1;

    /**
     * Requests to send a local cell to a destination other than the peer.
     *
     * @return whether the cell may be sent; its cost is then spent.
     */
    boolean admitLocal(int queue, int node, int destination);

    /**
     * Removes the feedback that accompanies the cell now leaving a queue: two notices, one in each half of the word,
     * with {@link #NO_NOTICE} for none; {@code InFlightCells.NO_FEEDBACK} if there are none at all.
     */
    long takeFeedback(int queue);

    /**
     * Removes the feedback that accompanies the cells leaving consecutive queues of a link.
     *
     * @param firstQueue the first queue.
     * @param count      number of queues, at most {@code CellBatch.CELLS}.
     * @param into       receives a word for each queue, see {@link #takeFeedback(int)}.
     */
    default void takeFeedback(final int firstQueue, final int count, final long[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = takeFeedback(firstQueue + i);
        }
    }

    /**
     * Removes the feedback that accompanies the cells leaving some queues of a link, see {@link #takeFeedback(int)}.
     *
     * @param firstQueue the first queue.
     * @param which      the queues, counted from the first.
     * @param some       number of these queues.
     * @param into       receives a word for each of them, by queue.
     */
    default void takeFeedback(final int firstQueue, final int[] which, final int some, final long[] into) {
        for (int k = 0; k < some; k++) {
            into[which[k]] = takeFeedback(firstQueue + which[k]);
        }
    }
}
