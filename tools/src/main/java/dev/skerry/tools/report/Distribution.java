package dev.skerry.tools.report;

import java.util.Arrays;

/** How one maximum is spread over the nodes; unit: cells or buckets. Immutable, any thread. */
public final class Distribution {
    private final double[] sorted;

    private Distribution(final double[] sorted) {
        this.sorted = sorted;
    }

    /**
     * Sorts a copy of the values.
     *
     * @param values one value a node, in any order.
     * @return their distribution.
     */
    public static Distribution of(final int[] values) {
        return new Distribution(Arrays.stream(values).asDoubleStream().sorted().toArray());
    }

    /**
     * Number of nodes.
     *
     * @return how many values there are.
     */
    public int size() {
        return sorted.length;
    }

    /**
     * The value of one rank.
     *
     * @param rank 0 for the smallest.
     * @return the value.
     */
    public int value(final int rank) {
        return (int) sorted[rank];
    }

    /**
     * A quantile after {@link Quantiles}.
     *
     * @param p which quantile, 0 to 1.
     * @return the quantile; NaN without nodes.
     */
    public double quantile(final double p) {
        return Quantiles.of(sorted, p);
    }

    /**
     * The mean.
     *
     * @return the mean; NaN without nodes.
     */
    public double mean() {
        return Arrays.stream(sorted).average().orElse(Double.NaN);
    }
}
