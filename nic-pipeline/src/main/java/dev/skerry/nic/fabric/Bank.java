package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Edge.Intake;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.flow.Releases.ReleaseQueue;

import java.lang.foreign.MemorySegment;

/**
 * The NICs of a range of nodes, as stepped and counted by the engine. The engine calls a bank once per slot, not once
 * per cell, so virtual calls are not on the path of a cell. One thread at a time.
 */
public interface Bank extends Intake {
    /** Connections of a bank: its traffic, the link, the circuits and the payload store. */
    record Ends(FlowSet flows, FlowTable flowTable, InFlightCells link, ArrivalMap circuits, PayloadStore store) {
    }

    /** The nodes of the bank. */
    NodeRange range();

    /**
     * The slot until which the bank is idle, queried between slots. A bank is idle while it sends only idle cells and
     * changes nothing, provided that it receives only idle cells. All places of its nodes in the window of the
     * {@code InFlightCells} must be idle as well. When all banks of a fabric are idle, the engine skips to the first of
     * their slots without a call; a bank that counts slots catches up in its next {@link #send}.
     *
     * @param slot the next slot to be sent.
     * @return the first slot, {@code slot} or later, in which {@link #send} must be called; {@link Long#MAX_VALUE} if
     *     there is none. A result that is too early only costs time.
     */
    default long idleUntil(final long slot) {
        return slot;
    }

    /**
     * Whether there is nothing to do before the next flow starts: no flow is active, nothing is queued, owed or
     * awaited, and nothing was put on the link within its window. Queried between slots; depends only on the state of
     * the bank.
     *
     * @param slot the next slot to be sent.
     */
    default boolean isIdle(final long slot) {
        return false;
    }

    /** Whether the bank can become idle; false if nodes exchange messages for as long as a run lasts. */
    default boolean canIdle() {
        return false;
    }

    /** First half of a slot: every node sends. */
    void send(long slot);

    /** Second half of a slot: every node receives what was sent to it one propagation delay earlier. */
    void receive(long slot);

    /**
     * The value of a counter; 0 if the bank does not count it. The end of a run depends on
     * {@link NicCounter#CELLS_INJECTED}, {@link NicCounter#CELLS_DELIVERED}, {@link NicCounter#FLOWS_STARTED} and
     * {@link NicCounter#FLOWS_COMPLETED}.
     */
    long count(NicCounter counter);

    /** Number of cells in all queues of a node of the bank, counted queue by queue. Slow: for audits. */
    int queued(int node);

    /** Number of cells in all queues of all nodes of the bank. */
    @Override
    default long held() {
        long held = 0;
        for (int node = 0; node < range().size(); node++) {
            held += maxima().held(node);
        }
        return held;
    }

    @Override
    default long sent() {
        return count(NicCounter.CELLS_INJECTED) + count(NicCounter.CELLS_FORWARDED)
            + count(NicCounter.CELLS_RETRANSMITTED);
    }

    /** Number of cells that its nodes have sent and that are not on the link yet. Slow: for audits. */
    default long underWay() {
        return 0;
    }

    /**
     * The message that a node sends or receives at a place of the link whose route is {@link InFlightCells#CONTROL},
     * for reading and writing.
     *
     * @param at place of the link.
     * @return its bytes; null if the words of the link contain the whole message.
     */
    default MemorySegment message(final long at) {
        return null;
    }

    /** The maxima of the bank's nodes. */
    NodeMaxima maxima();

    /** The ledger of the cells delivered at the bank's nodes. */
    DeliveryLedger deliveries();

    /** Maximum number of active buckets at a node; 0 for a fabric without buckets. */
    int maxActiveBuckets(int node);

    /**
     * The samples of the bank, null if it takes none.
     *
     * @param slots   slots of the outcome.
     * @param covered slots simulated, including those after a limit in which in-flight cells arrive.
     * @param looked  slots in which queues were sampled: those covered, plus one for a run that ended with its last
     *                flow, because the Shoal authors' simulator samples the queues again after the last reception.
     */
    default Outcome.Sampled sampled(final long slots, final long covered, final long looked) {
        return null;
    }

    /** Number of buckets currently active at a node; 0 for a fabric without buckets. Slow. */
    default int activeBuckets(final int node) {
        return 0;
    }

    /**
     * Number of cells that currently wait at a node for one of its links.
     *
     * @param link position in the epoch.
     * @return -1 for a fabric without per-link queues.
     */
    default int queueLength(final int node, final int link) {
        return -1;
    }

    /** Maximum of {@link #queueLength} so far; -1 if it is not tracked. */
    default int maxQueueLength(final int node, final int link) {
        return -1;
    }

    /** The bank's first lost cell, null if there is none. */
    Outcome.Drop firstDrop();

    /** Number of lost cells, over all drop counters. */
    default long dropped() {
        long sum = 0;
        // By index: workers call this after every stride, and an iterator would be garbage.
        for (int drop = 0; drop < NicCounter.DROPS.size(); drop++) {
            sum += count(NicCounter.DROPS.get(drop));
        }
        return sum;
    }

    /**
     * Number of cells whose fate is known: delivered, lost, or never to be sent. Once the sum over all banks equals the
     * cells of all flows, the run is over. Never decreases unless {@link FabricParts#resends} is true.
     */
    default long settled() {
        return count(NicCounter.CELLS_DELIVERED) + dropped() + count(NicCounter.CELLS_NOT_SENT);
    }

    /** Number of cells by which waiting flows of the bank reduce {@link #settled}. */
    default long unsettled(final ReleaseQueue waiting) {
        return waiting.waitingCells();
    }

    /** The slot in which the last cell was delivered or lost, -1 if there was none. */
    long lastFate();
}
