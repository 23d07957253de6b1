package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;

/**
 * What an engine asks a circuit fabric for. The caller hands an engine the parts of its fabric, so that no engine names
 * a fabric. Immutable; any thread may call.
 */
public interface FabricParts {
    /** The fabric that the parts belong to. */
    CircuitFabric fabric();

    /**
     * Checks that the fabric can carry some traffic, before memory is taken for it.
     *
     * @throws IllegalArgumentException if it knows no faults or traffic classes, or not these; the message says which.
     */
    void check(Traffic traffic);

    /**
     * Whether a cell of this traffic can be under way twice. Payloads are then kept by flow and sequence number, {@link
     * Bank#settled} can fall again, and banks share more than the link.
     */
    boolean resends(Traffic traffic);

    /**
     * Off-heap bytes of the banks of all nodes, without links, spill and growth.
     *
     * @param window slots of cells kept on the links.
     */
    long bytes(Traffic traffic, int window);

    /**
     * Begins the banks of one run.
     *
     * @param arena   owner of the memory.
     * @param traffic what is sent and what goes wrong.
     * @param link    where cells lie between banks.
     * @param window  slots of cells kept on it.
     */
    Banks banks(Arena arena, Traffic traffic, InFlightCells link, int window);

    /** How cells reach the nodes when the schedule says who is connected. */
    ArrivalMap scheduled(InFlightCells link);

    /** The laws that the banks of a run obey beside the law of conservation. */
    FabricLaws laws(Bank[] banks, InFlightCells link);

    /**
     * The inside of a node.
     *
     * @param bank a bank of these parts.
     * @param node its number in the bank.
     * @throws IllegalArgumentException if the bank has no probes, as with faults.
     */
    NodeProbes probes(Bank bank, int node);

    /** Cache lines that a node-slot touches under full load, over all channels. */
    CacheLines cacheLines();

    /** Makes the banks of one run; one thread. */
    @FunctionalInterface
    interface Banks {
        /** The bank of a range of nodes at slot 0. */
        Bank of(NodeRange range, Bank.Ends ends);
    }
}
