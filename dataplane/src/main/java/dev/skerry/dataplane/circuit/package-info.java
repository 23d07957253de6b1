/**
 * The slot clock that workers share, the links cells travel on, and the switches between them.
 *
 * <p>In the lock-step mode {@link dev.skerry.dataplane.circuit.InFlightCells} holds what has been sent and not yet
 * received,
 * a cell for each node and slot; which node receives it is the schedule's business.
 * {@link dev.skerry.dataplane.circuit.SlotBarrier} is where the workers of that mode meet: once in every propagation
 * delay's worth of slots, because a cell sent now is not seen earlier (design decision 3).
 *
 * <p>In the threads mode a {@link dev.skerry.dataplane.circuit.CircuitSwitch} moves the handles of cells from link to
 * link ({@link dev.skerry.dataplane.ring.LinkBundle}) as its {@link dev.skerry.dataplane.circuit.RegisterTable} says,
 * without ever looking into a cell; {@link dev.skerry.dataplane.circuit.SwitchModel} is one on its own. Switches and
 * senders meet nowhere: each goes on when its links have the next slot. Where links lie in memory that lock step uses
 * too, {@link dev.skerry.dataplane.circuit.SlotCounts} say how far everybody is, and a {@link
 * dev.skerry.dataplane.circuit.SlotGate} how far one may go.
 */
package dev.skerry.dataplane.circuit;
