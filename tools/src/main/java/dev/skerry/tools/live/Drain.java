package dev.skerry.tools.live;

/**
 * Decides when what is still under way is given up, once nothing more is taken in. It counts what the fabric does, not
 * time: a machine that is busy with something else makes everything slower, and loses nothing. One thread.
 */
final class Drain {
    /** Rounds in which nothing arrives: ten seconds, a look every five milliseconds, on a machine with nothing else. */
    static final int MOST_ROUNDS = 2_000;
    /** Slots in which nothing arrives while cells are under way: more than any fabric keeps one. */
    static final long MOST_SLOTS = 1 << 16;

    private long arrived = -1;
    private long sinceSlot;
    private long looks;
    private int rounds;

    /**
     * Looks at the fabric.
     *
     * @param arrivedNow cells that have reached a port or were lost.
     * @param looksNow   how often every bank has looked around.
     * @param slot       slots gone by.
     * @param atRest     whether no slot is needed for what is under way.
     * @return whether to give up: every bank has looked {@link #MOST_ROUNDS} times without an arrival, and the fabric
     *     either stands still or has gone on for {@link #MOST_SLOTS}.
     */
    boolean isGivenUp(final long arrivedNow, final long looksNow, final long slot, final boolean atRest) {
        if (arrivedNow != arrived) {
            arrived = arrivedNow;
            sinceSlot = slot;
            looks = looksNow;
            rounds = 0;
        } else if (looksNow != looks) {
            looks = looksNow;
            rounds++;
        }
        return rounds >= MOST_ROUNDS && (atRest || slot - sinceSlot >= MOST_SLOTS);
    }
}
