package dev.skerry.tools.report;

/**
 * How long a run took.
 *
 * @param seconds  of the slots alone.
 * @param roofline what its cache lines cost; null if nobody asked.
 */
public record Timing(double seconds, Roofline roofline) {
    /** Nobody looked at the clock. */
    public static final Timing NONE = new Timing(0, null);
}
