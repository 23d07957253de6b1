package dev.skerry.nic.shoal;

/**
 * The reports that ride with cells: the load that is reported, the sent cell that a report is about, and its effect on
 * that cell's flow. A row of nodes at a time, as all nodes of a place of the schedule share everything but their state.
 * One bank, one thread.
 */
public abstract sealed class Reports permits OneReport, SingleReport, TwoReports {
    /** The bank's queues, whose loads are reported. */
    final ShoalQueues queues;
    /** The queues that the last cells joined. */
    final JoinedQueues joined;
    /** Throttles that reports release. */
    final Throttles throttles;
    /** The cells that reports are about. */
    final SentCells sent;

    Reports(final ShoalQueues queues, final JoinedQueues joined, final Throttles throttles,
        final SentCells sent) {
        this.queues = queues;
        this.joined = joined;
        this.throttles = throttles;
        this.sent = sent;
    }

    /**
     * The reports of a bank.
     *
     * @param rule      how the fabric reads Eq. 2.
     * @param queues    the bank's queues.
     * @param joined    the queues that the last cells joined.
     * @param throttles its throttles.
     * @param sent      the cells it has sent.
     */
    public static Reports of(final ReleaseRule rule, final ShoalQueues queues, final JoinedQueues joined,
        final Throttles throttles, final SentCells sent) {
        return switch (rule) {
            case EXACT, PAPER_LITERAL, BASIC -> new OneReport(queues, joined, throttles, sent);
            case PAPER_ONE_REPORT, EXACT_ONE_REPORT -> new SingleReport(queues, joined, throttles, sent);
            case AUTHORS_SIMULATOR -> new TwoReports(queues, joined, throttles, sent);
        };
    }

    /**
     * Samples the reports of some nodes on a link, from the state at the start of the slot.
     *
     * @param onLink link of the nodes to the receivers of the reports.
     * @param first  first node of the bank.
     * @param end    one past the last.
     * @param into   receives the feedback word of each node, at its number in the bank.
     */
    public abstract void sample(int onLink, int first, int end, long[] into);

    /** The report of one node on a link; 0 for a node that {@link JoinedQueues#telling} leaves out. */
    public abstract long sample(int onLink, int node);

    /**
     * Acts on the reports that some nodes receive.
     *
     * @param first        first node of the bank that receives.
     * @param count        nodes that follow each other.
     * @param feedback     the feedback words that came, from 0 on.
     * @param linkBack     the receivers' link to the senders.
     * @param acknowledged epoch in which the cells that the reports are about were sent.
     * @param next         epoch of the receivers' next turn on that link.
     * @param simultaneous whether they had a turn in this very slot.
     */
    public abstract void take(int first, int count, long[] feedback, int linkBack, int acknowledged, int next,
        boolean simultaneous);

    /** {@link #take} for one node. */
    public abstract void takeOne(int node, long feedback, int linkBack, int acknowledged, int next,
        boolean simultaneous);

    /** Of the 64 nodes of a word, those for which a report may be about a cell, a bit each. */
    abstract long awaited(int linkBack, int acknowledged, int word);

    /** Of the 64 nodes of a word, those for which {@link #take} may do something, a bit each. */
    public final long awaited(final int linkBack, final int acknowledged, final int next, final boolean simultaneous,
        final int word) {
        return awaited(linkBack, acknowledged, word) | (simultaneous ? sent.own(next - 1, linkBack, word) : 0);
    }
}
