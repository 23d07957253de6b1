package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.ShaleRouter;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.nic.shale.stage.ShaleBank.Flight;
import dev.skerry.nic.shale.stage.ShaleBank.Losses;

/**
 * Receives a slot for every node of a bank (Shale §4.1 RX path, docs/spec/shale.md §5.4): a cell at its destination is
 * delivered, any other joins the queue of its next hop; then the notices of the feedback are handled. One thread.
 *
 * <p>A block of nodes goes through each step together, and a step is a loop over columns. The kind of a cell is
 * unpredictable, so each kind has a loop of its own, without a branch to mispredict. The loops call no methods that are
 * not inlined, so their addresses stay in registers.
 */
final class ShaleReceiver extends ShaleBank.Stage {
    private final int propagationSlots;
    private final DeliveryLedger deliveries;
    /** Notified of cells delivered, or null. */
    private final EndToEnd endToEnd;
    private final Losses losses;
    private final ArrivalMap circuits;
    /** Handles arrivals of failed links before the stage does; null if nothing can fail. */
    private final ShaleFaults faults;
    /** Offset on the link of the cell that each node of the block receives. */
    private final long[] arrived;
    /** Nodes of the block that receive something; extra entries absorb the last branchless writes. */
    private final int[] some;
    /** Position in its row of each listed node, see {@link ArrivalFlags}. */
    private final int[] position;
    /** Route words and feedback words of the cells. */
    private final long[] route;
    private final long[] feedback;
    /**
     * Nodes whose cell takes a spraying hop, takes a direct hop or is delivered, and nodes that receive feedback. An
     * extra entry absorbs the last branchless write.
     */
    private final int[] spraying;
    private final int[] directly;
    private final int[] home;
    private final int[] fedNodes;
    private long slot;
    /** The sum of the fetched words, kept, else the compiler would remove the reads. */
    private long fetched;

    ShaleReceiver(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final Flight flight,
        final ArrivalMap circuits, final ShaleFaults faults, final FewNodes few) {
        super(range, shale, parts, flight, few);
        this.propagationSlots = shale.propagationSlots();
        this.deliveries = parts.deliveries();
        this.endToEnd = parts.endToEnd();
        this.losses = parts.losses();
        this.circuits = circuits;
        this.faults = faults;
        this.arrived = new long[block];
        this.some = new int[block + QueueBits.SPARE];
        this.position = new int[block];
        this.route = new long[block];
        this.feedback = new long[block];
        this.spraying = new int[block + 1];
        this.directly = new int[block + 1];
        this.home = new int[block + 1];
        this.fedNodes = new int[block + 1];
    }

    /** Handles, for every node of the bank, the cell that was sent to it one propagation delay before a slot. */
    void receive(final long handlingSlot) {
        slot = handlingSlot;
        final long sent = slot - propagationSlots;
        if (sent < 0) {
            return;
        }
        final int inEpoch = epoch.turnTo(sent);
        final int row = rows.turnTo(sent);
        router.turnToReceiving(slot, inEpoch);
        queues.turnTo(sent);
        final int what = hasFlags ? flags.sent(row) : ArrivalFlags.FULL;
        if (what == ArrivalFlags.NOTHING) {
            return;
        }
        for (int first = 0; first < range.size(); first += block) {
            final int nodes = Math.min(block, range.size() - first);
            final int flagged = hasFlags ? flags.take(row, range.first() + first, nodes, some, position) : 0;
            if (what != ArrivalFlags.FLAGGED || flagged > few.most()) {
                circuits.arrivals(sent, 0, range.first() + first, nodes, arrived);
                if (packs && what != ArrivalFlags.FULL) {
                    findPacked(row, nodes);
                    findFlagged(inEpoch, row, first, flagged);
                }
                receiveBlock(first, nodes);
            } else if (flagged > 0) {
                findFlagged(inEpoch, row, first, flagged);
                receiveFlagged(first, flagged);
            }
        }
    }

    /**
     * Finds the places of cells that were sent side by side: only flagged nodes have one, the others get an idle place.
     */
    private void findPacked(final int row, final int nodes) {
        final long rowAt = link.offset(row);
        for (int i = 0; i < nodes; i++) {
            final int sender = (int) ((arrived[i] - rowAt) / InFlightCells.PLACE_BYTES);
            arrived[i] = rowAt + Region.offset(flags.unflagged(row, sender), InFlightCells.PLACE_BYTES);
        }
    }

    /** Finds the places of what the flagged nodes of a block receive. */
    private void findFlagged(final int inEpoch, final int row, final int first, final int flagged) {
        final long rowAt = link.offset(row);
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = schedule.reverseLink(numbers.link(inEpoch));
        final int firstId = range.first() + first;
        for (int k = 0; k < flagged; k++) {
            final int i = some[k];
            arrived[i] = rowAt + Region.offset(flags.place(schedule.peerOf(firstId + i, phase, phaseLink),
                position[k]), InFlightCells.PLACE_BYTES);
        }
    }

