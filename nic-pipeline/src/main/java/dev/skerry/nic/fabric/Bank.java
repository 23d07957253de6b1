package dev.skerry.nic.fabric;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;

/**
 * The NICs of a range of nodes of some fabric, as the engine steps and counts them. Called once a slot, not once a
 * cell, so the choice of fabric costs nothing on the path. One thread at a time.
 */
public interface Bank extends Intake {
    /** What a bank is connected to. */
    record Ends(FlowSet flows, FlowTable flowTable, InFlightCells link, ArrivalMap circuits, PayloadStore store) {
    }

    /** The nodes of the bank. */
    NodeRange range();

    /** First half of a slot: every node sends. */
    void send(long slot);

    /** Second half of a slot: every node receives what was sent to it the propagation delay before. */
    void receive(long slot);

    /** The value of a counter. */
    long count(NicCounter counter);

    /** Cells in all queues of a node of the bank, counted queue by queue. */
    int queued(int node);

    /** Cells in the queues of its nodes. */
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
        return count(NicCounter.CELLS_INJECTED) + count(NicCounter.CELLS_FORWARDED);
    }

    /** What the nodes held at most. */
    NodeMaxima maxima();

    /** Its last stage, for what it says of deliveries. */
    DeliveryLedger deliveries();

    /** Most buckets that were ever active at a node; 0 where there are no buckets. */
    int maxActiveBuckets(int node);

    /** Where the bank lost its first cell, null if it lost none. */
    Outcome.Drop firstDrop();

    /** Cells lost under any name. */
    default long dropped() {
        long sum = 0;
        for (final NicCounter drop : NicCounter.DROPS) {
            sum += count(drop);
        }
        return sum;
    }

    /**
     * Cells of which the bank has seen the end: once the sum over all banks is that of all flows' cells, every cell has
     * arrived or is lost, or will never be sent. Never falls unless {@link FabricParts#resends} says so.
     */
    default long settled() {
        return count(NicCounter.CELLS_DELIVERED) + dropped() + count(NicCounter.CELLS_NOT_SENT);
    }

    /** A number that grows with everything that happens to a cell, but for its being sent on. */
    default long moves() {
        return settled();
    }

    /** The slot in which the last cell was delivered or lost, -1 if none was; {@link Long#MAX_VALUE}: not kept. */
    default long lastFate() {
        return Long.MAX_VALUE;
    }
}
