package dev.skerry.nic.shoal;

import dev.skerry.nic.fabric.PipelineState;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.RoundRobin;

import java.util.Arrays;

/**
 * Consequences of the schedule, the delay and the release rule alone, computed once for every place of the epoch; all
 * nodes of a row share them. A place is a channel and a slot of the epoch. Links are numbered by shift: link l of node
 * i leads to node i + l + 1 modulo the number of nodes.
 *
 * <pre>
 *   i sends to j in slot b of an epoch, j to i in slot a; k is the destination, j sends to k in slot d
 *
 *   A           A + P               t           B = t + P
 *   |-----------|-------------------|-----------|
 *   j samples   i takes the report  i's next    its cell joins Q_jk,
 *   Q_jk                            turn to j   after the service of that slot
 *
 *   services of Q_jk within [A, B]: base, and one more if (d - a) mod E is at most within
 * </pre>
 *
 * <p>A report is sampled before the sending of its slot (docs/spec/shoal.md §2.2), so slot A counts. That matters only
 * with several channels: with one, no other queue is served in it, and the services are the φ of docs/spec/shoal.md
 * §4.3. Immutable.
 */
public final class ShoalSlotPlan implements PipelineState.Constant {
    /** The link of a place without a sender: the first link less one, as its shift is 0. */
    public static final int IDLE = -1;
    /** More services than any report needs: it has 11 bits. */
    static final int MAX_SERVICES = (1 << 11) - 1;
    /** Largest number of epochs from the last cell that a report may be about back to the earliest one. */
    private static final int TOLD_BACK = 3;

    private final RoundRobin schedule;
    private final int nodes;
    private final int failedNodes;
    private final int epochSlots;
    private final Place[] places;
    /** The slot of each shift, for each half of the nodes. */
    private final int[] slotOf;
    private final int half;
    private int sentEpochs = 1;

    /** Creates the plan of a fabric. */
    public ShoalSlotPlan(final Shoal shoal) {
        this.schedule = shoal.schedule();
        this.nodes = shoal.nodes();
        this.failedNodes = shoal.failedNodes();
        this.half = nodes / 2;
        this.epochSlots = schedule.epochSlots();
        this.slotOf = new int[2 * nodes];
        for (int by = 1; by < nodes; by++) {
            slotOf[by] = schedule.slotTo(0, by);
            slotOf[nodes + by] = schedule.slotTo(nodes - 1, by - 1);
        }
        this.places = new Place[schedule.channels() * epochSlots];
        for (int place = 0; place < places.length; place++) {
            places[place] = new Place(place / epochSlots, place % epochSlots, shoal.rule(), shoal.propagationSlots());
            sentEpochs = Math.max(sentEpochs, places[place].link == IDLE ? 1
                : places[place].nextAhead + places[place].acknowledgedBack + TOLD_BACK);
        }
    }

    /** Returns the place of a channel in a slot of the epoch. */
    Place place(final int channel, final int slotInEpoch) {
        return places[channel * epochSlots + slotInEpoch];
    }

    /** Returns the place in which a node sends on a link. */
    Place placeOf(final int node, final int link) {
        return Arrays.stream(places).filter(each -> each.link == link && each.sends(node)).findFirst().orElseThrow();
    }

    /** Returns the node to which a link of a node leads. */
    public int peer(final int id, final int link) {
        return peer(id, link, nodes);
    }

    /** Returns the node to which a link of a node leads in a fabric of some nodes. */
    public static int peer(final int id, final int link, final int nodes) {
        final int on = id + link + 1;
        return on < nodes ? on : on - nodes;
    }

    /** Returns the link of a node that leads to another one; {@code nodes - 1}, which is not a link, to itself. */
    public int linkTo(final int id, final int destination) {
        final int by = destination - id - 1;
        return by < 0 ? by + nodes : by;
    }

    /** Returns the slots of an epoch. */
    public int epochSlots() {
        return epochSlots;
    }

    /**
     * Returns the number of turns to send that the nodes of a range have in the first slots.
     *
     * @param all whether turns of failed nodes and to failed nodes count, in which nothing is sent.
     */
    public long turns(final NodeRange range, final long slots, final boolean all) {
        long turns = 0;
        for (int place = 0; place < places.length; place++) {
            final Place at = places[place];
            final long often = slots / epochSlots + (place % epochSlots < slots % epochSlots ? 1 : 0);
            final int from = Math.max(range.first(), all ? at.firstSender : Math.max(failedNodes, at.firstSender));
            final int end = Math.min(range.end(), at.endSender);
            final int barred = all ? 0 : Math.min(end, at.endBarred()) - Math.max(from, at.firstBarred());
            turns += often * (Math.max(0, end - from) - Math.max(0, barred));
        }
        return turns;
    }

