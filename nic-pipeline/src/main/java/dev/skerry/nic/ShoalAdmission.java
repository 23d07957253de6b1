package dev.skerry.nic;

import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.nic.fabric.shoal.ShoalQueues;
import dev.skerry.nic.fabric.shoal.Throttles;

/**
 * Which flow's next cell joins a queue when it is served: in the node's order, from the link's turn on, the first that
 * Eq. 2 lets go and that is old enough, unless a local cell is in the queue already. The others that Eq. 2 lets go are
 * ready (spec/shoal §4.4 SEND 2, 3). One thread.
 */
final class ShoalAdmission {
    /** No flow. */
    static final int NONE = -1;

    private final int nodes;
    private final ShoalQueues queues;
    private final Throttles throttles;
    private final ShoalSegmenter segmenter;
    /** Slots that a flow must have been active for before it may join a queue of this length. */
    private final long[] ageNeeded;
    /** Flows of a node that Eq. 2 lets go, as {@link ShoalSegmenter#activeBits} has them. */
    private final long[] free;
    /** Of the row being served. */
    private long slot;
    private int epoch;
    private int onLink;
    private int readyInRow;

    ShoalAdmission(final Shoal shoal, final ShoalQueues queues, final Throttles throttles,
        final ShoalSegmenter segmenter) {
        this.nodes = shoal.nodes();
        this.queues = queues;
        this.throttles = throttles;
        this.segmenter = segmenter;
        this.ageNeeded = ageNeeded(shoal);
        this.free = new long[Throttles.words(nodes)];
    }

    /** By length of the queue: none up to 1, then epochs until 2^epochs reaches it. No queue is longer than N. */
    static long[] ageNeeded(final Shoal shoal) {
        final long[] slots = new long[shoal.nodes() + 1];
        for (int length = 2; length < slots.length && shoal.ageRule(); length++) {
            final int epochs = Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
            slots[length] = (long) epochs * shoal.schedule().epochSlots();
        }
        return slots;
    }

    /** Turns to another row. */
    void turnTo(final long toSlot, final int toEpoch, final int toLink) {
        slot = toSlot;
        epoch = toEpoch;
        onLink = toLink;
        readyInRow = 0;
    }

    /** Ready flows found since the row was turned to, as bits. */
    int readyInRow() {
        return readyInRow;
    }

    /** The flow of a node whose cell joins the queue of a line that is so long, or {@link #NONE}. */
    int choose(final int node, final long line, final int length) {
        final int count = segmenter.active(node);
        final int atMost = length + epoch;
        final long startBy = slot - ageNeeded[Math.min(length, nodes)];
        if (count == 1) {
            return chooseTheOnly(node, line, atMost, startBy);
        }
        return count > Throttles.FEW ? chooseOfMany(node, line, atMost, startBy)
            : chooseOfFew(node, line, atMost, startBy);
    }

    /** No branch that depends on the throttle: nobody can predict it. */
    private int chooseTheOnly(final int node, final long line, final int atMost, final long startBy) {
        final int flow = segmenter.activeFlow(node, 0);
        final int turn = queues.turn(line);
        // All ones: Eq. 2 holds; no local cell is in the queue and the flow is old enough.
        final int free = ~(atMost - throttles.freeFrom(node, ShoalSegmenter.number(flow), onLink) >> Integer.SIZE - 1);
        final int may = startBy == slot || segmenter.startSlot(node, flow) <= startBy
            ? queues.local(line) >> Integer.SIZE - 1 : 0;
        final int goes = free & may;
        final int ready = free & ~may & 1;
        readyInRow |= ready;
        queues.setSearched(line, ready, turn & ~goes);
        return flow & goes | ~goes;
    }

    private int chooseOfFew(final int node, final long line, final int atMost, final long startBy) {
        final int count = segmenter.active(node);
        int chosen = NONE;
        int ready = 0;
        int turn = queues.turn(line);
        if (count > 0) {
            boolean free = queues.local(line) == ShoalQueues.NONE;
            int at = turn < count ? turn : 0;
            for (int i = 0; i < count; i++) {
                final int flow = segmenter.activeFlow(node, at);
                at = at + 1 < count ? at + 1 : 0;
                if (throttles.freeFrom(node, ShoalSegmenter.number(flow), onLink) <= atMost) {
                    if (free && (startBy == slot || segmenter.startSlot(node, flow) <= startBy)) {
                        chosen = flow;
                        free = false;
                        turn = at;
                    } else {
                        ready++;
                    }
                }
            }
        }
        readyInRow |= ready;
        queues.setSearched(line, ready, turn);
        return chosen;
    }

    /** The same by the index of the throttles: only flows that Eq. 2 lets go are counted, and tried until one goes. */
    private int chooseOfMany(final int node, final long line, final int atMost, final long startBy) {
        throttles.index(node, segmenter.flowsOf(node));
        final int count = segmenter.active(node);
        final long[] active = segmenter.activeBits(node);
        int ready = 0;
        for (int word = Throttles.words(segmenter.flowsOf(node)) - 1; word >= 0; word--) {
            free[word] = throttles.free(node, onLink, word, atMost) & active[word];
            ready += Long.bitCount(free[word]);
        }
        int chosen = NONE;
        int turn = queues.turn(line);
        int left = queues.local(line) == ShoalQueues.NONE ? ready : 0;
        for (int at = turn < count ? turn : 0; left > 0;) {
            final int flow = segmenter.activeFlow(node, at);
            at = at + 1 < count ? at + 1 : 0;
            if (ShoalSegmenter.isIn(free, flow)) {
                left--;
                if (startBy == slot || segmenter.startSlot(node, flow) <= startBy) {
                    chosen = flow;
                    turn = at;
                    left = 0;
                }
            }
        }
        final int others = chosen == NONE ? ready : ready - 1;
        readyInRow |= others;
        queues.setSearched(line, others, turn);
        return chosen;
    }
}
