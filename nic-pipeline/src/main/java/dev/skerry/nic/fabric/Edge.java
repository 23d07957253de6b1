package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where payload enters and leaves a bank while the fabric runs, for flows
 * {@linkplain dev.skerry.nic.flow.FlowSet#addOnDemand on demand}. A circuit fabric takes cell by cell, see
 * {@link CellEdge}; a fabric that cuts packets itself takes packet by packet, see {@link PacketEdge}. The bank's thread
 * calls.
 */
public interface Edge {
    /** Returned by {@link #poll} if the edge sets no limit. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Connects the edge to its bank. Called once, before the fabric runs.
     *
     * @param intake where the edge offers cells.
     */
    void join(Intake intake);

    /**
     * Work between slots: takes in what was delivered, reads what came from outside, and offers it. Called repeatedly,
     * also while the bank is idle; must not wait.
     *
     * @param slot the next slot to be sent.
     * @return the slot up to which the bank may run, exclusive: some bank has in-flight cells until then, or the pace
     *     allows it. {@code slot} or less: there is nothing to do.
     */
    long poll(long slot);

    /**
     * An edge of a circuit fabric. The bank asks for a cell when its slot comes ({@link PayloadStore#inject}). A
     * delivered cell ({@link PayloadStore#deliver}) waits until the edge is polled; delivering has no other effect.
     */
    interface CellEdge extends Edge, PayloadStore {
    }

    /** An edge of a fabric that cuts packets into cells itself. The bank's thread calls, except where said. */
    interface PacketEdge extends Edge {
        /**
         * At the source: hands over the oldest packet of a flow that was {@linkplain Intake#offer offered} and is still
         * there. Its bytes stay in place.
         *
         * @param identity flow and sequence number of its first cell, see {@code Cell}; the further cells count up from
         *                 it.
         * @param cells    as offered.
         * @return a handle that travels instead of the bytes, see {@link #bytes}.
         */
        long inject(long identity, int cells);

        /**
         * At the destination: takes a packet back. Packets of a flow come in the order in which they were handed over.
         * The packet waits until the edge is polled.
         *
         * @param packet handle from {@link #inject}.
         * @return its cells, as offered.
         */
        int deliver(long packet);

        /**
         * At the source: drops a packet for which the fabric has no room, and frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its cells, as offered.
         */
        int refuse(long packet);

        /**
         * At the source: drops a packet that its traffic class may not send now, and frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its cells, as offered.
         */
        int police(long packet);

        /**
         * Where a packet is lost: frees its buffer.
         *
         * @param packet handle from {@link #inject}.
         * @return its cells, as offered.
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
         * @param offset of the part in the packet.
         * @param to     memory that gets it, from {@code at} on.
         * @param bytes  of the part.
         */
        void copy(long packet, int offset, MemorySegment to, long at, int bytes);

        /** Bytes of the packet of a handle. Any thread may call. */
        static int bytes(final long packet) {
            return (int) (packet >>> Integer.SIZE);
        }
    }

    /** Makes the edges of a fabric's banks. The thread that builds the fabric calls one of the two methods, once. */
    interface Edges {
        /**
         * One edge for each bank of a circuit fabric.
         *
         * @param arena  owner of the memory; closed with the fabric.
         * @param fabric the fabric.
         * @param ranges the nodes of each bank.
         * @param byName whether cells travel by name, their flow and sequence number: one may be in flight twice, come
         *               back to be sent again, or be lost without a word. Otherwise each is delivered or discarded,
         *               once.
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

    /** A bank as its {@link Edge} sees it. The bank's thread calls. */
    interface Intake {
        /**
         * Announces cells of a flow on demand. The bank then asks for them one by one, in order, by
         * {@code PayloadStore#inject}.
         *
         * @param flow  index of the {@code FlowSet}; its source is a node of the bank.
         * @param cells how many, at least 1.
         * @param slot  the next slot to be sent.
         */
        void offer(int flow, int cells, long slot);

        /** Whether one more packet of the flow may be offered now. If not, the packet waits in its port. */
        default boolean hasRoom(final int flow) {
            return true;
        }

        /** Cells in the send queues of the bank's nodes. Cells offered but not yet asked for are not counted. */
        long held();

        /** Cells that the bank's nodes have sent so far, local and forwarded. */
        long sent();
    }
}
