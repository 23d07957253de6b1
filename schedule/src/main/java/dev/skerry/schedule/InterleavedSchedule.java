package dev.skerry.schedule;

import static dev.skerry.schedule.SlotShares.greatestCommonDivisor;

import dev.skerry.schedule.check.Bounds;

import java.util.List;

/**
 * Several schedules of the same nodes that share the slots (docs/spec/shale.md §2.4), as one schedule. Its epoch ends
 * when the slot pattern and the epochs of all its schedules end together. Immutable; any thread may call.
 */
public final class InterleavedSchedule implements Schedule {
    private final List<Phased> schedules;
    private final SlotShares shares;
    private final int epochSlots;

    /**
     * Interleaves schedules.
     *
     * @param schedules by number of their share; all with the same number of nodes.
     * @throws IllegalArgumentException if the numbers of nodes differ, or the common epoch is too long.
     */
    public InterleavedSchedule(final List<Phased> schedules, final SlotShares shares) {
        this.schedules = List.copyOf(schedules);
        this.shares = shares;
        final int nodes = schedules.getFirst().nodes();
        long periods = 1;
        for (int number = 0; number < schedules.size(); number++) {
            Bounds.refuseIf(schedules.get(number).nodes() != nodes, "interleaved schedules must have the same number "
                + "of nodes: h=",
                schedules.getFirst().phases(), " nodes=", nodes, " h=", schedules.get(number).phases(), " nodes=",
                schedules.get(number).nodes());
            final int epoch = schedules.get(number).epochSlots();
            final long own = epoch / greatestCommonDivisor(epoch, shares.shares().get(number).each());
            periods = periods / greatestCommonDivisor(periods, own) * own;
        }
        Bounds.refuseIf(periods * shares.period() > Integer.MAX_VALUE, "the common period of the epochs is ",
            periods * shares.period(), " slots");
        this.epochSlots = (int) periods * shares.period();
    }

    @Override
    public int nodes() {
        return schedules.getFirst().nodes();
    }

    @Override
    public int epochSlots() {
        return epochSlots;
    }

    @Override
    public int peerAt(final int node, final int channel, final int slotInEpoch) {
        final int number = shares.owner(slotInEpoch);
        return schedules.get(number).peerAt(node, channel, own(number, slotInEpoch));
    }

    @Override
    public int senderAt(final int node, final int channel, final int slotInEpoch) {
        final int number = shares.owner(slotInEpoch);
        return schedules.get(number).senderAt(node, channel, own(number, slotInEpoch));
    }

    private int own(final int number, final int slotInEpoch) {
        return schedules.get(number).slotInEpoch(shares.shares().get(number).before(slotInEpoch));
    }
}
