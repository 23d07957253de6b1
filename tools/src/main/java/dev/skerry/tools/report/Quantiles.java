package dev.skerry.tools.report;

/**
 * The quantile rule of the authors' simulator (docs/spec/shale.md §10.1): position {@code p * n - 0.5} on the sorted
 * values, linear between neighbours, the smallest and the largest value beyond the ends. Pure functions, any thread.
 */
public final class Quantiles {
    private Quantiles() {
    }

    /**
     * A quantile.
     *
     * @param sorted values, ascending.
     * @param p      which quantile, 0 to 1.
     * @return the quantile; NaN when there are no values.
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
