package dev.skerry.nic.edge;

/** How far slots may go by the clock: at a rate, with at most a millisecond's worth made up for. One thread. */
final class Pace {
    private static final double LEAST = 16;
    private static final double MADE_UP_SECONDS = 1e-3;

    private final double slotsPerNs;
    private final double most;
    private double left;
    private long slotBefore;
    private long timeBefore;

    /**
     * A pace.
     *
     * @param slotsPerSecond 0 for no limit.
     */
    Pace(final double slotsPerSecond) {
        this.slotsPerNs = slotsPerSecond / 1e9;
        this.most = Math.max(LEAST, slotsPerSecond * MADE_UP_SECONDS);
        this.timeBefore = System.nanoTime();
    }

    /** The slot to go to, not included. */
    long until(final long slot, final long nowNs) {
        if (slotsPerNs == 0) {
            return Long.MAX_VALUE;
        }
        left = Math.min(most, left - (slot - slotBefore) + (nowNs - timeBefore) * slotsPerNs);
        slotBefore = slot;
        timeBefore = nowNs;
        return slot + Math.max(0, (long) left);
    }
}
