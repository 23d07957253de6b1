package dev.skerry.nic.fabric;

/** A fabric of circuits that change from slot to slot by a schedule: its nodes forward, its switches decide nothing. */
public interface CircuitFabric extends Fabric {
    /** Cells on the links in a slot, one for each node and channel. */
    default int cellsInSlot() {
        return nodes() * channels();
    }
}
