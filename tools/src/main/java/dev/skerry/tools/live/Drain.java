package dev.skerry.tools.live;

/**
 * Decides when cells still in flight are given up after intake has ended. It counts looks and slots instead of time,
 * because a busy machine slows the fabric down but loses nothing. One thread.
 */
final class Drain {
    /** Looks of every bank without an arrival while the fabric waits. With one every 5 ms they take ten seconds. */
    static final int MOST_ROUNDS = 2_000;
    /** Slots without an arrival while cells are in flight. No fabric holds a cell longer. */
    static final long MOST_SLOTS = 1 << 16;

    private long arrived = -1;
    private long sinceSlot;
    private long looks;
    private int rounds;

    /**
     * Looks at the fabric.
     *
     * @param arrivedNow cells that have reached a port or were lost, so far.
     * @param looksNow   looks completed by every bank.
     * @param slot       current slot.
     * @param waits      whether the cells in flight need no further slot, or a port has yet to take some: a fabric
     *                   runs thousands of slots until a slow one does.
     * @return whether to give up: the fabric has run {@link #MOST_SLOTS} slots without an arrival, or, while it waits,
     *         every bank has looked {@link #MOST_ROUNDS} times.
     */
    boolean isGivenUp(final long arrivedNow, final long looksNow, final long slot, final boolean waits) {
        if (arrivedNow != arrived) {
            arrived = arrivedNow;
            sinceSlot = slot;
            looks = looksNow;
            rounds = 0;
        } else if (looksNow != looks) {
            looks = looksNow;
            rounds += waits ? 1 : 0;
        }
        if (waits) {
            sinceSlot = slot;
        }
        return waits ? rounds >= MOST_ROUNDS : slot - sinceSlot >= MOST_SLOTS;
    }
}