    /** Receives for the flagged nodes of a block, {@code flagged} of them. */
    private void receiveFlagged(final int first, final int flagged) {
        // Cell words are used later; if they are read here, the cache misses of all three columns overlap.
        long read = 0;
        for (int k = 0; k < flagged; k++) {
            final int i = some[k];
            route[i] = link.route(arrived[i]);
            feedback[i] = link.feedback(arrived[i]);
            read += link.cell(arrived[i]);
        }
        fetched += read;
        receiveListed(first, some, flagged, feedback);
    }

    /**
     * Handles what nodes of a block received, after their words were read.
     *
     * @param which  the nodes; some may have received nothing.
     * @param listed number of these nodes.
     * @param rode   feedback for congestion control.
     */
    private void receiveListed(final int first, final int[] which, final int listed, final long[] rode) {
        if (listed <= few.single()) {
            receiveSingly(first, which, listed);
            return;
        }
        final int firstId = range.first() + first;
        int sprays = 0;
        int directs = 0;
        int homes = 0;
        int fed = 0;
        for (int k = 0; k < listed; k++) {
            final int i = which[k];
            final int word = (int) route[i];
            final int isCell = ~word >>> Integer.SIZE - 1;
            final int isHome = Branchless.ifEqual(Route.destination(word), firstId + i) & isCell;
            final int isSpray = Branchless.ifPositive(Route.sprays(word)) & isCell - isHome;
            spraying[sprays] = i;
            directly[directs] = i;
            home[homes] = i;
            fedNodes[fed] = i;
            sprays += isSpray;
            directs += isCell - isHome - isSpray;
            homes += isHome;
            fed += (int) Branchless.ifAny(~rode[i]);
        }
        deliver(firstId, homes);
        batch.clear();
        route(first, sprays, directs);
        queues.enqueue(router.owedLink(), first, fedNodes, fed, batch, rode);
    }

    /** Handles what the listed nodes received, one node after the other. */
    private void receiveSingly(final int first, final int[] which, final int listed) {
        int fed = 0;
        for (int k = 0; k < listed; k++) {
            final int i = which[k];
            fedNodes[fed] = i;
            fed += (int) Branchless.ifAny(~feedback[i]);
            if (Route.isCell(route[i])) {
                receive(range.first() + first + i, first + i, route[i], link.cell(arrived[i]));
            }
        }
        batch.clear();
        queues.enqueue(router.owedLink(), first, fedNodes, fed, batch, feedback);
    }

    /** Handles the cell of one node: delivers it at its destination, else enqueues it for its next hop. */
    private void receive(final int id, final int ofBank, final long word, final long itsCell) {
        if (Route.destination(word) == id) {
            deliveries.deliver(slot, id, itsCell, Route.age(word, slot));
            return;
        }
        final int next = Route.sprays(word) > 0 ? router.spray(id, ofBank, word) : router.direct(id, word);
        if (next == ShaleRouter.NO_LINK) {
            drop(ofBank, word, itsCell);
        } else {
            queues.enqueue(ofBank, next, router.entry(), itsCell);
        }
    }

    private void receiveBlock(final int first, final int nodes) {
        if (faults != null) {
            faults.notice(router.owedLink(), first, nodes, arrived);
        }
        if (!link.read(arrived, nodes, route, feedback)) {
            return;
        }
        if (faults == null) {
            receiveListed(first, all, nodes, feedback);
        } else {
            receiveListed(first, all, nodes, failures.withoutNotices(nodes, feedback));
            failures.onNotices(router.owedLink(), first, feedback);
        }
    }

    private void deliver(final int firstId, final int cells) {
        final InFlightCells from = link;
        for (int k = 0; k < cells; k++) {
            final int i = home[k];
            final long which = deliveries.deliver(slot, firstId + i, from.cell(arrived[i]), Route.age(route[i], slot));
            if (endToEnd != null) {
                endToEnd.onDeliver(firstId + i - range.first(), which);
            }
        }
    }

    private void route(final int first, final int sprays, final int directs) {
        final int firstId = range.first() + first;
        final int lacking = router.spray(firstId, first, spraying, sprays, route, batch);
        for (int n = 0; n < lacking; n++) {
            final int i = router.lacking(n);
            drop(first + i, route[i], link.cell(arrived[i]));
        }
        router.direct(firstId, first, directly, directs, route, batch);
        final InFlightCells from = link;
        final int[] joining = batch.node();
        final long[] cells = batch.cell();
        final int count = batch.count();
        for (int i = 0; i < count; i++) {
            cells[i] = from.cell(arrived[joining[i] - first]);
        }
    }

    /** Drops a cell without a link in its spraying phase; its token is owed nevertheless. */
    private void drop(final int ofBank, final long word, final long itsCell) {
        queues.owe(ofBank, router.lackingEntry(word));
        losses.onDrop(ofBank, itsCell, NicCounter.DROPPED_NO_LINK);
    }
}
