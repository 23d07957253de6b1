package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.queue.Bits;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.Flag;
import dev.skerry.nic.fabric.Admission;
import dev.skerry.nic.fabric.shale.Route;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.ShaleRouter;
import dev.skerry.schedule.Phased;

/**
 * What every node of a bank receives in a slot (Shale §4.1 RX path, spec/shale §5.4): a cell at its destination is
 * delivered, any other joins the queue of its next hop; then the notices that rode along are taken in. One thread.
 *
 * <p>A block of nodes goes through each step together, and a step is a loop over columns of what the block has in hand:
 * which kind a cell is of is a coin toss, and a loop for one kind has no coin to mispredict; a loop that calls nothing
 * keeps its addresses in registers, which a compiler cannot do across a call.
 */
final class ShaleReceiver {
    private static final int BLOCK = CellBatch.CELLS;

    private final NodeRange range;
    private final Phased schedule;
    private final int propagationSlots;
    private final EligibilityQueues queues;
    private final Admission admission;
    private final Reassembler reassembler;
    private final ShaleRouter router;
    private final NodeMaxima maxima;
    private final CellLink link;
    private final Circuits circuits;
    private final Losses losses;
    /** Looks at what arrives before the stage does; null where nothing ever fails. */
    private final ShaleFaults faults;
    /** Where on the link the cell is that each node of the block receives. */
    private final long[] arrived = new long[BLOCK];
    /** What it says, and what rode along. */
    private final long[] route = new long[BLOCK];
    private final long[] feedback = new long[BLOCK];
    /** Nodes of the block whose cell is at home, is to spray, or goes straight on: a bit for each. */
    private long home;
    private long spraying;
    private long direct;
    /** Cells that join a queue. */
    private final CellBatch batch = new CellBatch();
    /** Cells at home: their nodes, the cells, slots on their way. */
    private final int[] node = new int[BLOCK];
    private final long[] cell = new long[BLOCK];
    private final int[] age = new int[BLOCK];
    private long slot;

    ShaleReceiver(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final CellLink link,
        final Circuits circuits, final ShaleFaults faults) {
        this.range = range;
        this.schedule = shale.schedule();
        this.propagationSlots = shale.propagationSlots();
        this.queues = parts.queues();
        this.admission = parts.admission();
        this.reassembler = parts.reassembler();
        this.router = parts.router();
        this.maxima = parts.maxima();
        this.link = link;
        this.circuits = circuits;
        this.losses = parts.losses();
        this.faults = faults;
    }

    /** Handles, for every node of the bank, the cell that was sent to it the propagation delay before a slot. */
    void receive(final long handlingSlot) {
        slot = handlingSlot;
        final long sent = slot - propagationSlots;
        if (sent < 0) {
            return;
        }
        final int inEpoch = schedule.slotInEpoch(sent);
        router.turnToReceiving(slot, inEpoch);
        final int queueBack = router.owedLink() * range.size();
        for (int first = 0; first < range.size(); first += BLOCK) {
            final int nodes = Math.min(BLOCK, range.size() - first);
            circuits.arrivals(sent, 0, range.first() + first, nodes, arrived);
            if (faults != null) {
                faults.notice(router.owedLink(), first, nodes, arrived);
            }
            if (!link.read(arrived, nodes, route, feedback)) {
                continue;
            }
            sort(range.first() + first, nodes);
            deliver(range.first() + first);
            batch.clear();
            route(first);
            queues.enqueue(batch);
            router.onEnqueue(batch);
            maxima.onEnqueue(batch);
            admission.onEnqueue(batch);
            admission.onFeedback(queueBack + first, first, nodes, feedback);
        }
    }

    private void sort(final int firstId, final int nodes) {
        long cells = 0;
        long isHome = 0;
        long sprays = 0;
        for (int i = 0; i < nodes; i++) {
            final long word = route[i];
            cells |= Flag.ifAny(word ^ CellLink.NO_CELL) << i;
            isHome |= (long) Flag.ifEqual(Route.destination(word), firstId + i) << i;
            sprays |= (long) Flag.ifPositive(Route.sprays(word)) << i;
        }
        home = isHome & cells;
        spraying = sprays & cells & ~isHome;
        direct = cells & ~isHome & ~sprays;
    }

    private void deliver(final int firstId) {
        final CellLink from = link;
        final int cells = Bits.list(home, node);
        for (int k = 0; k < cells; k++) {
            final int i = node[k];
            node[k] = firstId + i;
            cell[k] = from.cell(arrived[i]);
            age[k] = Route.age(route[i], slot);
        }
        reassembler.deliver(slot, cells, node, cell, age);
    }

    private void route(final int first) {
        final int firstId = range.first() + first;
        for (long rest = router.spray(firstId, first, spraying, route, batch); rest != 0; rest &= rest - 1) {
            final int i = Long.numberOfTrailingZeros(rest);
            final int receiver = first + i;
            final int next = router.spray(firstId + i, receiver, route[i]);
            if (next == ShaleRouter.NO_LINK) {
                admission.onForward(receiver, router.entry());
                losses.drop(receiver, link.cell(arrived[i]), NicCounter.DROPPED_NO_LINK);
            } else {
                batch.add(receiver, next, next * range.size() + receiver, router.entry());
            }
        }
        router.direct(firstId, first, direct, route, batch);
        final CellLink from = link;
        final int[] joining = batch.node();
        final long[] cells = batch.cell();
        final int count = batch.count();
        for (int i = 0; i < count; i++) {
            cells[i] = from.cell(arrived[joining[i] - first]);
        }
    }
}
