package dev.skerry.nic.follow;

import dev.skerry.nic.model.NodeCells;

/** Follows a device of some fabric, slot by slot. One thread. */
public sealed interface Follower permits NodeFollower, FailureFollower, ShoalFollower {
    /**
     * Follows one slot.
     *
     * @param now      the slot: one after the other.
     * @param received what the device received: a cell, a dummy or nothing on each channel; ignored before the first
     *                 propagation delay has passed.
     * @param observed what it sent.
     * @throws IllegalArgumentException if {@code now} is not the next slot.
     */
    void step(long now, NodeCells received, NodeCells observed);

    /** The next slot. */
    long slot();

    /** Cells that the device holds for others. */
    int held();

    /** Cells held whose link is not known. */
    int open();
}
