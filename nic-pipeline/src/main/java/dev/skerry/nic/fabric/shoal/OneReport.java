package dev.skerry.nic.fabric.shoal;

import dev.skerry.dataplane.circuit.CellLink;

/**
 * One value with each cell: about the queue that the neighbour's last cell joined, or if it joined none, about that of
 * the last but one. The neighbour knows by position which of its cells that was (spec/shoal §4.5), and whether it was
 * one that joins a queue.
 *
 * <p>So a report is not spent on nothing, and the flow of the last but one, if it is still waiting, is told anew: a
 * flow is not held back by what was true two epochs ago. The authors' simulator does the same with a second value for
 * which the header has no room ({@link TwoReports}). Without it the shares of flows spread twice as far (spec/shoal
 * §9.2 G5), and two nodes that send to each other in the same slot, who learn of a cell only in the slot of their next
 * turn, after sending in it, could use each other in every other epoch at most. For these a report about the queue that
 * the cell just sent is going to join is taken for that cell, which is one more than was seen.
 */
final class OneReport extends Reports {
    OneReport(final ShoalQueues queues, final Throttles throttles, final SentCells sent, final CellLink link) {
        super(queues, throttles, sent, link);
    }

    @Override
    public void sample(final int onLink, final int first, final int end, final long[] into) {
        long line = queues.line(onLink, first);
        for (int node = first; node < end; node++) {
            final int last = queues.joined(line);
            final int before = queues.joinedBefore(line);
            into[node] = queues.load(queues.line(last != queues.noLink() ? last : before, node));
            line += ShoalQueues.LINE_BYTES;
        }
    }

    @Override
    public void take(final int first, final int count, final long[] places, final int linkBack,
        final int acknowledged, final int next, final boolean simultaneous) {
        final long lasts = sent.offset(acknowledged, linkBack) + (long) first * Integer.BYTES;
        final long befores = sent.offset(acknowledged - 1, linkBack) + (long) first * Integer.BYTES;
        for (int i = 0; i < count; i++) {
            final int last = sent.get(lasts + (long) i * Integer.BYTES);
            final int entry = last != SentCells.NONE ? last : sent.get(befores + (long) i * Integer.BYTES);
            if (entry == SentCells.NONE) {
                continue;
            }
            final int flow = SentCells.flow(entry);
            final int freeFrom = throttles.freeFrom(first + i, flow, linkBack);
            final int unseen = simultaneous && sent.justSent(first + i) == flow ? 1 : 0;
            // A flow that awaits the report of a later cell is not freed by one on the last but one.
            if (freeFrom < Throttles.AWAIT || freeFrom == Throttles.AWAIT && (last != SentCells.NONE || unseen > 0)) {
                final int reported = (int) link.feedback(places[i]) + unseen;
                throttles.set(first + i, flow, linkBack, next + Math.max(0, reported - SentCells.services(entry)));
            }
        }
    }
}
