package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;

/** What senders measure of their round trips, and the timer that follows from it (RFC 6298). One thread. */
final class RoundTrips {
    private final Region senders;
    private final int mean;
    private final int variance;
    private final int leastSlots;

    /**
     * Nothing is measured.
     *
     * @param mean       which int of a sender's record is its smoothed round trip, times 8.
     * @param variance   which is the variance, times 4.
     * @param leastSlots the shortest timer.
     */
    RoundTrips(final Region senders, final int mean, final int variance, final int leastSlots) {
        this.senders = senders;
        this.mean = mean;
        this.variance = variance;
        this.leastSlots = leastSlots;
    }

    /** A segment was acknowledged some slots after it was sent. */
    void measure(final long at, final int slots) {
        final int before = senders.getInt(at, mean);
        if (before == 0) {
            senders.setInt(at, mean, Math.max(1, slots << 3));
            senders.setInt(at, variance, slots << 1);
        } else {
            final int error = slots - (before >> 3);
            final int spread = senders.getInt(at, variance);
            senders.setInt(at, mean, Math.max(1, before + error));
            senders.setInt(at, variance, spread + Math.abs(error) - (spread >> 2));
        }
    }

    /** The smoothed round trip in slots; 0 before the first. */
    double slots(final long at) {
        return senders.getInt(at, mean) / 8.0;
    }

    /** The timer before it doubles. */
    long timer(final long at) {
        return Math.max(leastSlots, (senders.getInt(at, mean) >> 3) + Math.max(1, senders.getInt(at, variance)));
    }
}
