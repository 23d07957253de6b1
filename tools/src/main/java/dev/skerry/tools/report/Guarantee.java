package dev.skerry.tools.report;

/**
 * The throughput that a fabric promises to every node under any traffic that no node sends or receives more of.
 *
 * @param formula    as the papers write it.
 * @param throughput cells per node, slot and channel; NaN if nothing is promised.
 * @param needs      options without which it does not hold; empty if it holds.
 */
public record Guarantee(String formula, double throughput, String needs) {
    /** Nothing is promised, or the report does not say it. */
    public static final Guarantee NONE = new Guarantee("", Double.NaN, "");

    /** One that holds. */
    public Guarantee(final String formula, final double throughput) {
        this(formula, throughput, "");
    }

    /** Whether it holds. */
    public boolean isGiven() {
        return throughput > 0 && needs.isEmpty();
    }
}
