package dev.skerry.schedule;

/**
 * What a slot is made of, in picoseconds: the times of the papers are no whole nanoseconds.
 *
 * @param cellPs  time of the cell itself, above 0.
 * @param guardPs guard band: reconfiguration, variation of the propagation delay, synchronisation error, gaps of the
 *                MAC; 0 or more.
 */
public record SlotTime(long cellPs, long guardPs) {
    /** Checks the range. */
    public SlotTime {
        if (cellPs < 1 || guardPs < 0) {
            throw new IllegalArgumentException(
                "a slot has time for a cell, and no less than none for its guard: cellPs=" + cellPs + " guardPs="
                    + guardPs);
        }
    }

    /** From the start of a slot to that of the next. */
    public long slotPs() {
        return cellPs + guardPs;
    }

    /** As {@link #slotPs}, in nanoseconds. */
    public double slotNs() {
        return slotPs() / 1e3;
    }
}
