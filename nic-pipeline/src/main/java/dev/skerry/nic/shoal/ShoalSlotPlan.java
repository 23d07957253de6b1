package dev.skerry.nic.shoal;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.RoundRobin;

/**
 * Consequences of the schedule, the delay and the release rule alone, worked out once for every place of the epoch; a
 * whole row of nodes shares them. A place is a channel and a slot of the epoch. Links are numbered by shift: link l of
 * a node leads to the node l + 1 further on.
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
 * A report is sampled before the sending of its slot (docs/spec/shoal.md §2.2), so slot A counts. That matters with
 * several channels only: with one, no other queue is served in it, and the services are the φ of
 * docs/spec/shoal.md §4.3. Immutable.
 */
public final class ShoalSlotPlan {
    /** A place where nobody sends: one short of the first link, as its shift is 0. */
    public static final int IDLE = -1;
    /** More services than any report asks for: it has 11 bits. */
    static final int MAX_SERVICES = (1 << 11) - 1;
    /** Epochs from the cell that a report might be about to the earliest that it is about instead. */
    private static final int TOLD_BACK = 3;

    private final RoundRobin schedule;
    private final int nodes;
    private final int failedNodes;
    private final int epochSlots;
    private final int[] link;
    private final int[] firstSender;
    private final int[] endSender;
    private final int[] reportSlot;
    private final int[] base;
    private final int[] within;
    private final int[] acknowledgedBack;
    private final int[] nextAhead;
    private final boolean[] simultaneous;
    /** For each half of the nodes, the slot of each shift. */
    private final int[] slotOf;
    private final int half;
    private int sentEpochs = 1;

    /** The turns of a fabric. */
    public ShoalSlotPlan(final Shoal shoal) {
        this.schedule = shoal.schedule();
        this.nodes = shoal.nodes();
        this.failedNodes = shoal.failedNodes();
        this.half = nodes / 2;
        this.epochSlots = schedule.epochSlots();
        final int places = schedule.channels() * epochSlots;
        this.link = new int[places];
        this.firstSender = new int[places];
        this.endSender = new int[places];
        this.reportSlot = new int[places];
        this.base = new int[places];
        this.within = new int[places];
        this.acknowledgedBack = new int[places];
        this.nextAhead = new int[places];
        this.simultaneous = new boolean[places];
        this.slotOf = new int[2 * nodes];
        for (int by = 1; by < nodes; by++) {
            slotOf[by] = schedule.slotTo(0, by);
            slotOf[nodes + by] = schedule.slotTo(nodes - 1, by - 1);
        }
        for (int place = 0; place < places; place++) {
            final int channel = place / epochSlots;
            firstSender[place] = schedule.firstSenderAt(channel, place % epochSlots);
            endSender[place] = schedule.endSenderAt(channel, place % epochSlots);
            link[place] = schedule.shiftAt(channel, place % epochSlots) - 1;
            if (link[place] != IDLE) {
                workOut(place, shoal.rule(), shoal.propagationSlots());
            }
        }
    }

    private void workOut(final int place, final ReleaseRule rule, final int propagationSlots) {
        final int sender = firstSender[place];
        final int receiver = (sender + link[place] + 1) % nodes;
        final int here = place % epochSlots;
        final int back = schedule.slotTo(receiver, sender);
        // As a receiving place: j = sender, a = here, i = receiver, b = back.
        acknowledgedBack[place] = -Math.floorDiv(here - propagationSlots - 1 - back, epochSlots);
        nextAhead[place] = Math.floorDiv(here + propagationSlots - back, epochSlots) + 1;
        simultaneous[place] = here == back && propagationSlots == 0 && schedule.channels() == 1;
        sentEpochs = Math.max(sentEpochs, nextAhead[place] + acknowledgedBack[place] + TOLD_BACK);
        // As a sending place: i = sender, b = here, j = receiver, a = back.
        final int ahead = Math.floorDiv(back + propagationSlots - here, epochSlots) + 1;
        final int loop = ahead * epochSlots + here + propagationSlots - back;
        reportSlot[place] = back;
        switch (rule) {
            case EXACT, EXACT_ONE_REPORT, BASIC -> count(place, loop / epochSlots, loop % epochSlots);
            case PAPER_LITERAL, PAPER_ONE_REPORT -> count(place, 0, -1);
            // Its defect: d = b is not counted when b < a.
            case AUTHORS_SIMULATOR -> count(place, loop / epochSlots, loop % epochSlots - (here < back ? 1 : 0));
            default -> throw new AssertionError(rule);
        }
    }

    private void count(final int place, final int services, final int oneMoreWithin) {
        base[place] = services;
        within[place] = oneMoreWithin;
    }

