package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

/**
 * A schedule of one channel whose cells take the lanes of a node in turn (docs/spec/shale.md §2.6): slot t goes over
 * lane t mod L. Who is connected to whom stays as it is; the epoch ends when the schedule's own and the turn of the
 * lanes end together, after lcm(E, L) slots. Immutable; any thread may call.
 */
public final class LanedSchedule implements Schedule {
    private final Schedule schedule;
    private final int lanes;
    private final int epochSlots;

    /**
     * Gives a schedule lanes.
     *
     * @param schedule of one channel.
     * @param lanes    L, at least 1.
     * @throws IllegalArgumentException if the schedule has more channels, there is no lane, or the common epoch is too
     *                                  long.
     */
    public LanedSchedule(final Schedule schedule, final int lanes) {
        Bounds.refuseIf(schedule.channels() != 1 || lanes < 1, "lanes take turns on one channel: channels=",
            schedule.channels(), " lanes=", lanes);
        final long epoch = (long) schedule.epochSlots() / SlotShares.greatestCommonDivisor(schedule.epochSlots(), lanes)
            * lanes;
        Bounds.refuseIf(epoch > Integer.MAX_VALUE, "lanes and schedule end their turns together only after ", epoch,
            " slots: lanes=", lanes);
        this.schedule = schedule;
        this.lanes = lanes;
        this.epochSlots = (int) epoch;
    }

    /** Lanes of a node, L. */
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
