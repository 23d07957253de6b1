package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.shale.Shale;

/**
 * Shale's circuits in lock step: the receiver computes from the schedule who sent to it. Immutable.
 *
 * @param packs whether senders may put what they send side by side, as nobody looks for it at their own places.
 */
record PhasedArrivals(Shale shale, InFlightCells link, boolean packs) implements ArrivalMap {
    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        shale.schedule().senders(shale.slotInEpoch(sent), firstId, count, places);
        final long linkAt = link.offset(sent);
        for (int i = 0; i < count; i++) {
            places[i] = linkAt + places[i] * InFlightCells.PLACE_BYTES;
        }
    }
}
