package dev.skerry.nic.shale.control;

/**
 * What the hardware of a node has room for (docs/spec/shale.md §9.6). Immutable; any thread.
 *
 * @param pieoEntries   Q_P: entries of the PIEO of a link, at least 2.
 * @param tokenFifo     Q_T: tokens of the return FIFO of a link, at least 1.
 * @param activeBuckets A: buckets up to which a node's own flows may make more of them active, at least 1.
 * @param reserve       buckets beyond A that only arriving cells may make active, at least 0.
 * @param slotClocks    clocks of a slot, at least 1.
 */
public record HostLimits(int pieoEntries, int tokenFifo, int activeBuckets, int reserve, int slotClocks) {
    /** In place of a number: no limit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;
    /** Least entries of a PIEO: the oldest cell, and another in turn. */
    public static final int LEAST_ENTRIES = 2;
    /**
     * Fewest clocks of a slot: an idle one takes as many, for parsing what comes and for a PIEO without an eligible
     * entry, which answers a clock earlier. With fewer, every slot would overrun, and an idle fabric would have to be
     * stepped.
     */
    public static final int LEAST_CLOCKS = 1 + 6;
    /** No limits: all is counted, nothing overflows. */
    public static final HostLimits NONE = new HostLimits(UNLIMITED, UNLIMITED, UNLIMITED, 0, UNLIMITED);

    /** Checks the bounds. */
    public HostLimits {
        if (pieoEntries < LEAST_ENTRIES || tokenFifo < 1 || activeBuckets < 1 || reserve < 0
            || slotClocks < LEAST_CLOCKS) {
            throw new IllegalArgumentException("a node has room for two entries and one of all else, and a slot has "
                + LEAST_CLOCKS + " clocks: pieoEntries=" + pieoEntries + " tokenFifo=" + tokenFifo + " activeBuckets="
                + activeBuckets + " reserve=" + reserve + " slotClocks=" + slotClocks);
        }
    }

    /** Buckets that the table of a node has room for: A and the reserve. */
    public int tableBuckets() {
        return (int) Math.min(UNLIMITED, (long) activeBuckets + reserve);
    }
}
