package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.nic.fabric.Admission;
import dev.skerry.nic.fabric.shale.Route;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shale.ShaleRouter;
import dev.skerry.schedule.Phased;

/**
 * What every node of a bank receives in a slot (Shale §4.1 RX path, spec/shale §5.4): a cell at its destination is
 * delivered, any other joins the queue of its next hop; then the notices that rode along are taken in. One thread.
 *
 * <p>A block of nodes goes through each step together: first what arrived is sorted by what is to be done with it, then
 * each kind is worked off in a loop of its own. Which kind a cell is of is a coin toss, and a step for one kind has no
 * coin to mispredict; what the last steps will touch is fetched before them.
 */
final class ShaleReceiver {
    private static final int BLOCK = 64;
    private static final int NO_NOTICE = -1;

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
    private final Prefetcher lines = new Prefetcher(4 * BLOCK);
    /** Where on the link the cell is that each node of the block receives. */
    private final long[] arrived = new long[BLOCK];
    private final Kind home = new Kind();
    private final Kind spraying = new Kind();
    private final Kind direct = new Kind();
    /** Cells that join a queue: node, position of its link in the epoch, the two words of the entry. */
    private final int[] node = new int[BLOCK];
    private final int[] hop = new int[BLOCK];
    private final long[] entry = new long[BLOCK];
    private final long[] cell = new long[BLOCK];
    private int joining;
    /**
     * Notices: receiving node and what it says. One place more, as places are written before it is known if they count.
     */
    private final int[] noticeNode = new int[2 * BLOCK + 1];
    private final int[] notice = new int[2 * BLOCK + 1];
    private int notices;
    private long slot;

    /** Arrived cells of one kind, as their places in the block; one place more, as for notices. */
    private static final class Kind {
        private final int[] cells = new int[BLOCK + 1];
        private int count;

        void add(final int place, final boolean really) {
            cells[count] = place;
            count += really ? 1 : 0;
        }
    }

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
            sort(first, nodes);
            deliver(range.first() + first);
            route(first);
            lines.fetch();
            join();
            for (int i = 0; i < notices; i++) {
                admission.onNotice(queueBack + noticeNode[i], noticeNode[i], notice[i]);
            }
        }
    }

    private void sort(final int first, final int nodes) {
        final int firstId = range.first() + first;
        home.count = 0;
        spraying.count = 0;
        direct.count = 0;
        int count = 0;
        for (int i = 0; i < nodes; i++) {
            final long at = arrived[i];
            final long route = link.route(at);
            final boolean isCell = route != CellLink.NO_CELL;
            final boolean isHome = isCell & Route.destination(route) == firstId + i;
            final boolean sprays = isCell & !isHome & Route.sprays(route) > 0;
            home.add(i, isHome);
            spraying.add(i, sprays);
            direct.add(i, isCell & !isHome & !sprays);
            final long feedback = link.feedback(at);
            noticeNode[count] = first + i;
            notice[count] = (int) feedback;
            count += (int) feedback != NO_NOTICE ? 1 : 0;
            noticeNode[count] = first + i;
            notice[count] = (int) (feedback >>> 32);
            count += (int) (feedback >>> 32) != NO_NOTICE ? 1 : 0;
        }
        notices = count;
    }

    private void deliver(final int firstId) {
        for (int i = 0; i < home.count; i++) {
            final long at = arrived[home.cells[i]];
            reassembler.deliver(slot, firstId + home.cells[i], link.cell(at), Route.age(link.route(at), slot));
        }
    }

    private void route(final int first) {
        joining = 0;
        for (int i = 0; i < spraying.count; i++) {
            final int receiver = first + spraying.cells[i];
            final int id = range.first() + receiver;
            final long at = arrived[spraying.cells[i]];
            final int next = router.spray(id, receiver, link.route(at));
            if (next == ShaleRouter.NO_LINK) {
                admission.onForward(receiver, router.entry());
                losses.drop(receiver, link.cell(at), NicCounter.DROPPED_NO_LINK);
            } else {
                add(receiver, next, at);
            }
        }
        for (int i = 0; i < direct.count; i++) {
            final int receiver = first + direct.cells[i];
            final long at = arrived[direct.cells[i]];
            add(receiver, router.direct(range.first() + receiver, link.route(at)), at);
        }
        for (int i = 0; i < notices; i++) {
            admission.prefetchNotice(noticeNode[i], notice[i], lines);
        }
    }

    private void add(final int receiver, final int next, final long at) {
        final int i = joining++;
        node[i] = receiver;
        hop[i] = next;
        entry[i] = router.entry();
        cell[i] = link.cell(at);
        queues.prefetch(next * range.size() + receiver, lines);
        admission.prefetchEnqueue(receiver, router.entry(), lines);
    }

    private void join() {
        for (int i = 0; i < joining; i++) {
            final int length = queues.enqueue(hop[i] * range.size() + node[i], entry[i], cell[i]);
            router.onEnqueue(hop[i], node[i], length);
            maxima.onEnqueue(node[i], length);
            admission.onEnqueue(node[i], entry[i]);
        }
    }
}
