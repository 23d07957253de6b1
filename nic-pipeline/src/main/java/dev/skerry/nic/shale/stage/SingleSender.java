package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;

/**
 * What few nodes send, one after the other, see {@link SparseSender}: each of them goes through the whole slot while
 * what it holds is at hand. Loops over so few would end when they have begun. One thread.
 */
final class SingleSender {
    private final int firstNode;
    private final Phased schedule;
    private final SlotMath numbers;
    private final int firstSprays;
    private final QueueBank queues;
    private final CongestionControl control;
    private final ShaleFlowScheduler scheduler;
    private final InFlightCells link;
    private final SentPlaces places;
    /** What a node sends. */
    private long route;
    private long cell;
    private long forwarded;

    SingleSender(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final InFlightCells link,
        final SentPlaces places) {
        this.firstNode = range.first();
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.firstSprays = schedule.phases() - 1;
        this.queues = parts.queues();
        this.control = parts.control();
        this.scheduler = parts.scheduler();
        this.link = link;
        this.places = places;
    }

    /**
     * Sends from up to 64 nodes of a block, a bit each.
     *
     * @param first   the first node of the block.
     * @param from    the first of the 64, counted from it.
     * @param waiting where a cell waits.
     * @param own     where none does, but a flow is.
     * @param feeding where feedback is.
     */
    void send(final long slot, final int inEpoch, final int first, final int from, final long waiting, final long own,
        final long feeding) {
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        final int base = first + from;
        for (long left = waiting | own | feeding; left != 0; left &= left - 1) {
            final int bit = Long.numberOfTrailingZeros(left);
            final int node = base + bit;
            final int queue = numbers.queue(inEpoch, node);
            final int peer = schedule.peerOf(firstNode + node, phase, phaseLink);
            route = InFlightCells.NO_CELL;
            if (((waiting | own) >>> bit & 1) != 0) {
                choose(slot, node, queue, peer, (waiting >>> bit & 1) != 0);
            }
            // A cell sent on may have left feedback for this very link.
            final long feedback = (control.feedbackFrom(queue) & 1) == 0 ? InFlightCells.NO_FEEDBACK
                : control.takeFeedback(queue);
            if (route != InFlightCells.NO_CELL || feedback != InFlightCells.NO_FEEDBACK) {
                link.send(places.place(from + bit, 0), route, cell, feedback);
                places.tell(from + bit, peer);
            }
        }
    }

    /** Chooses the first cell of a node that may go: the first in its queue, else one of its own. */
    private void choose(final long slot, final int node, final int queue, final int peer, final boolean waits) {
        if (waits && queues.dequeue(node, queue)) {
            route = Route.forwarded(queues.queues().entry());
            cell = queues.queues().payload();
            forwarded++;
        } else if (scheduler.hasFlow(node) && scheduler.poll(queue, node, peer, control)) {
            route = Route.first(scheduler.destination(), firstSprays, slot);
            cell = scheduler.cell();
        } else if (!scheduler.isDeclined()) {
            queues.refused().set(queue);
        }
    }

    /** Cells sent on for others. */
    long forwarded() {
        return forwarded;
    }
}
