package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.OneReport;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueues;

/**
 * Reports where cells can be damaged or refused and have classes (docs/spec/shoal.md §6): the rules of {@link
 * OneReport}, and the last-cell-dropped bit. A report on a cell of a class covers the queues of that class and of all
 * higher ones, and the cells that go before all queues. One thread.
 *
 * <p>The bit of a damaged cell cannot be trusted. What a node does:
 *
 * <pre>
 *   the report      the cell it is about      its flow
 *   damaged         sent again                freed by the report, unless the bit reads "dropped"
 *   dropped, 0      sent again                waits for the report on the copy
 *   dropped, more   given back to its flow    freed by the report
 * </pre>
 */
final class DamageReports {
    private final int firstId;
    private final int maxResends;
    private final int maxFeedback;
    private final ShoalBank.Parts parts;
    private final ShoalFailures.State state;
    private final NeighbourTable neighbours;
    private final NeighbourProtocol protocol;
    private final OneReport rule;
    private long refused;

    DamageReports(final NodeRange range, final Shoal shoal, final ShoalBank.Parts parts,
        final ShoalFailures.State state, final NeighbourProtocol protocol) {
        this.firstId = range.first();
        this.maxResends = shoal.resilience().maxResends();
        this.maxFeedback = ReportWord.maxFeedback(shoal.nodes());
        this.parts = parts;
        this.state = state;
        this.neighbours = state.neighbours();
        this.protocol = protocol;
        // The other rule has no failures.
        this.rule = (OneReport) parts.reports();
    }

    /** As {@link dev.skerry.nic.shoal.Reports#sample}. */
    void sample(final int link, final int first, final int end, final long[] into) {
        for (int node = first; node < end; node++) {
            into[node] = sample(node, link);
        }
    }

    private long sample(final int node, final int link) {
        final int joined = parts.joined().latest(link, node);
        return switch (neighbours.mark(neighbours.line(link, node))) {
            case NeighbourTable.TAKEN -> ReportWord.of(load(node, joined), false);
            case NeighbourTable.DAMAGED -> ReportWord.of(0, true);
            case NeighbourTable.NO_WAY -> ReportWord.of(maxFeedback, true);
            default -> ReportWord.of(Math.max(1, load(node, joined)), true);
        };
    }

    private int load(final int node, final int joined) {
        final int towards = JoinedQueues.linkOf(joined);
        // Eq. 2 takes every epoch for a service of the queue, so what goes before the queue counts.
        int load = neighbours.ahead(neighbours.line(towards, node));
        for (int number = JoinedQueues.classOf(joined); number >= 0; number--) {
            final ShoalQueues queues = parts.queues()[number];
            load += queues.load(queues.queue(towards, node));
        }
        return Math.min(load, maxFeedback);
    }

    /**
     * Acts on a report.
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
        final boolean dropped = ReportWord.isDropped(word);
        final int feedback = Math.min(ReportWord.feedback(word), maxFeedback);
        final boolean refusal = !damaged && dropped && feedback > 0;
        final boolean frees = !dropped || refusal;
        final boolean again = damaged || dropped && !refusal;
        if (!settle(node, link, acknowledged, again, refusal, !frees)) {
            return;
        }
        if (frees) {
            rule.takeOne(node, feedback, link, acknowledged, next, simultaneous);
        } else if (simultaneous) {
            rule.freeDirect(node, 1, link, next);
        }
        if (!frees || refusal) {
            // It joined no queue, or nobody knows; the report on its copy will be another one.
            parts.sent().set(parts.sent().offset(acknowledged, link, node), SentCells.NONE);
        }
    }

    /** Settles the copy that a report is about; returns whether the neighbour is still up. */
    private boolean settle(final int node, final int link, final int acknowledged, final boolean again,
        final boolean refusal, final boolean awaits) {
        final long copy = state.copies().at(acknowledged, link, node);
        final long route = state.copies().route(copy);
        if (route == InFlightCells.NO_CELL) {
            return true;
        }
        final long line = neighbours.line(link, node);
        if (again) {
            if (neighbours.countResend(line) > maxResends) {
                protocol.goDown(node, link);
                return false;
            }
            final int last = parts.sent().get(parts.sent().offset(acknowledged, link, node));
            repeat(line, route, state.copies().cell(copy), awaits && last >= 0);
        } else {
            neighbours.endResends(line);
            if (refusal && ClassedCell.source(route) == firstId + node) {
                protocol.giveBack(node, route, state.copies().cell(copy));
                refused++;
            }
        }
        state.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        return true;
    }

    /** A cell is sent again; of a message all parts are. */
    private void repeat(final long line, final long route, final long cell, final boolean awaited) {
        if (InFlightCells.isCell(route)) {
            neighbours.addResend(line, ClassedCell.waiting(route, awaited), cell);
        } else {
            neighbours.setNotices(line, Math.max(neighbours.notices(line), state.reachability().chunks()));
        }
    }

    /** Cells that a relay refused and that went back to their flows. */
    long refused() {
        return refused;
    }
}
