package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.PayloadStore;

/**
 * Where cells with payload of somebody else enter and leave a bank while the fabric runs: it offers them to the flows
 * of a {@code FlowSet} {@code FlowSet#addOnDemand on demand}, hands each over when its slot comes
 * ({@link PayloadStore#inject}) and takes it back at its destination ({@link PayloadStore#deliver}). The bank's thread
 * calls.
 */
public interface Edge extends PayloadStore {
    /** Instead of a slot to go to. */
    long ANY_SLOT = Long.MAX_VALUE;

    /**
     * Joins the edge to its bank, before it runs.
     *
     * @param intake where it offers cells.
     */
    void join(Intake intake);

    /**
     * At the source: hands over, of a flow, the packet that was {@linkplain Intake#offer offered} first and is still
     * there, for fabrics that cut packets into cells themselves. Its bytes stay where they are.
     *
     * @param identity of its first cell; the others count on from it.
     * @param cells    as offered.
     * @return what travels instead of its bytes, see {@link #bytes}.
     */
    long openPacket(long identity, int cells);

    /**
     * At the destination: takes a packet back, in the order in which those of its flow were handed over.
     *
     * @param packet as {@link #openPacket} gave it.
     * @return its cells, as offered.
     */
    int closePacket(long packet);

    /**
     * Where a packet is lost: gives its place back.
     *
     * @param packet as {@link #openPacket} gave it.
     * @return its cells, as offered.
     */
    int discardPacket(long packet);

    /** Bytes of a packet that was handed over. Any thread may call. */
    static int bytes(final long packet) {
        return (int) (packet >>> Integer.SIZE);
    }

    /**
     * Bytes, in whole cells, that have come to an endpoint of the bank and that its port has not taken yet; 0 where
     * there is no port.
     *
     * @param endpoint as the {@code FlowSet} has it.
     */
    long waitingAt(int endpoint);

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
