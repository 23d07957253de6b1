package dev.skerry.nic.engine;

/**
 * Finds out that every cell has arrived or is lost while banks run and are looked at one after the other, each as it
 * was at some slot of its own. One thread, that of the owner of a run.
 *
 * <p>Where nothing fails, settled cells only grow in number, and their sum is enough. Otherwise it is looked at twice,
 * the second time with every bank beyond the furthest of the first: if the sum is right both times and nothing has
 * moved in between, there was a slot, the same for all banks, at which no cell was under way, and after which no bank
 * had one to send.
 */
final class Quiescence {
    /** Slots between two publications of a bank, so that what is seen of it may be ahead of the slot it shows. */
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
     * Nothing settled.
     *
     * @param cells cells of all flows.
     * @param twice whether to look twice.
     */
    Quiescence(final long cells, final boolean twice) {
        this.cells = cells;
        this.twice = twice;
    }

    /** Begins a look when every bank has done so many slots. */
    void look(final long slots) {
        from = slots;
        until = 0;
        settled = 0;
        moves = 0;
    }

    /** Sees a bank, see {@code Bank#settled} and {@code Bank#moves}. */
    void add(final long bankSettled, final long bankMoves) {
        settled += bankSettled;
        moves += bankMoves;
    }

    /** After all were seen, a bank has done so many slots. */
    void until(final long slots) {
        until = Math.max(until, slots + AHEAD);
    }

    /** Whether everything is settled; called once a look. */
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
