package dev.skerry.nic.follow;

import java.util.Arrays;

/** Which flows of a followed node of Shoal may be ready for a link: Eq. 2 releases their next cell. One thread. */
final class ReadyFlows {
    private final CellNames names;
    private final int node;
    private final OwnNumbers numbers;
    private final RelayReports reports;
    /** The node's flows among the first ones; others may come. */
    private int[] own = new int[16];
    private int count;
    private int known;
    /** By destination, the number of the question in which it was counted. */
    private final long[] counted;
    private long question;

    ReadyFlows(final CellNames names, final int node, final int nodes, final OwnNumbers numbers,
        final RelayReports reports) {
        this.names = names;
        this.node = node;
        this.numbers = numbers;
        this.reports = reports;
        this.counted = new long[nodes];
    }

    /**
     * Most destinations for which a flow may be ready in a turn.
     *
     * @param epoch of the turn, and the most cells that may be in the queue.
     */
    int most(final int link, final long slot, final long epoch) {
        learn();
        question++;
        int ready = 0;
        for (int i = 0; i < count; i++) {
            final long cell = names.cell(node, own[i], numbers.next(own[i]));
            final int to = names.destination(cell);
            if (counted[to] != question && names.hasCell(cell, slot)
                && reports.isReleased(link, to, slot, epoch)) {
                counted[to] = question;
                ready++;
            }
        }
        return ready;
    }

    /** Flows come one after another; where they are pairs of nodes, no pair is a node with itself. */
    private void learn() {
        for (int flow = known; flow < names.flows() && flow < known + 2; flow++) {
            final long cell = names.cell(node, flow, 0);
            if (names.exists(cell)) {
                known = flow + 1;
                if (names.source(cell) == node) {
                    own = count < own.length ? own : Arrays.copyOf(own, 2 * count);
                    own[count++] = flow;
                }
            }
        }
    }
}
