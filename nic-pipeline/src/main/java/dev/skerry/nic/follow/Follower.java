package dev.skerry.nic.follow;

import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FirstSlots.Other;
import dev.skerry.nic.model.NodeCells;

import java.util.stream.Stream;

/** Follows a device of some fabric, slot by slot. One thread. */
public interface Follower {
    /** The link that the arriving cell joins is not known. */
    int UNTOLD = -1;

    /**
     * Follows one slot.
     *
     * @param now      the slot: one after the other.
     * @param received what the device received: a cell, a dummy or nothing on each channel; ignored before the first
     *                 propagation delay has passed.
     * @param observed what it sent.
     * @throws IllegalArgumentException if {@code now} is not the next slot.
     */
    default void step(final long now, final NodeCells received, final NodeCells observed) {
        step(now, received, observed, UNTOLD);
    }

    /**
     * Follows one slot.
     *
     * @param joined the link whose queue the arriving cell joins, below {@link #links}, or {@link #UNTOLD}.
     */
    default void step(final long now, final NodeCells received, final NodeCells observed, final int joined) {
        send(now, observed);
        receive(received, joined);
    }

    /** Whether what arrives in a slot can change what the device sends in the same slot: the halves change places. */
    default boolean receivesFirst() {
        return false;
    }

    /** First half of a slot: what the device sent. */
    void send(long now, NodeCells observed);

    /** Second half of the slot: what it received, and the link that the cell joins or {@link #UNTOLD}. */
    void receive(NodeCells received, int joined);

    /** Before a slot is sent: something on a channel that the words of the slot do not say and that ought not to be. */
    void refuse(int channel, Law law, String expected, String seen);

    /** The next slot. */
    long slot();

    /** Cells that the device holds for others. */
    int held();

    /** Cells held whose link is not known. */
    default int open() {
        return 0;
    }

    /** Most cells held whose link was unknown at a time. */
    default int mostOpen() {
        return 0;
    }

    /** Links that an arriving cell can join by the caller's choice; 0 where its words determine the link. */
    default int links() {
        return 0;
    }

    /** Words of a message between nodes that handle failures; 0 if the other words hold it. */
    default int messageWords() {
        return 0;
    }

    /**
     * Begins in mid-run, before the first step.
     *
     * @throws IllegalArgumentException if the device must be followed from slot 0 on.
     */
    default void beginAt(final long first) {
        throw new IllegalArgumentException("such nodes are followed from slot 0 on: first=" + first);
    }

    /**
     * Before a slot: the device goes down and loses all it has, or starts again.
     *
     * @throws IllegalArgumentException if it was not said to guard against failures.
     */
    default void setDown(final boolean isDown) {
        throw new IllegalArgumentException("a follower without faults is not told that its device is down");
    }

    /** The laws and choices that the device has exercised so far; without points if none are counted. */
    default Coverage coverage() {
        return new Coverage("");
    }

    /** The device described as it is, then with other values of one setting; none if nobody can tell. */
    default Stream<Other> others() {
        return Stream.empty();
    }

    /**
     * What is known of the device by the names of a {@code NodeModel}'s registers.
     *
     * @throws IllegalArgumentException if it is not known, or the fabric has none.
     */
    default NodeRegisters registers() {
        throw new IllegalArgumentException("a follower of Shoal or with faults has no registers");
    }
}
