package dev.skerry.nic.shoal;

import dev.skerry.nic.flow.PayloadStore;

/**
 * Counts the cells that wait at a bank's nodes for those sent before them from the same node, the reordering of the
 * authors' simulator (docs/spec/shoal.md §9.1): beside a payload store, which sees every cell leave its flow and
 * arrive. One thread.
 */
public final class ParkedCells implements PayloadStore {
    private final PayloadStore store;
    private final PairStreams streams;
    private int most;

    /** None parked yet. */
    public ParkedCells(final PayloadStore store, final PairStreams streams) {
        this.store = store;
        this.streams = streams;
    }

    /** The most cells of one node that were parked at a node of the bank. */
    public int most() {
        return most;
    }

    @Override
    public long inject(final long identity) {
        streams.number(identity);
        return store.inject(identity);
    }

    @Override
    public long deliver(final long cell) {
        final long identity = store.deliver(cell);
        most = streams.arrive(identity, most);
        return identity;
    }

    @Override
    public long identify(final long cell) {
        return store.identify(cell);
    }

    @Override
    public void discard(final long cell) {
        store.discard(cell);
    }
}
