package dev.skerry.nic;

/**
 * Where cells with payload of somebody else enter and leave a bank while the fabric runs: it offers them to the flows
 * of a {@link FlowSet} {@linkplain FlowSet#addOnDemand on demand}, hands each over when its slot comes
 * ({@link CellStore#open}) and takes it back at its destination ({@link CellStore#close}). The bank's thread calls.
 */
public non-sealed interface Edge extends CellStore {
    /** Instead of a slot to go to. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Joins the edge to its bank, before it runs.
     *
     * @param intake where it offers cells.
     */
    void join(Intake intake);

    /**
     * Work between slots: to look at what came from outside, and offer it. Called again and again, also while the bank
     * has nothing to do; must not wait.
     *
     * @param slot the next slot to be sent.
     * @return the slot that the bank may go to, not included: up to there some bank of the fabric has cells under way,
     *     or there is time left; {@code slot} or less: nothing is to be done.
     */
    long poll(long slot);
}
