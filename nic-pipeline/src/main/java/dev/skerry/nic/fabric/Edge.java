package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Entry and exit of payload at a bank while the fabric runs, for flows
 * {@linkplain dev.skerry.nic.flow.FlowSet#addOnDemand on demand}. A circuit fabric takes cell by cell, see
 * {@link CellEdge}; a fabric that cuts packets itself takes packet by packet, see {@link PacketEdge}. Called by the
 * bank's thread.
 */
public interface Edge {
    /** Returned by {@link #poll} if the edge sets no limit. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Connects the edge to its bank. Called once, before the fabric runs.
     *
     * @param intake receives the cells that the edge offers.
     */
    void join(Intake intake);

    /**
     * Performs work between slots: accepts delivered cells, reads input from outside, and offers it. Called repeatedly,
     * also while the bank is idle; must not wait.
     *
     * @param slot the next slot to be sent.
     * @return the slot before which the bank must stop: some bank has in-flight cells until then, or the pace allows
     *     it. {@code slot} or less: there is nothing to do.
     */
    long poll(long slot);

    /**
     * An edge of a circuit fabric. The bank requests a cell when its slot comes ({@link PayloadStore#inject}). A
     * delivered cell ({@link PayloadStore#deliver}) waits until the edge is polled; delivery has no other effect.
     */
    interface CellEdge extends Edge, PayloadStore {
    }

    /**
     * An edge of a fabric that cuts packets into cells itself. Called by the bank's thread, unless stated otherwise.
     */
    interface PacketEdge extends Edge {
        /**
         * Called at the source: passes on the oldest packet of a flow that was {@linkplain Intake#offer offered} and
         * not yet taken. Its bytes stay in place.
         *
         * @param identity flow and sequence number of its first cell, see {@code Cell}; further cells have the
         *                 following numbers.
         * @param cells    number of cells, as offered.
         * @return a handle that travels instead of the bytes, see {@link #bytes}.
         */
        long inject(long identity, int cells);

        /**
         * Called at the destination: returns a packet. Packets of a flow must be returned in the order in which they
         * were taken. The packet waits until the edge is polled.
         *
         * @param packet handle from {@link #inject}.
         * @return its number of cells, as offered.
         */
        int deliver(long packet);

        /**
         * Called at the source: drops a packet for which the fabric has no room, and frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its number of cells, as offered.
         */
        int refuse(long packet);

        /**
         * Called at the source: drops a packet that its traffic class may not send now, and frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its number of cells, as offered.
         */
        int police(long packet);

        /**
         * Called where a packet is lost: frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its number of cells, as offered.
         */
        int discard(long packet);

        /**
         * Bytes, in whole cells, that have arrived for an endpoint of the bank and that its port has not taken yet; 0
         * for an endpoint without a port.
         *
         * @param endpoint number of the endpoint in the {@code FlowSet}.
         */
        long waitingAt(int endpoint);

        /**
         * Copies a part of a packet that is still in place.
         *
         * @param packet handle from {@link #inject}.
         * @param offset offset of the part in the packet.
         * @param to     memory that receives it, from {@code at} on.
         * @param bytes  size of the part.
         */
        void copy(long packet, int offset, MemorySegment to, long at, int bytes);

        /** Size of the packet of a handle in bytes. Any thread may call. */
        static int bytes(final long packet) {
            return (int) (packet >>> Integer.SIZE);
        }
    }

    /** Creates the edges of a fabric's banks. The thread that builds the fabric calls one of the two methods, once. */
    interface Edges {
        /**
         * Creates one edge for each bank of a circuit fabric.
         *
         * @param arena  owner of the memory; closed with the fabric.
         * @param fabric the fabric.
         * @param ranges the nodes of each bank.
         * @param byName whether cells travel by name, their flow and sequence number: a cell may then be in flight
         *               twice, come back to be sent again, or be lost silently. Otherwise each cell is delivered or
         *               discarded, once.
         * @return the edges, in the order of the banks.
         */
        CellEdge[] cellEdges(Arena arena, Fabric fabric, NodeRange[] ranges, boolean byName);

        /**
         * Creates one edge for each bank of a fabric that cuts packets into cells itself.
         *
         * @param arena  owner of the memory; closed with the fabric.
         * @param fabric the fabric.
         * @param ranges the nodes of each bank.
         * @return the edges, in the order of the banks.
         */
        PacketEdge[] packetEdges(Arena arena, Fabric fabric, NodeRange[] ranges);
    }

    /** A bank as seen by its {@link Edge}. Called by the bank's thread. */
    interface Intake {
        /**
         * Announces cells of a flow on demand. The bank then requests them one by one, in order, with
         * {@code PayloadStore#inject}.
         *
         * @param flow  index of the {@code FlowSet}; its source is a node of the bank.
         * @param cells number of cells, at least 1.
         * @param slot  the next slot to be sent.
         */
        void offer(int flow, int cells, long slot);

        /** Whether another packet of the flow may be offered now. If not, the packet waits in its port. */
        default boolean hasRoom(final int flow) {
            return true;
        }

        /**
         * Number of cells in the send queues of the bank's nodes. Cells offered but not yet requested are not counted.
         */
        long held();

        /** Number of cells that the bank's nodes have sent so far, local and forwarded. */
        long sent();
    }
}
