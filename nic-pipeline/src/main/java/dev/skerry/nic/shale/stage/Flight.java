package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.fabric.Bank;

/**
 * What banks share of the cells in flight.
 *
 * @param link   the cells.
 * @param rows   slots of them.
 * @param flags  who receives something.
 * @param isTold whether senders flag receivers: the circuits are the schedule's, and nothing is lost on them. Else
 *               receivers look at every place.
 * @param packs  whether a bank of one block of which few nodes send puts their cells side by side.
 */
record Flight(InFlightCells link, int rows, ArrivalFlags flags, boolean isTold, boolean packs) {
    /**
     * Of a bank.
     *
     * @param mayFail whether links may fail.
     * @param few     of its nodes.
     */
    static Flight of(final Bank.Ends ends, final ShaleBank.Shared shared, final int nodes, final boolean mayFail,
        final FewNodes few) {
        final PhasedArrivals scheduled = !mayFail && ends.circuits() instanceof final PhasedArrivals phased ? phased
            : null;
        return new Flight(ends.link(), shared.rows(), shared.flags(), scheduled != null, scheduled != null
            && scheduled.packs() && nodes <= CellBatch.CELLS && few.mayBe());
    }
}
