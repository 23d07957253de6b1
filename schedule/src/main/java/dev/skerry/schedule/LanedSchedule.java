package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

/**
 * A schedule of one channel whose cells use the lanes of a node in turn (docs/spec/shale.md §2.6): slot t uses lane t
 * mod L. The connections do not change; the epoch is lcm(E, L) slots, after which the schedule and the sequence of
 * lanes repeat together. Immutable; any thread may call.
 */
public final class LanedSchedule implements Schedule {
    private final Schedule schedule;
    private final int lanes;
    private final int epochSlots;

    /**
     * Adds lanes to a schedule.
     *
     * @param schedule a schedule of one channel.
     * @param lanes    L, at least 1.
     * @throws IllegalArgumentException if the schedule has several channels, {@code lanes} is below 1, or the common
     *                                  epoch is too long.
     */
    public LanedSchedule(final Schedule schedule, final int lanes) {
        Bounds.refuseIf(schedule.channels() != 1 || lanes < 1, "lanes take turns on one channel: channels=",
            schedule.channels(), " lanes=", lanes);
        final long epoch = (long) schedule.epochSlots() / SlotShares.greatestCommonDivisor(schedule.epochSlots(), lanes)
            * lanes;
        Bounds.refuseIf(epoch > Integer.MAX_VALUE, "the common period of lanes and schedule is ", epoch,
            " slots: lanes=", lanes);
        this.schedule = schedule;
        this.lanes = lanes;
        this.epochSlots = (int) epoch;
    }

    /** Number of lanes of a node, L. */
    public int lanes() {
        return lanes;
    }

    @Override
    public int nodes() {
        return schedule.nodes();
    }

    @Override
    public int epochSlots() {
        return epochSlots;
    }

    @Override
    public int peerAt(final int node, final int channel, final int slotInEpoch) {
        return schedule.peerAt(node, channel, slotInEpoch % schedule.epochSlots());
    }

    @Override
    public int senderAt(final int node, final int channel, final int slotInEpoch) {
        return schedule.senderAt(node, channel, slotInEpoch % schedule.epochSlots());
    }
}
