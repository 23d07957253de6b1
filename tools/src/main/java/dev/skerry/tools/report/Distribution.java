package dev.skerry.tools.report;

import java.util.Arrays;

/** The distribution of a maximum over the nodes, in cells or buckets. Immutable and thread-safe. */
public final class Distribution {
    private final double[] sorted;

    private Distribution(final double[] sorted) {
        this.sorted = sorted;
    }

    /**
     * Creates the distribution of a copy of the values.
     *
     * @param values one value per node, in any order.
     * @return their distribution.
     */
    public static Distribution of(final int[] values) {
        return new Distribution(Arrays.stream(values).asDoubleStream().sorted().toArray());
    }

    /**
     * Returns the number of nodes.
     *
     * @return number of values.
     */
    public int size() {
        return sorted.length;
    }

    /**
     * Returns the value of a rank.
     *
     * @param rank 0 for the smallest value.
     * @return the value.
     */
    public int value(final int rank) {
        return (int) sorted[rank];
    }

    /**
     * Returns a quantile by the rule of {@link Quantiles}.
     *
     * @param p quantile, 0 to 1.
     * @return the quantile; NaN if there are no nodes.
     */
    public double quantile(final double p) {
        return Quantiles.of(sorted, p);
    }

    /**
     * Returns the mean.
     *
     * @return the mean; NaN if there are no nodes.
     */
    public double mean() {
        return Arrays.stream(sorted).average().orElse(Double.NaN);
    }

    /**
     * The quantile rule of the authors' simulator (docs/spec/shale.md §10.1): position {@code p * n - 0.5} in the
     * sorted values, with linear interpolation between neighbours. Beyond the ends, it is the smallest or the largest
     * value. Thread-safe.
     */
    public static final class Quantiles {
        private Quantiles() {
        }

        /**
         * Returns a quantile.
         *
         * @param sorted values, ascending.
         * @param p quantile, 0 to 1.
         * @return the quantile; NaN if there are no values.
         */
        public static double of(final double[] sorted, final double p) {
            if (!(p >= 0 && p <= 1)) {
                throw new IllegalArgumentException("quantile must be in 0..1: p=" + p);
            }
            if (sorted.length == 0) {
                return Double.NaN;
            }
            final double position = Math.clamp(p * sorted.length - 0.5, 0, sorted.length - 1);
            final int low = (int) position;
            final double a = sorted[low];
            final double b = sorted[Math.min(low + 1, sorted.length - 1)];
            return a + (b - a) * (position - low);
        }
    }
}
