package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.schedule.Phased;

/** Shale's circuits in lock step: the receiver computes from the schedule who sent to it. Immutable. */
record PhasedCircuits(Phased schedule, CellLink link) implements Circuits {
    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        final int inEpoch = schedule.slotInEpoch(sent);
        final int phase = inEpoch / schedule.linksPerPhase();
        final int phaseLink = inEpoch - phase * schedule.linksPerPhase();
        final long linkAt = link.offset(sent);
        for (int i = 0; i < count; i++) {
            places[i] = linkAt + (long) schedule.senderTo(firstId + i, phase, phaseLink) * CellLink.CELL_BYTES;
        }
    }
}
