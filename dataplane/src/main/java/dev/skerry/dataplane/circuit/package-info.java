/**
 * Cells between sender and receiver, and the slots on which their threads agree. In lock step,
 * {@link dev.skerry.dataplane.circuit.InFlightCells} holds the in-flight cells by slot and node, and workers
 * synchronise at a {@link dev.skerry.dataplane.circuit.SlotBarrier} once per propagation delay, because no cell is seen
 * earlier. With free-running threads, a {@link dev.skerry.dataplane.circuit.CircuitSwitch} moves handles between
 * {@link dev.skerry.dataplane.ring.LinkBundle}s, and {@link dev.skerry.dataplane.circuit.SlotGate} limits how far a
 * thread may run ahead of the {@link dev.skerry.dataplane.circuit.SlotCounts} of others.
 */
package dev.skerry.dataplane.circuit;
