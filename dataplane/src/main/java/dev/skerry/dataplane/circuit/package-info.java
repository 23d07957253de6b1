/**
 * Cells between sender and receiver, and the slots their threads agree on.
 *
 * <p>Lock step: {@link dev.skerry.dataplane.circuit.InFlightCells} holds the cells in flight by slot and node. Workers
 * meet at a {@link dev.skerry.dataplane.circuit.SlotBarrier} once a propagation delay, because no cell is seen earlier.
 *
 * <p>Free-running threads: a {@link dev.skerry.dataplane.circuit.CircuitSwitch} moves handles between {@link
 * dev.skerry.dataplane.ring.LinkBundle}s as its {@link dev.skerry.dataplane.circuit.RegisterTable} says, never looking
 * into a cell; {@link dev.skerry.dataplane.circuit.SwitchModel} is one switch alone. Threads that share cells in flight
 * publish {@link dev.skerry.dataplane.circuit.SlotCounts}; a {@link dev.skerry.dataplane.circuit.SlotGate} bounds how
 * far one may run ahead.
 */
package dev.skerry.dataplane.circuit;
