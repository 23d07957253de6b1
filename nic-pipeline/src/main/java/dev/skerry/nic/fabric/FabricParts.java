package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.function.IntConsumer;

/**
 * The parts of a circuit fabric that an engine needs. The caller passes them to the engine, so that no engine refers to
 * a particular fabric. Immutable; any thread may call.
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
     * Checks that one node of the fabric can be stepped alone, driven by the cells that it receives.
     *
     * @throws IllegalArgumentException if a node needs more than cells; the message says what.
     */
    default void checkNode() {
    }

    /**
     * Whether two copies of a cell can be in flight with this traffic. If so, payloads are kept by flow and sequence
     * number, {@link Bank#settled} can decrease, and banks share more than the link.
     */
    boolean resends(Traffic traffic);

    /**
     * Whether banks share their actions within a slot, so that all must have sent before any receives. Only lock step
     * can run such a fabric.
     */
    default boolean meetsInEverySlot() {
        return false;
    }

    /**
     * Off-heap memory of the banks of all nodes at the start in bytes, without the links and the spill pools.
     *
     * @param window slots of cells kept on the links.
     */
    long bytes(Traffic traffic, int window);

    /**
     * Prepares the banks of one run.
     *
     * @param arena   owner of the memory.
     * @param traffic the flows, faults and edges.
     * @param link    in-flight cells between banks.
     * @param window  slots of cells kept on the link.
     */
    Banks banks(Arena arena, Traffic traffic, InFlightCells link, int window);

    /** The arrivals according to the schedule, without circuit switches. */
    ArrivalMap scheduled(InFlightCells link);

    /**
     * The arrivals according to the schedule, for a run in which only banks access the places of single nodes: a bank
     * may then pack the cells of a slot at the places of its first nodes; its other places are idle.
     */
    default ArrivalMap packed(final InFlightCells link) {
        return scheduled(link);
    }

    /** The invariants of the banks of a run, beyond conservation. */
    FabricLaws laws(Bank[] banks, InFlightCells link);

    /**
     * The signals inside a node.
     *
     * @param bank a bank of these parts.
     * @param node the node's index in the bank.
     */
    NodeProbes probes(Bank bank, int node);

    /**
     * The registers of a node, for reading them and for setting them from those of a device.
     *
     * @param bank a bank of these parts.
     * @param node the node's index in the bank.
     * @throws IllegalArgumentException if the fabric has no registers.
     */
    default NodeRegisters registers(final Bank bank, final int node) {
        throw new IllegalArgumentException("only nodes of Shale and Shoal have registers: bank="
            + bank.range());
    }

    /**
     * Bits of a feedback word that a receiver reads from a damaged transmission, and that may then be wrong; 0 if it
     * discards the word.
     */
    default long readIfDamaged() {
        return 0;
    }

    /** Creates the banks of one run. One thread. */
    interface Banks {
        /** Creates the bank of a range of nodes, in its state before slot 0. */
        Bank of(NodeRange range, Bank.Ends ends);

        /** Messages between banks that accompany the cells; null if there are none. */
        default PlaceMessages messages() {
            return null;
        }

        /** Notifications that all banks need within a slot; null if there are none. */
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

        /**
         * Whether everything that a cell's route word refers to exists; called for words received from other processes
         * in a slot.
         */
        boolean isRoute(long slot, long route);

        /** Whether everything that a feedback word refers to exists; see {@link #isRoute}. */
        boolean isFeedback(long slot, long feedback);
    }

    /**
     * Notifications that all banks need within a slot, between sending and receiving, if several processes run a fabric
     * together. One thread.
     */
    interface SlotNotifications {
        /** Passes on the notifications of this process's banks in a slot, after all of them have sent in it. */
        void show(long slot, IntConsumer into);

        /**
         * Adds a notification from a bank of another process in a slot in which no bank of this process has received
         * yet.
         */
        void add(long slot, int note);
    }

    /**
     * Messages of two words that accompany the cells of the link, one for each place of the {@code InFlightCells} and
     * at the same offsets. The mechanism that orders the cells also orders sender and receiver.
     */
    interface PlaceMessages {
        /** First word if there is no message. */
        long NONE = -1;

        /**
         * Whether everything that the first word of a message refers to exists; called for words from other processes.
         */
        boolean isMessage(long word);

        /** Clears the messages of consecutive places. */
        void clear(long at, int count);

        /** Sends a message. */
        void send(long at, long word, long cell);

        /** The first word of a message, or {@link #NONE}. */
        long word(long at);

        /** The second word of a message: the flow and the cell to which it refers. */
        long cell(long at);
    }

    /** Invariants of one fabric beyond conservation. One thread, between slots. */
    @FunctionalInterface
    interface FabricLaws {
        /**
         * Checks them after a slot.
         *
         * @throws IllegalStateException if one is broken; the message names it and its location.
         */
        void check(long slot);
    }
}
