package dev.skerry.nic.fabric;

/** An edge of a fabric that cuts packets into cells itself. The bank's thread calls, except where said. */
public interface PacketEdge extends Edge {
    /**
     * At the source: hands over, of a flow, the packet that was {@linkplain Intake#offer offered} first and is still
     * there. Its bytes stay where they are.
     *
     * @param identity of its first cell, see {@code Cell}; the others count on from it.
     * @param cells    as offered.
     * @return what travels instead of its bytes, see {@link #bytes}.
     */
    long inject(long identity, int cells);

    /**
     * At the destination: takes a packet back, in the order in which the packets of its flow were handed over. It waits
     * until the edge is polled.
     *
     * @param packet as {@link #inject} gave it.
     * @return its cells, as offered.
     */
    int deliver(long packet);

    /**
     * Where a packet is lost: gives its place back.
     *
     * @param packet as {@link #inject} gave it.
     * @return its cells, as offered.
     */
    int discard(long packet);

    /**
     * Bytes, in whole cells, that have come to an endpoint of the bank and that its port has not taken yet; 0 where
     * there is no port.
     *
     * @param endpoint as the {@code FlowSet} has it.
     */
    long waitingAt(int endpoint);

    /** Bytes of a packet that was handed over. Any thread may call. */
    static int bytes(final long packet) {
        return (int) (packet >>> Integer.SIZE);
    }
}
