package dev.skerry.nic.shale;

/**
 * What a link lets leave beside queued cells: cells that start at its node, and the feedback that rides along. {@link
 * LinkFailures} stands before that of {@link CongestionControl} where links may fail. Nodes are numbered within
 * their bank, queues {@code slotInEpoch * nodesOfBank + node}. One bank, one thread.
 */
public interface Admission {
    /** A half of a feedback word that says nothing. */
    int NO_NOTICE = -1;

    /**
     * Asks to send a local cell to a destination that is not the peer itself.
     *
     * @return whether it may go; the cost is then spent.
     */
    boolean admitLocal(int queue, int node, int destination);

    /**
     * Takes out what rides with the cell that leaves a queue now: two notices, one in each half of the word, {@link
     * #NO_NOTICE} for none; hence {@code InFlightCells.NO_FEEDBACK} if there is nothing.
     */
    long takeFeedback(int queue);

    /**
     * Takes out what rides with the cells that leave consecutive queues of a link.
     *
     * @param firstQueue the first queue.
     * @param count      number of queues, at most {@code CellBatch.CELLS}.
     * @param into       gets a word for each queue, see {@link #takeFeedback(int)}.
     */
    default void takeFeedback(final int firstQueue, final int count, final long[] into) {
        for (int i = 0; i < count; i++) {
            into[i] = takeFeedback(firstQueue + i);
        }
    }

    /**
     * Takes out what rides with the cells that leave some queues of a link, see {@link #takeFeedback(int)}.
     *
     * @param firstQueue the first queue.
     * @param which      the queues, counted from the first.
     * @param some       how many.
     * @param into       gets a word for each of them, by queue.
     */
    default void takeFeedback(final int firstQueue, final int[] which, final int some, final long[] into) {
        for (int k = 0; k < some; k++) {
            into[which[k]] = takeFeedback(firstQueue + which[k]);
        }
    }
}
