package dev.skerry.nic.shoal;

/**
 * One value with each cell, about the queue that the neighbour's last cell joined, told once: the text of Shoal §3.3.2
 * as it stands. After a dummy or a cell at its destination nothing is told (docs/spec/shoal.md §4.5).
 */
final class SingleReport extends Reports {
    SingleReport(final ShoalQueues queues, final JoinedQueues joined, final Throttles throttles,
        final SentCells sent) {
        super(queues, joined, throttles, sent);
    }

    @Override
    public void sample(final int onLink, final int first, final int end, final long[] into) {
        for (int node = first; node < end; node++) {
            into[node] = sample(onLink, node);
        }
    }

    @Override
    public long sample(final int onLink, final int node) {
        return queues.load(queues.queue(joined.last(onLink, node), node));
    }

    @Override
    public void take(final int first, final int count, final long[] feedback, final int linkBack,
        final int acknowledged, final int next, final boolean simultaneous) {
        for (int i = 0; i < count; i++) {
            takeOne(first + i, feedback[i], linkBack, acknowledged, next, simultaneous);
        }
    }

    @Override
    public void takeOne(final int node, final long feedback, final int linkBack, final int acknowledged,
        final int next, final boolean simultaneous) {
        final int entry = sent.get(sent.offset(acknowledged, linkBack, node));
        if (entry != SentCells.NONE) {
            throttles.set(node, SentCells.flow(entry), linkBack,
                next + Math.max(0, (int) feedback - SentCells.services(entry)));
        }
    }

    @Override
    long awaited(final int linkBack, final int acknowledged, final int word) {
        return sent.own(acknowledged, linkBack, word);
    }
}
