package dev.skerry.tools.traffic;

/**
 * How far the clock of a node may be off: half a guard band early or late, as a cell stands in the middle of its slot
 * and circuits change in the rest of it (docs/spec/shale.md §2.6).
 *
 * @param halfNs half the guard band; NaN where none is known.
 */
public record ClockWindow(double halfNs) {
    /** Of fabrics without a guard band. */
    public static final ClockWindow NONE = new ClockWindow(Double.NaN);

    /** Whether there is a guard band. */
    boolean isKnown() {
        return !Double.isNaN(halfNs);
    }

    /** Whether a clock that is so late, or early if negative, keeps its cells in their slots. */
    boolean holds(final double lateNs) {
        return Math.abs(lateNs) <= halfNs;
    }
}
