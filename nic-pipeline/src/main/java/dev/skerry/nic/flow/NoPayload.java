package dev.skerry.nic.flow;

/** Workloads without payload: the cell word that travels is flow and sequence number themselves. */
public final class NoPayload implements PayloadStore {
    /** It has no state. */
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

    @Override
    public void discard(final long cell) {
    }
}
