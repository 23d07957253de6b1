package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.JoinedQueues;

import java.util.Arrays;

/**
 * Links on which no node of a bank has anything to say, so that a row without news costs next to nothing. Kept for each
 * link: turns since a node last sent a cell of its own, turns since a cell that came over it last joined a queue, and
 * whether a flow was ready when it was last served.
 *
 * <p>The memory of a link goes a number of turns back. After as many quiet turns it is the same whether nodes take part
 * in a turn or not. Rows that two places of the schedule share are never quiet. One thread.
 */
final class QuietRows {
    private final int keptTurns;
    private final int[] quietSends;
    private final int[] quietArrivals;
    private final boolean[] ready;

    /**
     * Rows in which nothing has happened yet.
     *
     * @param links     links of a node.
     * @param keptTurns turns that sent cells are remembered for.
     */
    QuietRows(final int links, final int keptTurns) {
        this.keptTurns = keptTurns;
        this.quietSends = new int[links];
        this.quietArrivals = new int[links];
        this.ready = new boolean[links];
        Arrays.fill(quietSends, keptTurns);
        Arrays.fill(quietArrivals, JoinedQueues.TURNS);
    }

    /**
     * Whether no flow was ready for a link when it was last served, and no cell that came over it is to be reported.
     */
    boolean nothingToSay(final int link) {
        return quietArrivals[link] == JoinedQueues.TURNS && !ready[link];
    }

    /** Whether no report that comes over a link can be about anything, and none of its cells is to be told of. */
    boolean nothingAwaited(final int link) {
        return quietSends[link] == keptTurns && quietArrivals[link] == JoinedQueues.TURNS;
    }

    /**
     * The bank has sent on a link.
     *
     * @param own     whether a node sent a cell of its own.
     * @param isReady whether a flow that did not get a cell into its queue is ready for it.
     */
    void sent(final int link, final boolean own, final boolean isReady) {
        quietSends[link] = own ? 0 : Math.min(quietSends[link] + 1, keptTurns);
        ready[link] = isReady;
    }

    /** The bank has received over a link; {@code joined}: a cell has joined a queue. */
    void received(final int link, final boolean joined) {
        quietArrivals[link] = joined ? 0 : Math.min(quietArrivals[link] + 1, JoinedQueues.TURNS);
    }
}
