package dev.skerry.nic.shoal;

/**
 * Two values with each cell, as in the authors' simulator: about the queue that the neighbour's last cell joined, and
 * about that of the last but one, whose flow is thereby reported again. Where two nodes send to each other in the same
 * slot, a report is taken for the cell just sent if that is of the same flow (docs/spec/shoal.md §4.5).
 */
final class TwoReports extends Reports {
    TwoReports(final ShoalQueues queues, final JoinedQueues joined, final Throttles throttles,
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
        return (long) queues.load(queues.queue(joined.before(onLink, node), node)) << 32
            | queues.load(queues.queue(joined.last(onLink, node), node));
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
        final int justSent = simultaneous ? sent.justSent(node) : SentCells.NONE;
        final int before = sent.get(sent.offset(acknowledged - 1, linkBack, node));
        take(node, before, (int) (feedback >>> 32), linkBack, next, justSent);
        take(node, sent.get(sent.offset(acknowledged, linkBack, node)), (int) feedback, linkBack, next, justSent);
    }

    @Override
    long awaited(final int linkBack, final int acknowledged, final int word) {
        return sent.own(acknowledged, linkBack, word) | sent.own(acknowledged - 1, linkBack, word);
    }

    private void take(final int node, final int entry, final int reported, final int linkBack, final int next,
        final int justSent) {
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
