package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;

/** Makes the edges of a fabric's banks. */
@FunctionalInterface
public interface Edges {
    /**
     * One edge for each bank. Called once, by the thread that builds the fabric.
     *
     * @param arena  owner of the memory; closed with the fabric.
     * @param fabric the fabric.
     * @param ranges the nodes of each bank.
     * @return the edges, in the order of the banks.
     */
    Edge[] of(Arena arena, Fabric fabric, NodeRange[] ranges);
}
