package dev.skerry.nic.engine;

/**
 * Detects that every cell has arrived or is lost while the banks run. The owner of the run samples the banks one after
 * the other, each at a slot of its own. One thread, the owner's.
 *
 * <p>If nothing fails, the number of settled cells only grows and their sum is enough. Otherwise two samples are
 * needed, the second taken when every bank is beyond the furthest bank of the first. If the sum is right in both and
 * nothing moved in between, then at one slot common to all banks no cell was under way, and no bank had one to send
 * later.
 */
final class Quiescence {
    /** A bank's counters may be ahead of the slot it has published by this many slots at most. */
    private static final long AHEAD = 2L * NicAgent.BATCH_SLOTS;

    private final long cells;
    private final boolean twice;
    private long from;
    private long until;
    private long settled;
    private long moves;
    private long suspectedUntil = Long.MAX_VALUE;
    private long suspectedMoves;

    /**
     * Before the first sample.
     *
     * @param cells cells of all flows.
     * @param twice whether two samples are needed.
     */
    Quiescence(final long cells, final boolean twice) {
        this.cells = cells;
        this.twice = twice;
    }

    /** Begins a sample; every bank has done at least {@code slots} slots. */
    void look(final long slots) {
        from = slots;
        until = 0;
        settled = 0;
        moves = 0;
    }

    /** Adds a bank's {@code Bank#settled} and {@code Bank#moves}. */
    void add(final long bankSettled, final long bankMoves) {
        settled += bankSettled;
        moves += bankMoves;
    }

    /** After all banks were added: slots that a bank has published by now. */
    void until(final long slots) {
        until = Math.max(until, slots + AHEAD);
    }

    /** Whether all cells are settled; called once a sample. */
    boolean isReached() {
        if (settled != cells) {
            suspectedUntil = Long.MAX_VALUE;
            return false;
        }
        if (!twice || from >= suspectedUntil && moves == suspectedMoves) {
            return true;
        }
        if (suspectedUntil == Long.MAX_VALUE || moves != suspectedMoves) {
            suspectedUntil = until;
            suspectedMoves = moves;
        }
        return false;
    }
}
