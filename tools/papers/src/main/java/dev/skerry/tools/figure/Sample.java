package dev.skerry.tools.figure;

import java.util.Arrays;

/**
 * One value measured with several seeds. Immutable as long as nobody changes its array.
 *
 * @param values one or more, by seed.
 */
public record Sample(double[] values) {
    /** Student's t of 95 % for 1 to 9 degrees of freedom, and of very many. */
    private static final double[] T = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 1.96};

    /** Checks that there is a value. */
    public Sample {
        if (values.length == 0) {
            throw new IllegalArgumentException("a sample has a value");
        }
    }

    /** Its mean. */
    public double mean() {
        return Arrays.stream(values).sum() / values.length;
    }

    /** Each value over that of the same seed in another sample: what both owe to chance falls out. */
    public Sample over(final Sample other) {
        final double[] ratios = new double[values.length];
        Arrays.setAll(ratios, seed -> values[seed] / other.values[seed]);
        return new Sample(ratios);
    }

    /** Each value in units of another, as a rate is a share of a link's. */
    public Sample over(final double unit) {
        return new Sample(Arrays.stream(values).map(value -> value / unit).toArray());
    }

    /** The values that are numbers; one NaN if none is. */
    public Sample known() {
        final double[] known = Arrays.stream(values).filter(value -> !Double.isNaN(value)).toArray();
        return new Sample(known.length == 0 ? new double[] {Double.NaN} : known);
    }

    /** The least of them. */
    public double least() {
        return Arrays.stream(values).min().orElseThrow();
    }

    /** The largest of them. */
    public double most() {
        return Arrays.stream(values).max().orElseThrow();
    }

    /** Half of the interval of 95 % around the mean; infinite for one value, which says nothing of its spread. */
    public double halfWidth() {
        final int free = values.length - 1;
        if (free == 0) {
            return Double.POSITIVE_INFINITY;
        }
        final double mean = mean();
        final double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
        return T[Math.min(free, T.length) - 1] * Math.sqrt(squares / free / values.length);
    }
}
