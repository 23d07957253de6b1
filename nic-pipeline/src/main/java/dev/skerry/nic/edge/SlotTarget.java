package dev.skerry.nic.edge;

/**
 * Turns the target of queues, a time, into slots, as the slots of a bank pass: only time counts in which it had work.
 * A window is never shorter than twice what a cell takes in an empty fabric; with less, cells would be held back that
 * the fabric could carry. The bank's thread.
 */
final class SlotTarget {
    private static final long MEASURE_NS = 2_000_000;
    private static final int SMOOTH = 4;
    private static final int EMPTY_FACTOR = 2;
    /** Engines poll edges every 16 slots at most: a cell waits for two polls, into the fabric and out of it. */
    private static final int POLL_SLOTS = 32;

    private final long targetNs;
    private final long emptySlots;
    private final double mostPerNs;
    private double slotsPerNs;
    private long busyNs;
    private long slots;
    private long beforeNs;
    private long beforeSlot;
    /** Time of the last poll, and whether that poll let no slot pass. */
    private long polledNs;
    private boolean isResting;
    private long restedNs;
    private long restedBefore;

    /**
     * A target before the first measurement.
     *
     * @param config     has the target and the pace.
     * @param emptySlots slots that a cell takes in an empty fabric, at most.
     */
    SlotTarget(final EdgeConfig config, final long emptySlots) {
        this.targetNs = config.queueTargetNs();
        this.emptySlots = emptySlots + POLL_SLOTS;
        this.mostPerNs = config.slotsPerSecond() == 0 ? Double.MAX_VALUE : config.slotsPerSecond() / 1e9;
        this.beforeNs = System.nanoTime();
    }

    /** The bank is polled. */
    void poll(final long nowNs) {
        restedNs += isResting ? nowNs - polledNs : 0;
        polledNs = nowNs;
    }

    /** The bank may go up to a slot until the next poll, or rests; returns that slot. */
    long until(final long slot, final long until) {
        isResting = until <= slot;
        return until;
    }

    /** Time in ns in which no slot passed; may lag. Any thread may call. */
    long restedNs() {
        return restedNs;
    }

    /** Time has passed, in part without slots; returns whether the window has changed. */
    boolean pass(final long slot, final long nowNs) {
        busyNs += nowNs - beforeNs - (restedNs - restedBefore);
        restedBefore = restedNs;
        slots += slot - beforeSlot;
        beforeNs = nowNs;
        beforeSlot = slot;
        if (targetNs == 0 || busyNs < MEASURE_NS) {
            return false;
        }
        final double measured = Math.min(mostPerNs, (double) slots / busyNs);
        slotsPerNs += slotsPerNs == 0 ? measured : (measured - slotsPerNs) / SMOOTH;
        busyNs = 0;
        slots = 0;
        return true;
    }

    /** Slots of a window. */
    long windowSlots() {
        return Math.max(EMPTY_FACTOR * emptySlots, (long) Math.ceil(targetNs * slotsPerNs));
    }

    /** The time that a window takes, in ns: the target, unless the fabric itself takes longer. */
    long windowNs() {
        return Math.max(targetNs, (long) (EMPTY_FACTOR * emptySlots / Math.max(slotsPerNs, Double.MIN_NORMAL)));
    }
}