    /**
     * Returns the epochs of sent cells that a report may be about, including those of later turns and earlier reports.
     */
    public int sentEpochs() {
        return sentEpochs;
    }

    /**
     * A place: the nodes that send in it, their link, and the consequences for the reports and cells that they send.
     */
    final class Place implements PipelineState.Constant {
        /** The link on which its nodes send, {@link #IDLE} if none do. */
        final int link;
        /** The first node that sends. */
        final int firstSender;
        /** One past the last node that sends. */
        final int endSender;
        /** Epochs from that of a report sent here back to that of the cell that it is about. */
        final int acknowledgedBack;
        /** Epochs from that of a report sent here to that of its receiver's next turn to answer. */
        final int nextAhead;
        /** Tells whether its nodes send to each other in it and receive in the same slot. */
        final boolean simultaneous;
        private final int reportSlot;
        private final int base;
        private final int within;

        Place(final int channel, final int here, final ReleaseRule rule, final int propagationSlots) {
            link = schedule.shiftAt(channel, here) - 1;
            firstSender = schedule.firstSenderAt(channel, here);
            endSender = schedule.endSenderAt(channel, here);
            final int receiver = (firstSender + link + 1) % nodes;
            final int back = link == IDLE ? here : schedule.slotTo(receiver, firstSender);
            // As a place of receivers: j = sender, a = here, i = receiver, b = back.
            acknowledgedBack = -Math.floorDiv(here - propagationSlots - 1 - back, epochSlots);
            nextAhead = Math.floorDiv(here + propagationSlots - back, epochSlots) + 1;
            simultaneous = link != IDLE && here == back && propagationSlots == 0 && schedule.channels() == 1;
            // As a place of senders: i = sender, b = here, j = receiver, a = back.
            final int ahead = Math.floorDiv(back + propagationSlots - here, epochSlots) + 1;
            final int loop = ahead * epochSlots + here + propagationSlots - back;
            final boolean isLiteral = rule == ReleaseRule.PAPER_LITERAL || rule == ReleaseRule.PAPER_ONE_REPORT;
            // The defect of the authors' simulator: d = b is not counted when b < a.
            final int defect = rule == ReleaseRule.AUTHORS_SIMULATOR && here < back ? 1 : 0;
            reportSlot = back;
            base = isLiteral ? 0 : loop / epochSlots;
            within = isLiteral ? -1 : loop % epochSlots - defect;
        }

        /** Tells whether a node sends here. */
        boolean sends(final int node) {
            return node >= firstSender && node < endSender;
        }

        /** Tells whether a node receives here. */
        boolean receives(final int node) {
            return node >= firstReceiver() && node < endReceiver();
        }

        /** Returns the first node that receives. */
        int firstReceiver() {
            return endSender - firstSender == nodes ? 0 : half - firstSender;
        }

        /** Returns one past the last node that receives. */
        int endReceiver() {
            return firstReceiver() + endSender - firstSender;
        }

        /** Returns the receivers' link back to the senders. */
        int linkBack() {
            return nodes - 2 - link;
        }

        /**
         * Returns the first of the senders that meet a failed node. They are consecutive; if failed nodes are senders
         * themselves, those may be left out.
         */
        int firstBarred() {
            return failedNodes == 0 ? nodes : nodes - link - 1;
        }

        /** Returns one past the last of the senders that meet a failed node. */
        int endBarred() {
            return Math.min(nodes, firstBarred() + failedNodes);
        }

        /**
         * Returns the services of the relay's queue that a flow need not wait for, after the report on its cell sent
         * here has come; 0 to {@link #MAX_SERVICES}, which denotes a direct cell, which joins no queue.
         *
         * @param sender      the node that sends the cell.
         * @param destination destination of the cell.
         */
        int services(final int sender, final int destination) {
            // The code has no branches, as they would be unpredictable.
            final int on = sender + link + 1 - nodes;
            final int relay = on + (nodes & on >> Integer.SIZE - 1);
            final int by = destination - relay;
            final int isUpper = half - 1 - relay >> Integer.SIZE - 1;
            final int slot = slotOf[(nodes & isUpper) + by + (nodes & by >> Integer.SIZE - 1)];
            final int after = slot - reportSlot;
            final int isLate = within - after - (epochSlots & after >> Integer.SIZE - 1) >> Integer.SIZE - 1;
            final int isRelay = (by | -by) >> Integer.SIZE - 1;
            return Math.min(base + 1 + isLate, MAX_SERVICES - 1) & isRelay | MAX_SERVICES & ~isRelay;
        }
    }
}
