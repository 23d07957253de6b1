package dev.skerry.nic.fabric;

import dev.skerry.schedule.Schedule;

/** A fabric of circuits that a schedule changes from slot to slot. Nodes forward cells; switches take no decisions. */
public interface CircuitFabric extends Fabric {
    /** Which node is connected to which. */
    Schedule schedule();

    /** Two hops, and an epoch until each begins. */
    @Override
    default long emptySlots() {
        return 2L * (schedule().epochSlots() + propagationSlots());
    }

    /** Cells on the links in one slot: one per node and channel. */
    default int cellsInSlot() {
        return nodes() * channels();
    }
}
