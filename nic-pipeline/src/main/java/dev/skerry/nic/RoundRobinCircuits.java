package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.schedule.RoundRobin;

/** Shoal's circuits in lock step: the receiver computes from the schedule who sent to it. Immutable. */
record RoundRobinCircuits(RoundRobin schedule, CellLink link) implements Circuits {
    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        final int inEpoch = schedule.slotInEpoch(sent);
        final int nodes = schedule.nodes();
        final int shift = schedule.shiftAt(channel, inEpoch);
        final int firstSender = schedule.firstSenderAt(channel, inEpoch);
        final int endSender = schedule.endSenderAt(channel, inEpoch);
        final long linkAt = link.offset(sent) + (long) channel * nodes * CellLink.CELL_BYTES;
        for (int i = 0; i < count; i++) {
            final int below = firstId + i - shift;
            final int sender = below >= 0 ? below : below + nodes;
            places[i] = sender >= firstSender && sender < endSender ? linkAt + (long) sender * CellLink.CELL_BYTES
                : DARK;
        }
    }
}
