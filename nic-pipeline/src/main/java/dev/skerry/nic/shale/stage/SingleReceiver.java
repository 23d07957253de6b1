package dev.skerry.nic.shale.stage;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.ShaleRouter;

/** What happens to the cell that a single node receives, see {@link ShaleReceiver}. One thread. */
final class SingleReceiver {
    private final QueueBank queues;
    private final DeliveryLedger deliveries;
    private final ShaleRouter router;
    private final Losses losses;

    SingleReceiver(final ShaleBank.Parts parts) {
        this.queues = parts.queues();
        this.deliveries = parts.deliveries();
        this.router = parts.router();
        this.losses = parts.losses();
    }

    /**
     * Delivers a cell at its destination; any other joins the queue of its next hop.
     *
     * @param slot the slot it is handled in.
     * @param id   the node's id.
     * @param node its number in the bank.
     * @param word the route word.
     * @param cell the cell word.
     */
    void receive(final long slot, final int id, final int node, final long word, final long cell) {
        if (Route.destination(word) == id) {
            deliveries.deliver(slot, id, cell, Route.age(word, slot));
            return;
        }
        final int next = Route.sprays(word) > 0 ? router.spray(id, node, word) : router.direct(id, word);
        if (next == ShaleRouter.NO_LINK) {
            drop(node, word, cell);
        } else {
            queues.enqueue(node, next, router.entry(), cell);
        }
    }

    /** Drops a cell without a link in its spraying phase; its token is owed all the same. */
    void drop(final int node, final long word, final long cell) {
        queues.owe(node, router.lackingEntry(word));
        losses.drop(node, cell, NicCounter.DROPPED_NO_LINK);
    }
}
