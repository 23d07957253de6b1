package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.schedule.Phased;

/** Shale's circuits in lock step: the receiver computes from the schedule who sent to it. One bank, one thread. */
final class PhasedCircuits implements Circuits {
    private final Phased schedule;
    private final CellLink link;
    private int[] senders = new int[0];

    PhasedCircuits(final Phased schedule, final CellLink link) {
        this.schedule = schedule;
        this.link = link;
    }

    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        if (senders.length < count) {
            senders = new int[count];
        }
        final int[] from = senders;
        schedule.senders(schedule.slotInEpoch(sent), firstId, count, from);
        final long at = link.offset(sent);
        for (int i = 0; i < count; i++) {
            places[i] = at + (long) from[i] * CellLink.PLACE_BYTES;
        }
    }
}
