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
 * The NICs of a range of nodes, as the engine steps and counts them. The engine calls a bank once per slot, not once
 * per cell, so the virtual calls cost nothing on the path. One thread at a time.
 */
public interface Bank extends Intake {
    /** What a bank is connected to: its traffic, the link, the circuits and the payload store. */
    record Ends(FlowSet flows, FlowTable flowTable, InFlightCells link, ArrivalMap circuits, PayloadStore store) {
    }

    /** The nodes of the bank. */
    NodeRange range();

    /**
     * The slot until which the bank is idle, asked between slots. It is idle while it sends only idle cells and changes
     * nothing, provided that it receives only idle cells. All places of its nodes in the window of the
     * {@code InFlightCells} must be idle too. When all banks of a fabric are idle, the engine goes on to the first of
     * their slots without a call; a bank that counts slots makes up for that in its next {@link #send}.
     *
     * @param slot the next slot to be sent.
     * @return the first slot, {@code slot} or later, in which {@link #send} must be called; {@link Long#MAX_VALUE} if
     *     there is none. Too early an answer only costs time.
     */
    default long idleUntil(final long slot) {
        return slot;
    }

    /**
     * Whether nothing is left to do before the next flow starts: no flow is active, nothing is queued, owed or awaited,
     * and nothing was put on the link within its window. Asked between slots; follows from the state of the bank alone.
     *
     * @param slot the next slot to be sent.
     */
    default boolean isIdle(final long slot) {
        return false;
    }

    /** Whether the bank can become idle; false where nodes exchange messages for as long as a run lasts. */
    default boolean canIdle() {
        return false;
    }

    /** First half of a slot: every node sends. */
    void send(long slot);

    /** Second half of a slot: every node receives what was sent to it one propagation delay earlier. */
    void receive(long slot);

    /**
     * What the bank has counted; 0 for what it does not count. Runs end by {@link NicCounter#CELLS_INJECTED}, {@link
     * NicCounter#CELLS_DELIVERED}, {@link NicCounter#FLOWS_STARTED} and {@link NicCounter#FLOWS_COMPLETED}.
     */
    long count(NicCounter counter);

    /** Cells in all queues of a node of the bank, counted queue by queue. Slow: for audits. */
    int queued(int node);

    /** Cells in all queues of all nodes of the bank. */
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

    /** Cells that its nodes have sent and that stand at no place of the link yet. Slow: for audits. */
    default long underWay() {
        return 0;
    }

    /**
     * The message that a node sends or receives at a place of the link, where its route is {@link
     * InFlightCells#CONTROL}, to be read and written.
     *
     * @param at place of the link.
     * @return its bytes; null where the words of the link say it all.
     */
    default MemorySegment message(final long at) {
        return null;
    }

    /** The maxima of the bank's nodes. */
    NodeMaxima maxima();

    /** The ledger of the cells delivered at the bank's nodes. */
    DeliveryLedger deliveries();

    /** Most buckets ever active at a node; 0 for a fabric without buckets. */
    int maxActiveBuckets(int node);

    /**
     * What the bank has sampled, null if it samples nothing.
     *
     * @param slots   of the outcome.
     * @param covered slots that the run went through: those after a limit, too, in which cells on their way arrive.
     * @param looked  slots in which queues were sampled: those covered, and one more for a run that ended with its last
     *                flow, as the Shoal authors' simulator looks at the queues once more after the last reception.
     */
    default Outcome.Sampled sampled(final long slots, final long covered, final long looked) {
        return null;
    }

    /** Buckets active at a node now; 0 for a fabric without buckets. Slow. */
    default int activeBuckets(final int node) {
        return 0;
    }

    /**
     * Cells that wait at a node for one of its links now.
     *
     * @param link position in the epoch.
     * @return -1 for a fabric in which a link has no queue of its own.
     */
    default int queueLength(final int node, final int link) {
        return -1;
    }

    /** Most cells that ever waited there; -1 where it is not counted. */
    default int maxQueueLength(final int node, final int link) {
        return -1;
    }

    /** Where the bank lost its first cell, null if it lost none. */
    Outcome.Drop firstDrop();

    /** Cells lost, over all drop counters. */
    default long dropped() {
        long sum = 0;
        // By index: workers ask after every stride, and an iterator would be garbage.
        for (int drop = 0; drop < NicCounter.DROPS.size(); drop++) {
            sum += count(NicCounter.DROPS.get(drop));
        }
        return sum;
    }

    /**
     * Cells whose fate is known: delivered, lost, or never to be sent. Once the sum over all banks equals the cells of
     * all flows, the run is over. Never falls unless {@link FabricParts#resends} is true.
     */
    default long settled() {
        return count(NicCounter.CELLS_DELIVERED) + dropped() + count(NicCounter.CELLS_NOT_SENT);
    }

    /** What flows of the bank that wait for others take off {@link #settled}: their cells. */
    default long unsettled(final ReleaseQueue waiting) {
        return waiting.waitingCells();
    }

    /** The slot in which the last cell was delivered or lost, -1 if none was. */
    long lastFate();
}
