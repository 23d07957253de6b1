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
    OneReport(final ShoalQueues queues, final Throttles throttles, final SentCells sent, final CellLink link) {
        super(queues, throttles, sent, link);
    }

    @Override
    public void sample(final int onLink, final int first, final int end, final long[] into) {
        final int noLink = queues.noLink();
        long line = queues.line(onLink, first);
        for (int node = first; node < end; node++) {
            int told = queues.joined(line);
            if (told == noLink) {
                told = queues.joinedBefore(line);
                told = told != noLink ? told : queues.joinedBeforeAnother(line);
            }
            into[node] = queues.load(queues.line(told, node));
            line += ShoalQueues.LINE_BYTES;
        }
    }

    @Override
    public void take(final int first, final int count, final long[] places, final int linkBack,
        final int acknowledged, final int next, final boolean simultaneous) {
        final long lasts = sent.offset(acknowledged, linkBack) + (long) first * Integer.BYTES;
        final long befores = sent.offset(acknowledged - 1, linkBack) + (long) first * Integer.BYTES;
        if (simultaneous) {
            freeDirect(first, count, linkBack, next);
        }
        for (int i = 0; i < count; i++) {
            final int last = sent.get(lasts + (long) i * Integer.BYTES);
            int entry = last;
            if (!SentCells.joins(last)) {
                if (last != SentCells.NONE) {
                    take(first + i, last, 0, linkBack, next, Throttles.AWAIT);
                }
                entry = sent.get(befores + (long) i * Integer.BYTES);
                entry = SentCells.joins(entry) ? entry : beforeAnother(acknowledged, linkBack, first + i);
            }
            if (entry != SentCells.NONE) {
                final int flow = SentCells.flow(entry);
                final int unseen = simultaneous && sent.justSent(first + i) == flow ? 1 : 0;
                // A flow that awaits the report of a later cell is not freed by one on an earlier.
                take(first + i, entry, (int) link.feedback(places[i]) + unseen, linkBack, next,
                    entry == last || unseen > 0 ? Throttles.AWAIT : Throttles.AWAIT - 1);
            }
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

    /** The last cell but three, if the last but two joined a queue. */
    private int beforeAnother(final int acknowledged, final int linkBack, final int node) {
        final long place = (long) node * Integer.BYTES;
        final int entry = sent.get(sent.offset(acknowledged - 3, linkBack) + place);
        return SentCells.joins(entry) && SentCells.joins(sent.get(sent.offset(acknowledged - 2, linkBack) + place))
            ? entry : SentCells.NONE;
    }

    /** Takes a report on a cell for its flow, if its throttle is at most a value. */
    private void take(final int node, final int entry, final int reported, final int linkBack, final int next,
        final int atMost) {
        final int flow = SentCells.flow(entry);
        if (throttles.freeFrom(node, flow, linkBack) <= atMost) {
            throttles.set(node, flow, linkBack, next + Math.max(0, reported - SentCells.services(entry)));
        }
    }
}
