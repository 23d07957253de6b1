package dev.skerry.nic.fabric.shoal;

import dev.skerry.dataplane.circuit.CellLink;

/**
 * One value with each cell, and each cell's queue told of twice: once in the turn after the cell came, and once more in
 * the first turn with nothing new, the latest cell first. The neighbour knows by position which of its cells a report
 * is about (spec/shoal §4.5), and whether that was one that joins a queue.
 *
 * <pre>
 *   what came from the neighbour    a  b  -  -      a, b joined a queue; -: a dummy, or at its destination
 *   what is reported on next           a  b  b  a
 * </pre>
 *
 * So a report is not spent on nothing, and a flow is not held back by what was true when it was first told. The
 * authors' simulator tells all flows twice, by a second value for which the header has no room ({@link TwoReports}).
 * Told once, 86 of 100 random flows get their share within a tenth; told twice, 97; told three times or more, ever
 * fewer (spec/shoal §9.2 G5). Cells further back are not told of again: nothing is gained.
 *
 * <p>Two nodes that send to each other in the same slot learn of a cell only in the slot of their next turn, after
 * sending in it, and could use each other in every other epoch at most. For these a report about the queue that the
 * cell just sent is going to join is taken for that cell, which is one more than was seen; and a cell just sent to its
 * destination is taken as arrived.
 */
final class OneReport extends Reports {
    /** Cells that went to their destination and those that a report is about: node of the row and entry. One more. */
    private final int[] direct;
    private final int[] directEntry;
    private int directs;
    private final int[] told;
    private final int[] toldEntry;
    /** 1 for the last cell. */
    private final int[] toldLast;
    private int tolds;

    OneReport(final ShoalQueues queues, final Throttles throttles, final SentCells sent, final CellLink link) {
        super(queues, throttles, sent, link);
        this.direct = new int[sent.nodes() + 1];
        this.directEntry = new int[sent.nodes() + 1];
        this.told = new int[sent.nodes() + 1];
        this.toldEntry = new int[sent.nodes() + 1];
        this.toldLast = new int[sent.nodes() + 1];
    }

    @Override
    public void sample(final int onLink, final int first, final int end, final long[] into) {
        long line = queues.line(onLink, first);
        for (int node = first; node < end; node++) {
            into[node] = queues.line(queues.joinedLatest(line), node);
            line += ShoalQueues.LINE_BYTES;
        }
        // In a loop of its own, as the queues lie anywhere: so many can be waited for at once.
        for (int node = first; node < end; node++) {
            into[node] = queues.load(into[node]);
        }
    }

    @Override
    public void take(final int first, final int count, final long[] places, final int linkBack,
        final int acknowledged, final int next, final boolean simultaneous) {
        if (simultaneous) {
            freeDirect(first, count, linkBack, next);
        }
        sort(first, count, linkBack, acknowledged);
        for (int i = 0; i < directs; i++) {
            take(first + direct[i], directEntry[i], 0, linkBack, next, Throttles.AWAIT);
        }
        for (int i = 0; i < tolds; i++) {
            final int node = first + told[i];
            final int flow = SentCells.flow(toldEntry[i]);
            final int unseen = simultaneous && sent.justSent(node) == flow ? 1 : 0;
            // A flow that awaits the report of a later cell is not freed by one on an earlier.
            take(node, toldEntry[i], (int) link.feedback(places[told[i]]) + unseen, linkBack, next,
                Throttles.AWAIT - 1 + (toldLast[i] | unseen));
        }
    }

    /** Finds out which cells the reports are about, without branches that nobody can predict. */
    private void sort(final int first, final int count, final int linkBack, final int acknowledged) {
        final long at = (long) first * Integer.BYTES;
        final long lasts = sent.offset(acknowledged, linkBack) + at;
        final long befores = sent.offset(acknowledged - 1, linkBack) + at;
        final long anothers = sent.offset(acknowledged - 2, linkBack) + at;
        final long beforeAnothers = sent.offset(acknowledged - 3, linkBack) + at;
        directs = 0;
        tolds = 0;
        for (int i = 0; i < count; i++) {
            final long place = (long) i * Integer.BYTES;
            final int last = sent.get(lasts + place);
            final int before = sent.get(befores + place);
            final int beforeAnother = sent.get(beforeAnothers + place);
            // All ones for a cell that joins a queue.
            final int joins = SentCells.joinsMask(last);
            final int joinsBefore = SentCells.joinsMask(before);
            final int joinsAnother = SentCells.joinsMask(beforeAnother)
                & SentCells.joinsMask(sent.get(anothers + place));
            final int earlier = before & joinsBefore | (beforeAnother | ~joinsAnother) & ~joinsBefore;
            final int entry = last & joins | earlier & ~joins;
            direct[directs] = i;
            directEntry[directs] = last;
            directs += last != SentCells.NONE & joins == 0 ? 1 : 0;
            told[tolds] = i;
            toldEntry[tolds] = entry;
            toldLast[tolds] = -joins;
            tolds += entry != SentCells.NONE ? 1 : 0;
        }
    }

    /** At its destination a cell has nothing to wait for, so neither has the flow whose cell was sent in this slot. */
    private void freeDirect(final int first, final int count, final int linkBack, final int next) {
        final long justSent = sent.offset(next - 1, linkBack) + (long) first * Integer.BYTES;
        for (int i = 0; i < count; i++) {
            final int entry = sent.get(justSent + (long) i * Integer.BYTES);
            if (entry != SentCells.NONE && !SentCells.joins(entry)) {
                take(first + i, entry, 0, linkBack, next, Throttles.AWAIT);
            }
        }
    }

    /** Takes a report on a cell for its flow, if its throttle is at most a value. */
    private void take(final int node, final int entry, final int reported, final int linkBack, final int next,
        final int atMost) {
        throttles.release(node, SentCells.flow(entry), linkBack,
            next + Math.max(0, reported - SentCells.services(entry)), atMost);
    }
}
