package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;

/** No congestion control: everything may be sent, first come first served, and nothing rides along. */
public final class Unlimited implements Admission {
    /** One admission for any bank; it has no state. */
    public Unlimited() {
    }

    @Override
    public void trySpend(final int link, final int first, final int count, final int[] oldest, final int[] waiting,
        final int[] destinations, final int[] local, final int[] paid) {
        for (int i = 0; i < count; i++) {
            paid[i] = waiting[i] | local[i];
        }
    }

    @Override
    public boolean eligible(final int queue, final long entry) {
        return true;
    }

    @Override
    public void onDequeue(final int queue, final long entry) {
    }

    @Override
    public void onForward(final int node, final long entry) {
    }

    @Override
    public void onEnqueue(final int node, final long entry) {
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        return true;
    }

    @Override
    public long takeFeedback(final int queue) {
        return InFlightCells.NO_FEEDBACK;
    }

    @Override
    public void onFeedback(final int link, final int first, final int count, final long[] feedback) {
    }

    @Override
    public void onNotice(final int queue, final int node, final int notice) {
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return 0;
    }
}
