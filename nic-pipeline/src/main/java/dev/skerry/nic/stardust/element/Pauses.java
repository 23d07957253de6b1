package dev.skerry.nic.stardust.element;

/**
 * Which devices have paused the links into them, by slot: a pause reaches the other ends of the links one propagation
 * delay later (docs/spec/stardust.md §4). Cells from above never go up again, so a queue that leads up pauses the links
 * from below only, and no cycle of waiting forms. A bank writes its devices in a slot; neighbours read them the delay
 * later.
 */
public final class Pauses {
    private final byte[][] paused;
    private final boolean[][] any;
    private final int[][] neighbours;

    /**
     * Nobody pauses.
     *
     * @param neighbours by bank, the banks that its links lead to.
     * @param window     slots that are kept.
     */
    public Pauses(final int devices, final int[][] neighbours, final int window) {
        this.paused = new byte[window][devices];
        this.any = new boolean[window][neighbours.length];
        this.neighbours = neighbours;
    }

    /** The banks that the links of a bank lead to, perhaps itself. */
    public int[] neighbours(final int bank) {
        return neighbours[bank];
    }

    /**
     * Begins what a bank says in a slot.
     *
     * @return whether the bank must say it of all its devices, as the row still holds pauses of a window before.
     */
    boolean begin(final long slot, final int bank) {
        final boolean[] row = any[(int) (slot % any.length)];
        final boolean stale = row[bank];
        if (stale) {
            // Written only on a change, as neighbours read the same cache line.
            row[bank] = false;
        }
        return stale;
    }

    /** A device pauses the links into it from below, and perhaps those from above, or none. */
    void set(final long slot, final int bank, final int device, final boolean below, final boolean above) {
        final int row = (int) (slot % any.length);
        paused[row][device] = (byte) (above ? 2 : below ? 1 : 0);
        any[row][bank] |= below || above;
    }

    /** Whether any device of some banks paused in a slot. */
    boolean any(final long slot, final int[] banks) {
        final boolean[] row = any[(int) (slot % any.length)];
        for (final int bank : banks) {
            if (row[bank]) {
                return true;
            }
        }
        return false;
    }

    /** Whether a device paused its links from above, or from below, in a slot. */
    boolean isPaused(final long slot, final int device, final boolean fromAbove) {
        return paused[(int) (slot % any.length)][device] >= (fromAbove ? 2 : 1);
    }
}
