package dev.skerry.schedule;

/**
 * The times of a slot, in picoseconds, because those of the papers are not whole nanoseconds.
 *
 * @param cellPs  time of the cell itself, above 0.
 * @param guardPs guard band: reconfiguration, variation of the propagation delay, synchronisation error, gaps of the
 *                MAC; 0 or more.
 */
record SlotTime(long cellPs, long guardPs) {
    /**
     * Checks both times.
     *
     * @throws IllegalArgumentException if one is out of range.
     */
    public SlotTime {
        if (cellPs < 1 || guardPs < 0) {
            throw new IllegalArgumentException(
                "a slot has time for a cell, and no less than none for its guard: cellPs=" + cellPs + " guardPs="
                    + guardPs);
        }
    }

    /** Length of a slot in picoseconds. */
    public long slotPs() {
        return cellPs + guardPs;
    }

    /** Length of a slot in nanoseconds. */
    public double slotNs() {
        return slotPs() / 1e3;
    }
}
