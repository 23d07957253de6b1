package dev.skerry.tools.traffic;

/**
 * How far the clock of a node may be off: half a guard band early or late, as a cell stands in the middle of its slot
 * and circuits change in the rest of it (docs/spec/shale.md §2.6).
 *
 * @param halfNs half the guard band; NaN where none is known.
 * @param slotNs of a slot, where a clock may be in the window of a later one; else NaN.
 */
public record ClockWindow(double halfNs, double slotNs) {
    /** Of fabrics without a guard band. */
    public static final ClockWindow NONE = new ClockWindow(Double.NaN);
    /** Most slots by which a clock is late; one that is later loses its cells. */
    public static final int MOST_LATE_SLOTS = 4096;

    /** Where a clock outside the window of its slots loses its cells, be it in that of another one or in none. */
    public ClockWindow(final double halfNs) {
        this(halfNs, Double.NaN);
    }

    /** Whether there is a guard band. */
    boolean isKnown() {
        return !Double.isNaN(halfNs);
    }

    /** Slots by which a clock is late if it is in the window of a later slot, else 0. */
    int lateSlots(final double lateNs) {
        final double slots = Math.rint(lateNs / slotNs);
        return slots >= 1 && slots <= MOST_LATE_SLOTS && holds(lateNs - slots * slotNs) ? (int) slots : 0;
    }

    /** Whether a clock that is so late, or early if negative, keeps its cells in their slots. */
    boolean holds(final double lateNs) {
        return Math.abs(lateNs) <= halfNs;
    }
}
