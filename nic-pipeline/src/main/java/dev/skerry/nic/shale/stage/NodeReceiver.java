package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.ShaleRouter;
import dev.skerry.nic.shale.SlotMath;

/**
 * What nodes receive that are taken through a slot one by one, see {@link ShaleReceiver}. Their lines are read first,
 * in loops that do nothing else, so that cache misses overlap. One thread.
 */
final class NodeReceiver {
    private final int firstId;
    private final SlotMath numbers;
    private final QueueBank queues;
    private final CongestionControl control;
    private final DeliveryLedger deliveries;
    /** Told of cells delivered; null for nobody. */
    private final EndToEnd endToEnd;
    private final ShaleRouter router;
    private final InFlightCells link;
    private final Losses losses;
    /** What lies at the places of the nodes. */
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Of a cell that goes on: the position in the epoch of its next hop, and its word in the queue. */
    private final int[] next;
    private final long[] entry;
    private int fetched;

    NodeReceiver(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final InFlightCells link) {
        this.firstId = range.first();
        this.numbers = new SlotMath(shale.schedule(), range.size());
        this.queues = parts.queues();
        this.control = parts.control();
        this.deliveries = parts.deliveries();
        this.endToEnd = parts.endToEnd();
        this.router = parts.router();
        this.link = link;
        this.losses = parts.losses();
        final int block = CellBatch.block(range.size());
        this.route = new long[block];
        this.cell = new long[block];
        this.feedback = new long[block];
        this.next = new int[block];
        this.entry = new long[block];
    }

    /**
     * Nodes of a block receive what lies at their places: a cell or none, and what rode along.
     *
     * @param slot  the slot.
     * @param first the first node of the block.
     * @param which the nodes, counted from the first.
     * @param count how many.
     * @param at    place of each, by node of the block.
     */
    void receive(final long slot, final int first, final int[] which, final int count, final long[] at) {
        read(first, which, count, at);
        route(slot, first, which, count);
        for (int k = 0; k < count; k++) {
            final int node = first + which[k];
            if (next[k] >= 0) {
                queues.accept(node, next[k], entry[k], cell[k]);
            }
            if (feedback[k] != InFlightCells.NO_FEEDBACK) {
                queues.takeIn(node, router.owedLink(), feedback[k]);
            }
        }
    }

    private void read(final int first, final int[] which, final int count, final long[] at) {
        final int firstQueue = numbers.queue(router.owedLink(), first);
        int read = 0;
        for (int k = 0; k < count; k++) {
            final long place = at[which[k]];
            route[k] = link.route(place);
            cell[k] = link.cell(place);
            feedback[k] = link.feedback(place);
            read += control.fetch(firstQueue + which[k], first + which[k]);
        }
        // Kept, or the compiler would drop the reads.
        fetched += read;
    }

    /** Cells at their destination are delivered; the others get their next hop. */
    private void route(final long slot, final int first, final int[] which, final int count) {
        int read = 0;
        for (int k = 0; k < count; k++) {
            final int node = first + which[k];
            final int id = firstId + node;
            next[k] = ShaleRouter.NO_LINK;
            if (route[k] != InFlightCells.NO_CELL) {
                if (Route.destination(route[k]) == id) {
                    final long identity = deliveries.deliver(slot, id, cell[k], Route.age(route[k], slot));
                    if (endToEnd != null) {
                        endToEnd.onDeliver(node, identity);
                    }
                } else {
                    next[k] = Route.sprays(route[k]) > 0 ? router.spray(id, node, route[k])
                        : router.direct(id, route[k]);
                    entry[k] = router.entry();
                    read += sendOn(k, node);
                }
            }
        }
        fetched += read;
    }

    /** Reads the line of the queue that a cell joins; one that has no next hop is dropped. */
    private int sendOn(final int k, final int node) {
        if (next[k] == ShaleRouter.NO_LINK) {
            queues.owe(node, entry[k]);
            losses.drop(node, cell[k], NicCounter.DROPPED_NO_LINK);
            return 0;
        }
        return queues.queues().length(numbers.queue(next[k], node));
    }
}
