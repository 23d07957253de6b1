package dev.skerry.nic.fabric;

/** A bank as its {@link Edge} sees it. The bank's thread calls. */
public interface Intake {
    /**
     * Cells of a flow on demand have come. They are asked for by {@code PayloadStore#inject} one by one, in order.
     *
     * @param flow  index of the {@code FlowSet}, its source a node of the bank.
     * @param cells how many, at least 1.
     * @param slot  the next slot to be sent.
     */
    void offer(int flow, int cells, long slot);

    /** Whether one more packet of a flow may be offered now; else it is to wait where it is. */
    default boolean hasRoom(final int flow) {
        return true;
    }

    /** Cells that wait in the send queues of the bank's nodes; those offered and not yet asked for are not counted. */
    long held();

    /** Cells that the bank's nodes have sent so far, their own and those of others. */
    long sent();
}
