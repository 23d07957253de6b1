package dev.skerry.nic.stardust.fabric;

/**
 * When a queue asks for credits, and how much it may hold (docs/spec/stardust.md §3.1 and §3.2).
 *
 * @param onBytes      T_on: a queue asks when it holds more than this beyond its credits; below 0 to keep credits in
 *                     hand.
 * @param offBytes     T_off: it asks for no more when its credits are so much more than it holds.
 * @param byBacklog    whether a request says how much there is, and a credit is worth no more than that; else each is
 *                     worth C, as in the paper.
 * @param queueBytes   most bytes of a queue; a packet that finds no room is dropped.
 * @param adapterBytes most bytes of all queues of an adapter.
 * @param slowBytes    a queue that needs no more than this asks for a slow rate, by how much it is; 0: all ask for the
 *                     full pace.
 * @param waitSlots    what a queue holds is given up when it got no credit for this long, in slots;
 *                     {@link Long#MAX_VALUE} for never.
 */
public record VoqRules(int onBytes, int offBytes, boolean byBacklog, long queueBytes, long adapterBytes, int slowBytes,
    long waitSlots) {
    /** Slowest rate that a queue asks for, of the pace of its port. */
    public static final int LEAST_PERCENT = 3;

    /** Thresholds and caps up to this. */
    private static final int MOST = 1 << 24;
    private static final int LONGEST_PACKET = 9216;

    /** Checks every bound. */
    public VoqRules {
        if (slowBytes < 0 || slowBytes > MOST || slowBytes > 0 && (byBacklog || onBytes != 0)) {
            throw new IllegalArgumentException("a queue that asks slowly says no backlog and keeps nothing in hand: "
                + "slowBytes=" + slowBytes);
        }
        if (waitSlots < 1) {
            throw new IllegalArgumentException("a queue waits for a slot: waitSlots=" + waitSlots);
        }
        if (onBytes > 0 || onBytes < -MOST || offBytes < 1 || offBytes > MOST) {
            throw new IllegalArgumentException("a queue asks at 0 or before and stops above: onBytes=" + onBytes
                + " offBytes=" + offBytes);
        }
        if (byBacklog && onBytes != 0) {
            throw new IllegalArgumentException("a queue that says how much it has keeps no credits in hand: onBytes="
                + onBytes);
        }
        if (queueBytes < LONGEST_PACKET || adapterBytes < queueBytes) {
            throw new IllegalArgumentException("a queue holds a packet of " + LONGEST_PACKET
                + " bytes and an adapter a queue: queueBytes=" + queueBytes + " adapterBytes=" + adapterBytes);
        }
    }

    /** The rules of the paper: asks when it has something, up to one credit ahead, queues without a bound. */
    public static VoqRules usual(final int creditBytes) {
        return new VoqRules(0, creditBytes, false, Long.MAX_VALUE, Long.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    /** Queues that keep credits in hand before anything comes, as long as they do not run empty (§3.2). */
    public static VoqRules ahead(final int creditBytes, final int inHand) {
        final int threshold = creditBytes * (inHand + 1);
        return new VoqRules(-threshold, threshold, false, Long.MAX_VALUE, Long.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    /**
     * Credits that such a queue keeps in hand: what its port sends while a cell crosses the fabric, 2 at least.
     *
     * @param portBytes   that a port sends in a slot.
     * @param fabricSlots from one adapter to another, without queues.
     */
    public static int inHand(final double portBytes, final int fabricSlots, final int creditBytes) {
        return (int) Math.max(2, Math.ceil(portBytes * fabricSlots / creditBytes));
    }

    /** The same with bounds. */
    public VoqRules capped(final long queue, final long adapter) {
        return new VoqRules(onBytes, offBytes, byBacklog, queue, adapter, slowBytes, waitSlots);
    }

    /** The same with credits of the size of the backlog. */
    public VoqRules sizedByBacklog() {
        return new VoqRules(onBytes, offBytes, true, queueBytes, adapterBytes, slowBytes, waitSlots);
    }

    /** The same for queues that ask for slow rates up to some bytes. */
    public VoqRules slowUpTo(final int bytes) {
        return new VoqRules(onBytes, offBytes, byBacklog, queueBytes, adapterBytes, bytes, waitSlots);
    }

    /** The same for queues that are given up after some slots without a credit. */
    public VoqRules givenUpAfter(final long slots) {
        return new VoqRules(onBytes, offBytes, byBacklog, queueBytes, adapterBytes, slowBytes, slots);
    }

    /** Whether queues that hold little ask for slow rates. */
    public boolean isSlow() {
        return slowBytes > 0;
    }

    /** Whether queues are ever given up. */
    public boolean givesUp() {
        return waitSlots != Long.MAX_VALUE;
    }

    /** Whether anything is ever dropped. */
    public boolean isCapped() {
        return adapterBytes != Long.MAX_VALUE || queueBytes != Long.MAX_VALUE;
    }
}