    /** The place of a channel in a slot of the epoch. */
    public int place(final int channel, final int slotInEpoch) {
        return channel * epochSlots + slotInEpoch;
    }

    /** The node that a link of a node leads to. */
    public int peer(final int id, final int link) {
        return peer(id, link, nodes);
    }

    /** The node that a link of a node leads to in a fabric of some nodes. */
    public static int peer(final int id, final int link, final int nodes) {
        final int on = id + link + 1;
        return on < nodes ? on : on - nodes;
    }

    /** The link of a node that leads to another one; {@code nodes - 1}, which is no link, to itself. */
    public int linkTo(final int id, final int destination) {
        final int by = destination - id - 1;
        return by < 0 ? by + nodes : by;
    }

    /** Slots of an epoch. */
    public int epochSlots() {
        return epochSlots;
    }

    /** The link on which the nodes of a place send, {@link #IDLE} if none do. */
    public int link(final int place) {
        return link[place];
    }

    /** The first node that sends in a place. */
    public int firstSender(final int place) {
        return firstSender[place];
    }

    /** One past the last node that sends in a place. */
    public int endSender(final int place) {
        return endSender[place];
    }

    /**
     * The first of the senders of a place that meet a failed node. They follow each other; where failed nodes are
     * senders themselves, they may be left out.
     */
    public int firstBarred(final int place) {
        return failedNodes == 0 ? nodes : nodes - link[place] - 1;
    }

    /** One past the last of them. */
    public int endBarred(final int place) {
        return Math.min(nodes, firstBarred(place) + failedNodes);
    }

    /**
     * Turns to send that the nodes of a range have in the first slots.
     *
     * @param all those of failed nodes and to failed nodes, too, in which nothing is sent.
     */
    public long turns(final NodeRange range, final long slots, final boolean all) {
        long turns = 0;
        for (int place = 0; place < link.length; place++) {
            final long often = slots / epochSlots + (place % epochSlots < slots % epochSlots ? 1 : 0);
            final int from = Math.max(range.first(), all ? firstSender[place] : Math.max(failedNodes,
                firstSender[place]));
            final int end = Math.min(range.end(), endSender[place]);
            final int barred = all ? 0 : Math.min(end, endBarred(place)) - Math.max(from, firstBarred(place));
            turns += link[place] == IDLE ? 0 : often * (Math.max(0, end - from) - Math.max(0, barred));
        }
        return turns;
    }

    /** The first node that receives in a place. */
    public int firstReceiver(final int place) {
        return endSender[place] - firstSender[place] == nodes ? 0 : half - firstSender[place];
    }

    /** One past the last node that receives in a place. */
    public int endReceiver(final int place) {
        return firstReceiver(place) + endSender[place] - firstSender[place];
    }

    /** The receivers' link back to the senders of a place. */
    public int linkBack(final int place) {
        return nodes - 2 - link[place];
    }

    /** Epochs from the one in which a report was sent in a place back to that of the cell it is about. */
    public int acknowledgedBack(final int place) {
        return acknowledgedBack[place];
    }

    /** Epochs from the one in which a report was sent in a place to that of its receiver's next turn to answer. */
    public int nextAhead(final int place) {
        return nextAhead[place];
    }

    /** Whether the nodes of a place send to each other in it and receive in the same slot. */
    public boolean simultaneous(final int place) {
        return simultaneous[place];
    }

    /** Epochs of sent cells that a report may be about, those of later turns and earlier reports included. */
    public int sentEpochs() {
        return sentEpochs;
    }

    /**
     * Services of the relay's queue that a flow need not wait for, once the report on its cell sent in a place has
     * come; 0 to {@link #MAX_SERVICES}, which stands for a direct cell, which joins no queue.
     *
     * @param place       where the cell is sent.
     * @param sender      the node that sends it.
     * @param destination of the cell.
     */
    public int services(final int place, final int sender, final int destination) {
        // Without branches: nobody could predict them.
        final int on = sender + link[place] + 1 - nodes;
        final int relay = on + (nodes & on >> Integer.SIZE - 1);
        final int by = destination - relay;
        final int isUpper = half - 1 - relay >> Integer.SIZE - 1;
        final int slot = slotOf[(nodes & isUpper) + by + (nodes & by >> Integer.SIZE - 1)];
        final int after = slot - reportSlot[place];
        final int isLate = within[place] - after - (epochSlots & after >> Integer.SIZE - 1) >> Integer.SIZE - 1;
        final int isRelay = (by | -by) >> Integer.SIZE - 1;
        return Math.min(base[place] + 1 + isLate, MAX_SERVICES - 1) & isRelay | MAX_SERVICES & ~isRelay;
    }
}
