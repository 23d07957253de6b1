package dev.skerry.nic.flow;

/** For workloads without payload: the cell word that travels is flow and sequence number, see {@link Cell}. */
public final class NoPayload implements PayloadStore {
    /** Creates a store without state. */
    public NoPayload() {
    }

    @Override
    public long inject(final long identity) {
        return identity;
    }

    @Override
    public long deliver(final long cell) {
        return cell;
    }
}
