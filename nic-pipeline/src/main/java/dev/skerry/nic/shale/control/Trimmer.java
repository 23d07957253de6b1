package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.ArrivalRule;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.DroppedCells;
import dev.skerry.nic.shale.Route;

/**
 * Cuts cells that come to a full queue to their headers, which go on over the same link as a DROP (docs/spec/shale.md
 * §7). The previous hop is owed what it would be if the cell had been sent on. One thread.
 */
final class Trimmer implements ArrivalRule {
    private final CongestionControl control;
    private final CellQueues queues;
    private final PayloadStore store;
    private final ControlChannel channel;
    private final int maxQueue;
    private long trimmed;

    /**
     * A trimmer of a bank.
     *
     * @param control  congestion control of links, whose rule comes first.
     * @param queues   the queues that cells are to join.
     * @param store    loses what is cut off.
     * @param channel  takes the headers.
     * @param maxQueue cells of a full queue.
     */
    Trimmer(final CongestionControl control, final CellQueues queues, final PayloadStore store,
        final ControlChannel channel, final int maxQueue) {
        this.control = control;
        this.queues = queues;
        this.store = store;
        this.channel = channel;
        this.maxQueue = maxQueue;
    }

    @Override
    public void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
        control.onArrive(first, arriving, drops);
        int kept = 0;
        for (int i = 0; i < arriving.count(); i++) {
            if (queues.length(arriving.queue()[i]) >= maxQueue) {
                trim(arriving.node()[i], arriving.queue()[i], arriving.word()[i], arriving.cell()[i]);
            } else {
                move(arriving, i, kept++);
            }
        }
        arriving.count(kept);
    }

    private static void move(final CellBatch batch, final int from, final int to) {
        batch.node()[to] = batch.node()[from];
        batch.hop()[to] = batch.hop()[from];
        batch.queue()[to] = batch.queue()[from];
        batch.word()[to] = batch.word()[from];
        batch.cell()[to] = batch.cell()[from];
    }

    private void trim(final int node, final int queue, final long entry, final long cell) {
        control.onForward(node, entry);
        channel.forward(queue, ControlMessage.of(ControlMessage.DROP, Route.destination(entry), Route.sprays(entry)),
            store.identify(cell));
        store.discard(cell);
        trimmed++;
    }

    /** Cells cut so far. */
    long trimmed() {
        return trimmed;
    }

    /** Cells of a full queue. */
    int maxQueue() {
        return maxQueue;
    }
}
