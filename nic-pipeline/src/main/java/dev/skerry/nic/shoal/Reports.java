package dev.skerry.nic.shoal;

/**
 * The reports that go with cells: the load that is reported, the sent cell that a report is about, and its effect on
 * the flow of that cell. Reports are handled by rows of nodes, as all nodes of a place of the schedule differ only in
 * their state. One bank, one thread.
 */
public abstract sealed class Reports {
    /** The bank's queues, whose loads are reported. */
    final ShoalQueues queues;
    /** The queues that the last cells joined. */
    final JoinedQueues joined;
    /** Throttles that reports release. */
    final Throttles throttles;
    /** The cells that reports are about. */
    final SentCells sent;
    /** Properties of the row being received, see {@link #turnTo}. */
    int linkBack;
    int acknowledged;
    int next;
    boolean simultaneous;
    /** Rows of {@link SentCells}: the turn whose cell the reports acknowledge, and the turns before it. */
    final int[] turnsBack = new int[JoinedQueues.TURNS];
    /** Row of the receivers' turn in this same slot, if they had one. */
    int justNow;

    Reports(final ShoalQueues queues, final JoinedQueues joined, final Throttles throttles,
        final SentCells sent) {
        this.queues = queues;
        this.joined = joined;
        this.throttles = throttles;
        this.sent = sent;
    }

    /**
     * Creates the reports of a bank.
     *
     * @param rule      the reading of Eq. 2.
     * @param queues    the bank's queues.
     * @param joined    the queues that the last cells joined.
     * @param throttles the bank's throttles.
     * @param sent      the cells that the bank has sent.
     */
    public static Reports of(final ReleaseRule rule, final ShoalQueues queues, final JoinedQueues joined,
        final Throttles throttles, final SentCells sent) {
        return switch (rule) {
            case EXACT, PAPER_LITERAL, BASIC -> new OneReport(queues, joined, throttles, sent);
            case PAPER_ONE_REPORT, EXACT_ONE_REPORT -> new LastReports(false, queues, joined, throttles, sent);
            case AUTHORS_SIMULATOR -> new LastReports(true, queues, joined, throttles, sent);
        };
    }

    /**
     * Samples the reports of some nodes on a link, from the state at the start of the slot.
     *
     * @param onLink link of the nodes to the receivers of the reports.
     * @param first  first node of the bank.
     * @param end    one past the last.
     * @param into   gets the feedback word of each node, at its number in the bank.
     */
    public void sample(final int onLink, final int first, final int end, final long[] into) {
        for (int node = first; node < end; node++) {
            into[node] = sample(onLink, node);
        }
    }

    /** Returns the report of one node on a link; 0 for a node that {@link JoinedQueues#reporting} leaves out. */
    public abstract long sample(int onLink, int node);

    /**
     * Sets the row of nodes that receive.
     *
     * @param ofLink   the receivers' link to the senders.
     * @param about    epoch in which the cells that the reports are about were sent.
     * @param nextTurn epoch of the receivers' next turn on that link.
     * @param atOnce   whether the receivers had a turn in this same slot.
     */
    public final void turnTo(final int ofLink, final int about, final int nextTurn, final boolean atOnce) {
        linkBack = ofLink;
        acknowledged = about;
        next = nextTurn;
        simultaneous = atOnce;
        for (int turns = 0; turns < turnsBack.length; turns++) {
            turnsBack[turns] = sent.row(about - turns, ofLink);
        }
        justNow = sent.row(nextTurn - 1, ofLink);
    }

    /**
     * Applies the reports that some nodes receive.
     *
     * @param first    first node of the bank that receives.
     * @param count    number of consecutive nodes.
     * @param feedback the feedback words received, from 0 on.
     */
    public void take(final int first, final int count, final long[] feedback) {
        for (int i = 0; i < count; i++) {
            takeOne(first + i, feedback[i]);
        }
    }

    /** Applies the report of one node, as {@link #take}. */
    public abstract void takeOne(int node, long feedback);

    /**
     * Returns one bit for each of the 64 nodes of a word, set if it sent a cell in a turn that a report may be about.
     */
    abstract long about(int word);

    /** Returns one bit for each of the 64 nodes of a word, set if {@link #take} may have an effect on it. */
    public final long awaited(final int word) {
        return about(word) | (simultaneous ? sent.own(justNow, word) : 0);
    }

    /** Returns the entry of the cell that a node sent some turns before the one that is acknowledged. */
    final int sentBefore(final int node, final int turns) {
        return sent.get(sent.offset(turnsBack[turns], node));
    }

    /**
     * Reports the queue that the neighbour's last cell joined once, as the text of Shoal §3.3.2 says. After a dummy or
     * a cell at its destination nothing is reported (docs/spec/shoal.md §4.5).
     *
     * <p>With two values, as in the authors' simulator, the second is about the queue of the last cell but one, whose
     * flow is thereby reported again. If two nodes send to each other in the same slot, such a report is applied to the
     * cell just sent if that is of the same flow.
     */
    private static final class LastReports extends Reports {
        private final boolean areTwo;

        LastReports(final boolean areTwo, final ShoalQueues queues, final JoinedQueues joined,
            final Throttles throttles, final SentCells sent) {
            super(queues, joined, throttles, sent);
            this.areTwo = areTwo;
        }

