package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;

/** Makes the edges of a fabric's banks. The thread that builds the fabric calls one of the two methods, once. */
public interface Edges {
    /**
     * One edge for each bank of a circuit fabric.
     *
     * @param arena  owner of the memory; closed with the fabric.
     * @param fabric the fabric.
     * @param ranges the nodes of each bank.
     * @param byName whether cells travel by name, their flow and sequence number: one may be under way twice, come back
     *               to be sent again, or be lost without a word. Otherwise each is delivered or discarded, once.
     * @return the edges, in the order of the banks.
     */
    CellEdge[] cellEdges(Arena arena, Fabric fabric, NodeRange[] ranges, boolean byName);

    /**
     * One edge for each bank of a fabric that cuts packets into cells itself.
     *
     * @param arena  owner of the memory; closed with the fabric.
     * @param fabric the fabric.
     * @param ranges the nodes of each bank.
     * @return the edges, in the order of the banks.
     */
    PacketEdge[] packetEdges(Arena arena, Fabric fabric, NodeRange[] ranges);
}
