package dev.skerry.tools.report;

/**
 * The throughput that a fabric promises to every node under any traffic that no node sends or receives more of.
 *
 * @param formula    as the papers write it.
 * @param throughput cells per node, slot and channel; NaN if nothing is promised.
 */
public record Guarantee(String formula, double throughput) {
    /** Nothing is promised, or the report does not say it. */
    public static final Guarantee NONE = new Guarantee("", Double.NaN);

    /** Whether anything is promised. */
    public boolean isGiven() {
        return throughput > 0;
    }
}
