package dev.skerry.nic.shale;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.NodeRange;

import java.lang.foreign.Arena;
import java.util.List;

/** Makes the congestion control of each bank, and says what it costs and which laws it obeys. Immutable; any thread. */
@FunctionalInterface
public interface ControlFactory {
    /** What laws look at: the congestion control of a bank, its queues, and what it knows of failures, or null. */
    record BankState(CongestionControl control, CellQueues queues, PathReachability reach, NodeRange range) {
    }

    /**
     * The congestion control of a bank at slot 0.
     *
     * @param arena owner of the memory.
     * @param shale budgets and schedule.
     * @param nodes nodes of the bank.
     * @param pool  overflow of the bank.
     */
    CongestionControl begin(Arena arena, Shale shale, int nodes, SpillPool pool);

    /**
     * Checks that it can carry this traffic, before memory is allocated.
     *
     * @throws IllegalArgumentException if it cannot; the message says why.
     */
    default void check(final Shale shale, final Traffic traffic) {
    }

    /**
     * Whether all its state is in its {@link CongestionControl.LinkTokens}, so that it can be set from the registers of
     * a device.
     */
    default boolean takesRegisters() {
        return false;
    }

    /** Memory of a bank in bytes, pool and growth not counted. */
    default long bytes(final Shale shale, final int nodes) {
        return 0;
    }

    /** The laws that it obeys over a whole fabric. */
    default FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
        return slot -> { };
    }
}
