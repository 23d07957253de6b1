package dev.skerry.nic.fabric;

/**
 * Where payload enters and leaves a bank while the fabric runs, for flows of a {@code FlowSet} that are {@code
 * FlowSet#addOnDemand on demand}: cell by cell in a fabric of circuits, see {@link CellEdge}, packet by packet where
 * the fabric cuts the cells itself, see {@link PacketEdge}. The bank's thread calls.
 */
public interface Edge {
    /** Instead of a slot to go to. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Joins the edge to its bank, before it runs.
     *
     * @param intake where it offers cells.
     */
    void join(Intake intake);

    /**
     * Work between slots: takes in what was delivered, looks at what came from outside, and offers it. Called again and
     * again, also while the bank has nothing to do; must not wait.
     *
     * @param slot the next slot to be sent.
     * @return the slot that the bank may go to, not included: up to there some bank of the fabric has cells under way,
     *     or there is time left; {@code slot} or less: nothing is to be done.
     */
    long poll(long slot);
}
