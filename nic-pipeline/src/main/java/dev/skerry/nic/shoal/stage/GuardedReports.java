package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;

/**
 * The feedback where cells can be lost and have classes: {@code OneReport} and the last-cell-dropped bit
 * (docs/spec/shoal.md §6). A report on a cell of a class is about the queues of all classes that go before it or along
 * with it, and what goes before all queues. One thread.
 *
 * <p>What a node does with a report that says "dropped", or that came with a damaged cell, whose dropped bit cannot be
 * trusted:
 *
 * <pre>
 *   the report      the cell it is about     its flow
 *   damaged         goes once more           is freed by what can be read, unless the bit reads "dropped"
 *   dropped, 0      goes once more           waits for the report on that
 *   dropped, more   back to its flow         is freed by the report
 * </pre>
 */
final class GuardedReports {
    private final int firstId;
    private final int maxResends;
    private final int maxFeedback;
    private final GuardedBank.Parts parts;
    private final NeighbourProtocol keeper;
    private long refused;

    GuardedReports(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts,
        final NeighbourProtocol keeper) {
        this.firstId = range.first();
        this.maxResends = shoal.resilience().maxResends();
        this.maxFeedback = ReportWord.maxFeedback(shoal.nodes());
        this.parts = parts;
        this.keeper = keeper;
    }

    /** What a node reports to a neighbour, from the state at the start of the slot. */
    long sample(final int node, final int link) {
        final NeighbourTable pairs = parts.pairs();
        final long line = pairs.line(link, node);
        final int mark = pairs.mark(line);
        if (mark == NeighbourTable.TAKEN) {
            return ReportWord.of(load(node, pairs.joined(line)), false);
        }
        if (mark == NeighbourTable.DAMAGED) {
            return ReportWord.of(0, true);
        }
        return ReportWord.of(mark == NeighbourTable.NO_WAY ? maxFeedback : Math.max(1, load(node,
            pairs.joined(line))), true);
    }

    private int load(final int node, final int joined) {
        // Messages and cells sent once more go before the queue, and Eq. 2 takes every epoch for a service of it.
        int load = parts.pairs().ahead(parts.pairs().line(NeighbourTable.joinedLink(joined), node));
        for (int number = NeighbourTable.joinedClass(joined); number >= 0; number--) {
            final ShoalQueues queues = parts.queues()[number];
            load += queues.load(queues.queue(NeighbourTable.joinedLink(joined), node));
        }
        return Math.min(load, maxFeedback);
    }

    /**
     * What a node makes of a report.
     *
     * @param node         number in the bank.
     * @param link         the link to the reporter.
     * @param word         the report.
     * @param damaged      whether it came with a damaged cell.
     * @param acknowledged epoch in which the cell that it is about was sent.
     * @param next         epoch of the next turn on the link.
     * @param simultaneous whether the node had a turn in this very slot.
     */
    void take(final int node, final int link, final long word, final boolean damaged, final int acknowledged,
        final int next, final boolean simultaneous) {
        if (simultaneous) {
            freeDirect(node, link, next);
        }
        final long entryAt = parts.sent().offset(acknowledged, link) + (long) node * Integer.BYTES;
        final long copyAt = parts.copies().at(acknowledged, link, node);
        final long route = parts.copies().route(copyAt);
        final int last = parts.sent().get(entryAt);
        final boolean dropped = ReportWord.isDropped(word);
        final int feedback = Math.min(ReportWord.feedback(word), maxFeedback);
        final boolean refusal = !damaged && dropped && feedback > 0;
        final boolean frees = !dropped || refusal;
        if (route != InFlightCells.NO_CELL) {
            if (damaged || dropped && !refusal) {
                if (parts.pairs().countResend(parts.pairs().line(link, node)) > maxResends) {
                    keeper.goDown(node, link);
                    return;
                }
                repeat(node, link, copyAt, !frees && last >= 0);
            } else {
                parts.pairs().endResends(parts.pairs().line(link, node));
                if (refusal && ClassedCell.source(route) == firstId + node) {
                    keeper.giveBack(node, route, parts.copies().cell(copyAt));
                    refused++;
                }
            }
            parts.copies().put(copyAt, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        }
        if (frees) {
            free(node, link, acknowledged, feedback, next, simultaneous);
        }
        if (!frees || refusal) {
            // It joined no queue, or nobody knows; the report on its repetition will be another one's.
            parts.sent().set(entryAt, SentCells.NONE);
        }
    }

    /** A message is told once more from its first part on, a cell is sent once more. */
    private void repeat(final int node, final int link, final long copyAt, final boolean awaited) {
        final long line = parts.pairs().line(link, node);
        final long route = parts.copies().route(copyAt);
        if (InFlightCells.isCell(route)) {
            parts.pairs().addResend(line, ClassedCell.waiting(route, awaited), parts.copies().cell(copyAt));
        } else {
            parts.pairs().setNotices(line, Math.max(parts.pairs().notices(line), parts.reachability().chunks()));
        }
    }

    /** As in {@code OneReport}: what the report on the cell of an epoch is about, and whom it frees. */
    private void free(final int node, final int link, final int acknowledged, final int feedback, final int next,
        final boolean simultaneous) {
        final int last = entry(node, link, acknowledged);
        int entry = last;
        if (!SentCells.joins(last)) {
            free(node, link, last, 0, next, Throttles.AWAIT);
            entry = entry(node, link, acknowledged - 1);
            if (!SentCells.joins(entry)) {
                entry = SentCells.joins(entry(node, link, acknowledged - 2)) ? entry(node, link, acknowledged - 3)
                    : SentCells.NONE;
            }
        }
        if (SentCells.joins(entry)) {
            final int unseen = simultaneous && parts.sent().justSent(node) == SentCells.flow(entry) ? 1 : 0;
            free(node, link, entry, feedback + unseen, next,
                entry == last || unseen > 0 ? Throttles.AWAIT : Throttles.AWAIT - 1);
        }
    }

    private int entry(final int node, final int link, final int epoch) {
        return parts.sent().get(parts.sent().offset(epoch, link) + (long) node * Integer.BYTES);
    }

    private void free(final int node, final int link, final int entry, final int reported, final int next,
        final int atMost) {
        if (entry >= 0 && parts.throttles().freeFrom(node, SentCells.flow(entry), link) <= atMost) {
            parts.throttles().set(node, SentCells.flow(entry), link,
                next + Math.max(0, reported - SentCells.services(entry)));
        }
    }

    /** A cell just sent to its destination is taken as arrived, see {@code OneReport}. */
    private void freeDirect(final int node, final int link, final int next) {
        final int justSent = entry(node, link, next - 1);
        if (!SentCells.joins(justSent)) {
            free(node, link, justSent, 0, next, Throttles.AWAIT);
        }
    }

    /** Cells that went back to their flows as a relay refused them. */
    long refused() {
        return refused;
    }
}
