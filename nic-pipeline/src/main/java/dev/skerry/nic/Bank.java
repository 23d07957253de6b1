package dev.skerry.nic;

import dev.skerry.dataplane.circuit.CellLink;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fabric.shale.FailureAware;
import dev.skerry.nic.fabric.shale.Shale;
import dev.skerry.nic.fabric.shoal.Shoal;
import dev.skerry.nic.fault.Faults;

import java.lang.foreign.Arena;

/**
 * The NICs of a range of nodes of some fabric, as the engine steps and counts them. Called once a slot, not once a
 * cell, so the choice of fabric costs nothing on the path. One thread at a time.
 */
sealed interface Bank extends Intake permits ShaleBank, ShoalBank, GuardedBank {
    /** What a bank is connected to. */
    record Ends(FlowSet flows, FlowTable flowTable, CellLink link, Circuits circuits, CellStore store) {
    }

    /**
     * The bank that suits a fabric, at slot 0; a {@link GuardedBank} where {@link #guarded} says so.
     *
     * @param arena     owner of the memory.
     * @param range     its nodes.
     * @param fabric    the fabric.
     * @param faults    what goes wrong.
     * @param ends      what it is connected to.
     */
    static Bank of(final Arena arena, final NodeRange range, final CircuitFabric fabric, final Faults faults,
        final Ends ends) {
        return switch (fabric) {
            case Shale shale -> new ShaleBank(arena, range, shale, faults, ends);
            case Shoal shoal -> new ShoalBank(arena, range, shoal, ends);
        };
    }

    /** Whether a fabric needs banks that guard against faults or know of traffic classes: Shoal's are their own. */
    static boolean guarded(final CircuitFabric fabric, final Assembly.Traffic traffic) {
        return fabric instanceof Shoal && (!traffic.faults().isEmpty() || traffic.flows().classes() > 1);
    }

    /** Memory in bytes of a bank of all nodes, spill not counted. */
    static long bytes(final CircuitFabric fabric, final Assembly.Traffic traffic) {
        return switch (fabric) {
            case Shale shale -> ShaleBank.bytes(shale, shale.nodes(), traffic.flows().size())
                + (traffic.faults().isEmpty() ? 0 : FailureAware.bytes(shale, shale.nodes()));
            case Shoal shoal -> ShoalBank.bytes(shoal, traffic.flows());
        };
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
    Reassembler reassembler();

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
     * arrived or is lost, or will never be sent. Never falls, but for a {@link GuardedBank}.
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
