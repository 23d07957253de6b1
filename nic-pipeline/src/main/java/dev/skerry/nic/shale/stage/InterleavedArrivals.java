package dev.skerry.nic.shale.stage;

import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.schedule.SlotShares;

import java.util.List;

/**
 * The circuits of fabrics that share slots, in lock step: whose slot it is decides. Senders do not flag receivers, as
 * the places of a slot were written by another fabric before. Immutable.
 */
record InterleavedArrivals(List<ArrivalMap> fabrics, SlotShares shares) implements ArrivalMap {
    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] places) {
        fabrics.get(shares.owner(sent)).arrivals(sent, channel, firstId, count, places);
    }
}
