package dev.skerry.nic;

/** Workloads without payload: the cell word that travels is flow and sequence number themselves. */
final class NoPayload implements CellStore {
    @Override
    public long open(final long identity) {
        return identity;
    }

    @Override
    public long close(final long cell) {
        return cell;
    }

    @Override
    public void discard(final long cell) {
    }
}
