package dev.skerry.nic.edge;

/**
 * Limits the slots to a rate by the clock. After a delay, at most a millisecond's worth of slots is made up. One
 * thread.
 */
final class Pace {
    private static final double MIN_ALLOWANCE = 16;
    private static final double CATCH_UP_SECONDS = 1e-3;

    private final double slotsPerNs;
    private final double maxAllowance;
    private double allowance;
    private long slotBefore;
    private long timeBefore;

    /**
     * Creates a pace.
     *
     * @param slotsPerSecond the rate; 0 for no limit.
     */
    Pace(final double slotsPerSecond) {
        this.slotsPerNs = slotsPerSecond / 1e9;
        this.maxAllowance = Math.max(MIN_ALLOWANCE, slotsPerSecond * CATCH_UP_SECONDS);
        this.timeBefore = System.nanoTime();
    }

    /** The slot up to which the bank may run now, exclusive. */
    long until(final long slot, final long nowNs) {
        if (slotsPerNs == 0) {
            return Long.MAX_VALUE;
        }
        allowance = Math.min(maxAllowance, allowance - (slot - slotBefore) + (nowNs - timeBefore) * slotsPerNs);
        slotBefore = slot;
        timeBefore = nowNs;
        return slot + Math.max(0, (long) allowance);
    }
}
