package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.schedule.RoundRobin;

/** Shoal's circuits in lock step: the receiver computes from the schedule who sent to it. One thread. */
public final class RoundRobinArrivals implements ArrivalMap {
    private final RoundRobin schedule;
    private final InFlightCells link;
    private final EpochClock clock;

    /** Of all cells in flight. */
    public RoundRobinArrivals(final RoundRobin schedule, final InFlightCells link) {
        this.schedule = schedule;
        this.link = link;
        this.clock = new EpochClock(schedule.epochSlots());
    }

    @Override
    public void read(final long sent, final int channel, final int firstId, final int count, final Received into) {
        clock.turnTo(sent);
        final int inEpoch = clock.inEpoch();
        final int nodes = schedule.nodes();
        if (schedule.endSenderAt(channel, inEpoch) - schedule.firstSenderAt(channel, inEpoch) < nodes) {
            ArrivalMap.super.read(sent, channel, firstId, count, into);
            return;
        }
        // All are shifted by as much: two runs, up to the last node and from the first one on.
        final int below = firstId - schedule.shiftAt(channel, inEpoch);
        final int sender = below >= 0 ? below : below + nodes;
        final int before = Math.min(count, nodes - sender);
        final long linkAt = link.offset(sent) + (long) channel * nodes * InFlightCells.PLACE_BYTES;
        link.read(linkAt + (long) sender * InFlightCells.PLACE_BYTES, 0, before, into.route(), into.cell(),
            into.feedback());
        link.read(linkAt, before, count, into.route(), into.cell(), into.feedback());
    }

    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        clock.turnTo(sent);
        final int inEpoch = clock.inEpoch();
        final int nodes = schedule.nodes();
        final int shift = schedule.shiftAt(channel, inEpoch);
        final int firstSender = schedule.firstSenderAt(channel, inEpoch);
        final int endSender = schedule.endSenderAt(channel, inEpoch);
        final long linkAt = link.offset(sent) + (long) channel * nodes * InFlightCells.PLACE_BYTES;
        for (int i = 0; i < count; i++) {
            final int below = firstId + i - shift;
            final int sender = below >= 0 ? below : below + nodes;
            places[i] = sender >= firstSender && sender < endSender ? linkAt + (long) sender * InFlightCells.PLACE_BYTES
                : DARK;
        }
    }
}
