package dev.skerry.nic.fabric;

import java.lang.foreign.MemorySegment;

/** An edge of a fabric that cuts packets into cells itself. The bank's thread calls, except where said. */
public interface PacketEdge extends Edge {
    /**
     * At the source: hands over the oldest packet of a flow that was {@linkplain Intake#offer offered} and is still
     * there. Its bytes stay in place.
     *
     * @param identity flow and sequence number of its first cell, see {@code Cell}; the further cells count up from it.
     * @param cells    as offered.
     * @return a handle that travels instead of the bytes, see {@link #bytes}.
     */
    long inject(long identity, int cells);

    /**
     * At the destination: takes a packet back. Packets of a flow come in the order in which they were handed over. The
     * packet waits until the edge is polled.
     *
     * @param packet handle from {@link #inject}.
     * @return its cells, as offered.
     */
    int deliver(long packet);

    /**
     * At the source: drops a packet for which the fabric has no room, and frees its place.
     *
     * @param packet handle from {@link #inject}.
     * @return its cells, as offered.
     */
    int refuse(long packet);

    /**
     * At the source: drops a packet that its traffic class may not send now, and frees its place.
     *
     * @param packet handle from {@link #inject}.
     * @return its cells, as offered.
     */
    int police(long packet);

    /**
     * Where a packet is lost: frees its place.
     *
     * @param packet handle from {@link #inject}.
     * @return its cells, as offered.
     */
    int discard(long packet);

    /**
     * Bytes, in whole cells, that have arrived for an endpoint of the bank and that its port has not taken yet; 0 for
     * an endpoint without a port.
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
