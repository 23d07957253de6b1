package dev.skerry.nic.count;

import dev.skerry.dataplane.queue.CellBatch;

/**
 * {@link NodeMaxima} that also has the most cells that each queue of a bank ever held: 4 bytes a queue more, of which a
 * slot touches one a node. One thread.
 */
public final class QueueMaxima extends NodeMaxima {
    private final int[] most;

    /**
     * Nothing held.
     *
     * @param nodes  of the bank.
     * @param queues of the bank.
     */
    public QueueMaxima(final int nodes, final int queues) {
        super(nodes);
        this.most = new int[queues];
    }

    @Override
    public void onEnqueue(final int node, final int queue, final int length) {
        super.onEnqueue(node, queue, length);
        if (length > 0) {
            most[queue] = Math.max(most[queue], length);
        }
    }

    @Override
    public void onEnqueue(final CellBatch joined) {
        super.onEnqueue(joined);
        note(joined);
    }

    @Override
    public void onEnqueue(final int first, final int end, final CellBatch joined) {
        super.onEnqueue(first, end, joined);
        note(joined);
    }

    @Override
    public int maxOf(final int queue) {
        return most[queue];
    }

    private void note(final CellBatch joined) {
        final int[] queue = joined.queue();
        final int[] length = joined.length();
        final int count = joined.count();
        for (int i = 0; i < count; i++) {
            most[queue[i]] = Math.max(most[queue[i]], length[i]);
        }
    }
}
