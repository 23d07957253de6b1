package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.CellLink;

/** No congestion control: everything may be sent, first come first served, and nothing rides along. */
public final class Unlimited implements Admission {
    /** One admission for any bank; it has no state. */
    public Unlimited() {
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
        return CellLink.NO_FEEDBACK;
    }

    @Override
    public void onNotice(final int queue, final int node, final int notice) {
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return 0;
    }
}
