package dev.skerry.nic.engine;

import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.flow.NodeRange;

/**
 * The arrival map of a bank whose cells come from circuit switches. {@link FreeRunning} sets the arrivals of a slot,
 * then the bank's receiver reads them. The bank's thread.
 */
final class SwitchedArrivals implements ArrivalMap {
    private final NodeRange range;
    private final long[] places;

    SwitchedArrivals(final NodeRange range, final int channels) {
        this.range = range;
        this.places = new long[channels * range.size()];
    }

    /** The index of a node's entry for {@link #set}. */
    int entry(final int channel, final int nodeOfBank) {
        return channel * range.size() + nodeOfBank;
    }

    /** Sets the place of the cell that a node of the bank receives, or {@link ArrivalMap#DARK}. */
    void set(final int entry, final long place) {
        places[entry] = place;
    }

    @Override
    public void arrivals(final long sent, final int channel, final int firstId, final int count, final long[] into) {
        System.arraycopy(places, channel * range.size() + firstId - range.first(), into, 0, count);
    }
}
