package dev.skerry.nic.shale;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.util.List;

/**
 * End-to-end congestion control of the flows of one bank, beside the {@link CongestionControl} of its links. Flows are
 * indices of the {@code FlowSet}, nodes are numbered within their bank. One thread.
 *
 * <pre>
 *   send     mayStart + onStart     may this flow start a cell?
 *            sent slot              what it sends beside the cells
 *   receive  onDeliver              a cell has come to its destination
 *            received slot          what came beside the cells
 * </pre>
 */
public interface EndToEnd {
    /**
     * Whether a flow may start a cell now. What may not start must stay so until {@link QueueBank#wake} is called for
     * its node: until then nobody asks again.
     */
    boolean mayStart(int flow);

    /** A flow has started a cell. */
    void onStart(int flow);

    /** A flow has become active: it has cells to start, the first perhaps in this slot. */
    default void onActive(final int flow) {
    }

    /** A flow has started its last cell, or is given up. */
    default void onDone(final int flow) {
    }

    /** A cell was delivered at a node. */
    void onDeliver(int node, long identity);

    /** All nodes of the bank have sent their cells of a slot. */
    void send(long slot);

    /**
     * All nodes of the bank have received their cells of a slot.
     *
     * @param queues those of the bank, to wake nodes.
     */
    void receive(long slot, QueueBank queues);

    /** What becomes of cells that arrive to join queues, where {@code ofLinks} alone would decide. */
    default ArrivalRule arrivals(final ArrivalRule ofLinks) {
        return ofLinks;
    }

    /** The cells that are to be sent again; null where none ever are. */
    default Retransmissions retransmissions() {
        return null;
    }

    /** Signals of each link that it adds to the probes of a node. */
    default List<Signal> probes() {
        return List.of();
    }

    /** The value of one of these signals. */
    default long probe(final int node, final int link, final int which) {
        throw new IndexOutOfBoundsException("signal=" + which);
    }

    /** What it counts; 0 for what it does not. */
    long count(NicCounter counter);
}
