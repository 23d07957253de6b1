/**
 * The slot clock that workers share, and the links cells travel on.
 *
 * <p>{@link dev.skerry.dataplane.circuit.CellLink} holds what has been sent and not yet received, a cell for each node
 * and slot; which node receives it is the schedule's business.
 *
 * <p>{@link dev.skerry.dataplane.circuit.SlotBarrier} is where the workers of the lock-step mode meet: once in every
 * propagation delay's worth of slots, because a cell sent now is not seen earlier (design decision 3).
 */
package dev.skerry.dataplane.circuit;
