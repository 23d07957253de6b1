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
final class SlotReceiver {
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
    private final Prefetcher lines = new Prefetcher(4 * BLOCK);
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
    private long droppedNoLink;
    private long firstDropSlot = -1;
    private int firstDropNode = -1;

    /** Arrived cells of one kind: receiving node, and where on the link the cell is; one place more, as for notices. */
    private static final class Kind {
        private final int[] node = new int[BLOCK + 1];
        private final long[] at = new long[BLOCK + 1];
        private int count;

        void add(final int receiver, final long place, final boolean really) {
            node[count] = receiver;
            at[count] = place;
            count += really ? 1 : 0;
        }
    }

    SlotReceiver(final NodeRange range, final Shale shale, final NicBank.Parts parts, final CellLink link) {
        this.range = range;
        this.schedule = shale.schedule();
        this.propagationSlots = shale.propagationSlots();
        this.queues = parts.queues();
        this.admission = parts.admission();
        this.reassembler = parts.reassembler();
        this.router = parts.router();
        this.maxima = parts.maxima();
        this.link = link;
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
            sort(inEpoch, link.offset(sent), first, Math.min(first + BLOCK, range.size()));
            deliver();
            route();
            lines.fetch();
            join();
            for (int i = 0; i < notices; i++) {
                admission.onNotice(queueBack + noticeNode[i], noticeNode[i], notice[i]);
            }
        }
    }

    /** Cells dropped as no usable link led on to their destination. */
    long droppedNoLink() {
        return droppedNoLink;
    }

    /** The slot of the first drop, -1 if there was none. */
    long firstDropSlot() {
        return firstDropSlot;
    }

    /** The node of the first drop. */
    int firstDropNode() {
        return firstDropNode;
    }

    private void sort(final int inEpoch, final long linkAt, final int first, final int end) {
        final int phase = inEpoch / schedule.linksPerPhase();
        final int phaseLink = inEpoch - phase * schedule.linksPerPhase();
        home.count = 0;
        spraying.count = 0;
        direct.count = 0;
        int count = 0;
        for (int receiver = first; receiver < end; receiver++) {
            final int id = range.first() + receiver;
            final long at = linkAt + (long) schedule.senderTo(id, phase, phaseLink) * Long.BYTES;
            final long route = link.route(at);
            final boolean isCell = route != CellLink.NO_CELL;
            final boolean isHome = isCell & Route.destination(route) == id;
            final boolean sprays = isCell & !isHome & Route.sprays(route) > 0;
            home.add(receiver, at, isHome);
            spraying.add(receiver, at, sprays);
            direct.add(receiver, at, isCell & !isHome & !sprays);
            final long feedback = link.feedback(at);
            noticeNode[count] = receiver;
            notice[count] = (int) feedback;
            count += (int) feedback != NO_NOTICE ? 1 : 0;
            noticeNode[count] = receiver;
            notice[count] = (int) (feedback >>> 32);
            count += (int) (feedback >>> 32) != NO_NOTICE ? 1 : 0;
        }
        notices = count;
    }

    private void deliver() {
        for (int i = 0; i < home.count; i++) {
            final long at = home.at[i];
            reassembler.deliver(slot, range.first() + home.node[i], link.cell(at), Route.age(link.route(at), slot));
        }
    }

    private void route() {
        joining = 0;
        for (int i = 0; i < spraying.count; i++) {
            final int id = range.first() + spraying.node[i];
            final int next = router.spray(id, spraying.node[i], link.route(spraying.at[i]));
            if (next == ShaleRouter.NO_LINK) {
                admission.onForward(spraying.node[i], router.entry());
                drop(id);
            } else {
                add(spraying.node[i], next, spraying.at[i]);
            }
        }
        for (int i = 0; i < direct.count; i++) {
            final int id = range.first() + direct.node[i];
            add(direct.node[i], router.direct(id, link.route(direct.at[i])), direct.at[i]);
        }
        for (int i = 0; i < notices; i++) {
            admission.prefetchNotice(noticeNode[i], notice[i], lines);
        }
    }

    private void drop(final int id) {
        if (droppedNoLink++ == 0) {
            firstDropSlot = slot;
            firstDropNode = id;
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
