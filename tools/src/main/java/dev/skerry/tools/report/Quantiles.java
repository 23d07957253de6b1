package dev.skerry.tools.report;

/**
 * The quantile rule of the authors' simulator (docs/spec/shale.md §10.1): position {@code p * n - 0.5} on the sorted
 * values, linear between neighbours, the smallest and the largest value beyond the ends. Pure functions, any thread.
 */
public final class Quantiles {
    private Quantiles() {
    }

    /**
     * A quantile of part of an array.
     *
     * @param sorted values, ascending in {@code [from, to)}.
     * @param from   first index.
     * @param to     index after the last one.
     * @param p      which quantile, 0 to 1.
     * @return the quantile; NaN when the part is empty.
     */
    public static double of(final double[] sorted, final int from, final int to, final double p) {
        final int n = to - from;
        if (n <= 0) {
            return Double.NaN;
        }
        final double position = position(p, n);
        final int low = (int) position;
        final double a = sorted[from + low];
        final double b = sorted[from + Math.min(low + 1, n - 1)];
        return a + (b - a) * (position - low);
    }

    /**
     * A quantile of whole numbers.
     *
     * @param sorted values, ascending.
     * @param p      which quantile, 0 to 1.
     * @return the quantile; NaN when there are no values.
     */
    public static double of(final int[] sorted, final double p) {
        final int n = sorted.length;
        if (n == 0) {
            return Double.NaN;
        }
        final double position = position(p, n);
        final int low = (int) position;
        final double a = sorted[low];
        final double b = sorted[Math.min(low + 1, n - 1)];
        return a + (b - a) * (position - low);
    }

    private static double position(final double p, final int n) {
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException("quantile must be in 0..1: p=" + p);
        }
        return Math.clamp(p * n - 0.5, 0, n - 1);
    }
}
