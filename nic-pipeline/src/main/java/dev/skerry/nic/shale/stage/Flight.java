package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;

/**
 * What banks share of the cells in flight.
 *
 * @param link   the cells.
 * @param rows   slots of them.
 * @param flags  who receives something.
 * @param isTold whether senders flag receivers: the circuits are the schedule's, and nothing is lost on them. Else
 *               receivers look at every place.
 */
record Flight(InFlightCells link, int rows, ArrivalFlags flags, boolean isTold) {
}
