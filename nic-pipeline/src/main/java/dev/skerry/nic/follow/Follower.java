package dev.skerry.nic.follow;

import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FirstSlots.Other;
import dev.skerry.nic.model.NodeCells;

import java.util.stream.Stream;

/** Checks one device against the laws of its fabric, slot by slot. Not thread-safe. */
public interface Follower {
    /** Value of {@code joined} if the link that the arriving cell joins is unknown. */
    int UNTOLD = -1;

    /**
     * Follows one slot.
     *
     * @param now      the slot; slots are consecutive.
     * @param received what the device received: a cell, a dummy or nothing on each channel; ignored before the first
     *                 propagation delay has passed.
     * @param observed what the device sent.
     * @throws IllegalArgumentException if {@code now} is not the next slot.
     */
    default void step(final long now, final NodeCells received, final NodeCells observed) {
        step(now, received, observed, UNTOLD);
    }

    /**
     * Follows one slot.
     *
     * @param joined link whose queue the arriving cell joins, below {@link #links}, or {@link #UNTOLD}.
     */
    default void step(final long now, final NodeCells received, final NodeCells observed, final int joined) {
        send(now, observed);
        receive(received, joined);
    }

    /**
     * Whether the device receives before it sends, so that what arrives in a slot can affect what it sends in the same
     * slot. {@link #receive} is then called before {@link #send}.
     */
    default boolean receivesFirst() {
        return false;
    }

    /** Checks what the device sent in a slot. */
    void send(long now, NodeCells observed);

    /** Processes what the device received in the slot, and the link that the cell joins or {@link #UNTOLD}. */
    void receive(NodeCells received, int joined);

    /** Reports a violation on a channel that the words of the slot do not show. Called before {@link #send}. */
    void refuse(int channel, Law law, String expected, String seen);

    /** The next slot. */
    long slot();

    /** Number of cells of other nodes that the device holds. */
    int held();

    /** Number of held cells whose link is unknown. */
    default int open() {
        return 0;
    }

    /** Maximum number of held cells whose link was unknown at the same time. */
    default int mostOpen() {
        return 0;
    }

    /** Number of links that {@code joined} can name; 0 if the words of an arriving cell determine its link. */
    default int links() {
        return 0;
    }

    /** Words of a message between nodes that handle failures; 0 if the cell word holds the message. */
    default int messageWords() {
        return 0;
    }

    /**
     * Starts at a slot other than 0, before the first step.
     *
     * @throws IllegalArgumentException if the device must be followed from slot 0 on.
     */
    default void beginAt(final long first) {
        throw new IllegalArgumentException("these nodes can be followed only from slot 0 on: first=" + first);
    }

    /**
     * Reports, before a slot, that the device goes down and loses all state, or that it restarts.
     *
     * @throws IllegalArgumentException if the follower does not handle failures.
     */
    default void setDown(final boolean isDown) {
        throw new IllegalArgumentException("a follower without faults does not accept that its device is down");
    }

    /**
     * Coverage of the laws and choices that the device has exercised so far; it has no points if the follower counts
     * none.
     */
    default Coverage coverage() {
        return new Coverage("");
    }

    /**
     * Followers of the device as described, then of variants that differ in one setting. Empty if there are no
     * variants.
     */
    default Stream<Other> others() {
        return Stream.empty();
    }

    /**
     * Reconstructed state of the device, under the register names of a {@code NodeModel}.
     *
     * @throws IllegalArgumentException if the state is not fully known, or the fabric has no registers.
     */
    default NodeRegisters registers() {
        throw new IllegalArgumentException("a follower of Shoal or with faults has no registers");
    }
}
