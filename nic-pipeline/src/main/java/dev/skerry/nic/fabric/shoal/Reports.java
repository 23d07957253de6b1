package dev.skerry.nic.fabric.shoal;

import dev.skerry.dataplane.circuit.CellLink;

/**
 * The feedback that rides with the cells: what is reported, which sent cell it is about, and what it means for that
 * cell's flow. A row of nodes at a time, as all nodes of a place of the schedule share everything but their state. One
 * bank, one thread.
 */
public abstract sealed class Reports permits OneReport, TwoReports {
    /** The bank's queues, of which reports tell. */
    final ShoalQueues queues;
    /** What reports act on. */
    final Throttles throttles;
    /** The cells that reports are about. */
    final SentCells sent;
    /** What reports ride on. */
    final CellLink link;

    Reports(final ShoalQueues queues, final Throttles throttles, final SentCells sent, final CellLink link) {
        this.queues = queues;
        this.throttles = throttles;
        this.sent = sent;
        this.link = link;
    }

    /**
     * The reports of a bank.
     *
     * @param rule      how the fabric reads Eq. 2.
     * @param queues    the bank's queues.
     * @param throttles its throttles.
     * @param sent      what it has sent.
     * @param link      what the reports ride on.
     */
    public static Reports of(final ReleaseRule rule, final ShoalQueues queues, final Throttles throttles,
        final SentCells sent, final CellLink link) {
        return switch (rule) {
            case EXACT, PAPER_LITERAL -> new OneReport(queues, throttles, sent, link);
            case AUTHORS_SIMULATOR -> new TwoReports(queues, throttles, sent, link);
        };
    }

    /**
     * What some nodes report on a link, from the state at the start of the slot.
     *
     * @param onLink of the nodes, towards those the reports are for.
     * @param first  first node of the bank.
     * @param end    one past the last.
     * @param into   receives the feedback word of each node, at its number in the bank.
     */
    public abstract void sample(int onLink, int first, int end, long[] into);

    /**
     * What some nodes make of the reports that they receive.
     *
     * @param first        first node of the bank that receives.
     * @param count        how many do.
     * @param places       where on the link their reports are.
     * @param linkBack     the receivers' link to the senders.
     * @param acknowledged epoch in which the cells that the reports are about were sent.
     * @param next         epoch of the receivers' next turn on that link.
     * @param simultaneous whether they had a turn in this very slot.
     */
    public abstract void take(int first, int count, long[] places, int linkBack, int acknowledged, int next,
        boolean simultaneous);
}
