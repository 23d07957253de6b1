package dev.skerry.nic.fabric;

/**
 * Where payload enters and leaves a bank while the fabric runs, for flows
 * {@linkplain dev.skerry.nic.flow.FlowSet#addOnDemand on demand}. A circuit fabric takes cell by cell, see
 * {@link CellEdge}; a fabric that cuts packets itself takes packet by packet, see {@link PacketEdge}. The bank's thread
 * calls.
 */
public interface Edge {
    /** Returned by {@link #poll} if the edge sets no limit. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Connects the edge to its bank. Called once, before the fabric runs.
     *
     * @param intake where the edge offers cells.
     */
    void join(Intake intake);

    /**
     * Work between slots: takes in what was delivered, reads what came from outside, and offers it. Called repeatedly,
     * also while the bank is idle; must not wait.
     *
     * @param slot the next slot to be sent.
     * @return the slot up to which the bank may run, exclusive: some bank has cells under way until then, or the pace
     *     allows it. {@code slot} or less: there is nothing to do.
     */
    long poll(long slot);
}
