package dev.skerry.nic.fabric;

/** A bank as its {@link Edge} sees it. The bank's thread calls. */
public interface Intake {
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
