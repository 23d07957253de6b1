package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.function.IntConsumer;

/**
 * What an engine asks a circuit fabric for. The caller hands the parts to the engine, so that no engine names a fabric.
 * Immutable; any thread may call.
 */
public interface FabricParts {
    CircuitFabric fabric();

    /**
     * Checks that the fabric can carry this traffic. Called before memory is allocated.
     *
     * @throws IllegalArgumentException if the fabric does not support the faults or traffic classes; the message says
     *     which.
     */
    void check(Traffic traffic);

    /**
     * Checks that one node of the fabric can be stepped alone, by the cells that come to it.
     *
     * @throws IllegalArgumentException if a node needs more than cells; the message says what.
     */
    default void checkNode() {
    }

    /**
     * Whether two copies of a cell can be in flight with this traffic. If so, payloads are kept by flow and sequence
     * number, {@link Bank#settled} can fall, and banks share more than the link.
     */
    boolean resends(Traffic traffic);

    /**
     * Whether banks share what they do in a slot, so that all must have sent before any receives. Only lock step can
     * run such a fabric.
     */
    default boolean meetsInEverySlot() {
        return false;
    }

    /**
     * Off-heap bytes of the banks of all nodes at the start, without the links and without the spill pools.
     *
     * @param window slots of cells kept on the links.
     */
    long bytes(Traffic traffic, int window);

    /**
     * Prepares the banks of one run.
     *
     * @param arena   owner of the memory.
     * @param traffic the flows, faults and edges.
     * @param link    cells in flight between banks.
     * @param window  slots of cells kept on the link.
     */
    Banks banks(Arena arena, Traffic traffic, InFlightCells link, int window);

    /** The arrivals that the schedule gives, without circuit switches. */
    ArrivalMap scheduled(InFlightCells link);

    /**
     * The same for a run in which only the banks look at the places of single nodes: a bank may put what it
     * sends in a slot side by side, at the places of its first nodes; the others are idle.
     */
    default ArrivalMap packed(final InFlightCells link) {
        return scheduled(link);
    }

    /** The invariants of the banks of a run, beyond the law of conservation. */
    FabricLaws laws(Bank[] banks, InFlightCells link);

    /**
     * The signals inside a node.
     *
     * @param bank a bank of these parts.
     * @param node the node's index in the bank.
     */
    NodeProbes probes(Bank bank, int node);

    /**
     * The registers of a node, to be read and set from those of a device.
     *
     * @param bank a bank of these parts.
     * @param node the node's index in the bank.
     * @throws IllegalArgumentException if the fabric has none.
     */
    default NodeRegisters registers(final Bank bank, final int node) {
        throw new IllegalArgumentException("only nodes of Shale and Shoal have registers: bank="
            + bank.range());
    }

    /**
     * Bits of a feedback word that a receiver reads of a damaged transmission, and that may be wrong then; 0 if it
     * discards all of that.
     */
    default long readIfDamaged() {
        return 0;
    }

    /** Makes the banks of one run. One thread. */
    interface Banks {
        /** Makes the bank of a range of nodes, in its state before slot 0. */
        Bank of(NodeRange range, Bank.Ends ends);

        /** What all banks send each other beside the cells; null if nothing. */
        default PlaceMessages messages() {
            return null;
        }

        /** What all banks must know of each other within a slot; null if nothing. */
        default SlotNotifications notes() {
            return null;
        }

        /**
         * A remote process has written a cell, feedback word or mark for a local node to the link.
         * Called before the slot in which it is handled.
         *
         * @param slot the slot in which it was sent.
         * @param node id of its receiver.
         */
        default void arrived(final long slot, final int node) {
        }

        /** Whether all that a cell's route word names exists; asked for words that other processes send in a slot. */
        boolean isRoute(long slot, long route);

        /** The same for a feedback word. */
        boolean isFeedback(long slot, long feedback);
    }

    /**
     * What all banks must know of each other within a slot, between sending and receiving, where several processes run
     * a fabric together. One thread.
     */
    interface SlotNotifications {
        /** Shows what the banks of this process have noted in a slot; all of them have sent in it. */
        void show(long slot, IntConsumer into);

        /** A bank of another process has noted something in a slot, in which no bank of this one has received yet. */
        void add(long slot, int note);
    }

    /**
     * Messages of two words that travel beside the cells of the link, one for each place of the {@code InFlightCells}
     * and at the same offsets. Sender and receiver are ordered by what orders the cells.
     */
    interface PlaceMessages {
        /** In place of the first word: no message. */
        long NONE = -1;

        /** Whether all that the first word of a message names exists; asked for words from other processes. */
        boolean isMessage(long word);

        /** Consecutive places have no message. */
        void clear(long at, int count);

        /** Sends a message. */
        void send(long at, long word, long cell);

        /** The first word of a message, or {@link #NONE}. */
        long word(long at);

        /** The second word of a message: the flow, and the cell, that it is about. */
        long cell(long at);
    }

    /** Invariants of one fabric beyond the law of conservation. One thread, between slots. */
    @FunctionalInterface
    interface FabricLaws {
        /**
         * Checks them after a slot.
         *
         * @throws IllegalStateException if one is broken; the message names it and the place.
         */
        void check(long slot);
    }
}