        @Override
        public long sample(final int onLink, final int node) {
            final long before = areTwo ? queues.load(queues.queue(joined.before(onLink, node), node)) : 0;
            return before << 32 | queues.load(queues.queue(joined.last(onLink, node), node));
        }

        @Override
        public void takeOne(final int node, final long feedback) {
            final int justSent = areTwo && simultaneous ? sent.justSent(node) : SentCells.NONE;
            if (areTwo) {
                take(node, sentBefore(node, 1), (int) (feedback >>> 32), justSent);
            }
            take(node, sentBefore(node, 0), (int) feedback, justSent);
        }

        @Override
        long about(final int word) {
            return sent.own(turnsBack[0], word) | (areTwo ? sent.own(turnsBack[1], word) : 0);
        }

        private void take(final int node, final int entry, final int reported, final int justSent) {
            if (entry == SentCells.NONE) {
                return;
            }
            final int flow = SentCells.flow(entry);
            if (throttles.freeFrom(node, flow, linkBack) != Throttles.HELD) {
                final int services = flow == justSent ? 0 : SentCells.services(entry);
                throttles.set(node, flow, linkBack, next + Math.max(0, reported - services));
            }
        }
    }

    /**
     * Reports one value with each cell. Each cell's queue is reported twice: in the turn after the cell came, and again
     * in the first turn with nothing new, the latest cell first. The neighbour derives from the position which of its
     * cells a report is about (docs/spec/shoal.md §4.5), and whether that cell joined a queue.
     *
     * <pre>
     *   what came from the neighbour    a  b  -  -      a, b joined a queue; -: a dummy, or at its destination
     *   the report is about                a  b  b  a
     * </pre>
     *
     * <p>No report is wasted on a dummy, and an outdated report does not hold a flow back. The authors' simulator
     * reports every queue twice, in a second value for which the header has no room ({@link LastReports}). Reported
     * once, 88 of 100 random flows get their share within a tenth; reported twice, 97; three times or more, fewer again
     * (docs/spec/shoal.md §9.2 G5).
     *
     * <p>Two nodes that send to each other in the same slot would receive the report on a cell only after their next
     * turn, and could use each other at most in every other epoch. They therefore apply a report about the queue that
     * the cell just sent will join to that cell, with one more than was seen; and a cell just sent to its destination
     * counts as arrived.
     */
    public static final class OneReport extends Reports {
        /** The queue that each node of a row reports. */
        private final long[] latest;

        OneReport(final ShoalQueues queues, final JoinedQueues joined, final Throttles throttles,
            final SentCells sent) {
            super(queues, joined, throttles, sent);
            this.latest = new long[sent.nodes];
        }

        @Override
        public void sample(final int onLink, final int first, final int end, final long[] into) {
            joined.latest(onLink, first, end - first, latest);
            // A separate loop: the queues are scattered in memory, and the processor then overlaps several cache
            // misses.
            for (int node = first; node < end; node++) {
                into[node] = queues.load(queues.queue((int) latest[node - first], node));
            }
        }

        @Override
        public long sample(final int onLink, final int node) {
            return queues.load(queues.queue(joined.latest(onLink, node), node));
        }

        @Override
        public void takeOne(final int node, final long feedback) {
            if (simultaneous) {
                freeDirect(node);
            }
            final int last = sentBefore(node, 0);
            final boolean joins = SentCells.joins(last);
            if (last != SentCells.NONE && !joins) {
                take(node, last, 0, Throttles.AWAIT);
            }
            final int about = joins ? last : earlier(node);
            if (about >= 0) {
                final boolean isUnseen = simultaneous && sent.justSent(node) == SentCells.flow(about);
                // A flow that awaits the report of a later cell is not freed by a report on an earlier one.
                take(node, about, (int) feedback + (isUnseen ? 1 : 0), joins || isUnseen ? Throttles.AWAIT
                    : Throttles.AWAIT - 1);
            }
        }

        /** Returns the cell that a report is about if the last one joined no queue. */
        private int earlier(final int node) {
            final int before = sentBefore(node, 1);
            if (SentCells.joins(before)) {
                return before;
            }
            final int another = sentBefore(node, 2);
            final int beforeAnother = sentBefore(node, 3);
            return SentCells.joins(another) && SentCells.joins(beforeAnother) ? beforeAnother : SentCells.NONE;
        }

        @Override
        long about(final int word) {
            return sent.own(turnsBack[0], word) | sent.own(turnsBack[1], word)
                | sent.own(turnsBack[2], word) & sent.own(turnsBack[3], word);
        }

        /**
         * Frees the flow whose cell a node sent in this same slot, if the cell is at its destination: nothing waits
         * there.
         */
        public void freeDirect(final int node) {
            final int entry = sent.get(sent.offset(justNow, node));
            if (entry != SentCells.NONE && !SentCells.joins(entry)) {
                take(node, entry, 0, Throttles.AWAIT);
            }
        }

        /** Applies a report to the flow of a cell, if its throttle is at most a value. */
        private void take(final int node, final int entry, final int reported, final int atMost) {
            throttles.release(node, SentCells.flow(entry), linkBack,
                next + Math.max(0, reported - SentCells.services(entry)), atMost);
        }
    }
}
