package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot.Line;
import dev.skerry.tools.plot.Plot.Style;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One value measured with several seeds. Immutable if its array is not changed.
 *
 * @param values one or more values, by seed.
 */
public record Sample(double... values) {
    /** Student's t of 95 % for 1 to 9 degrees of freedom, and for very many. */
    private static final double[] T = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 1.96};

    /** Checks that there is a value. */
    public Sample {
        if (values.length == 0) {
            throw new IllegalArgumentException("a sample has a value");
        }
    }

    /** Returns the mean. */
    public double mean() {
        return Arrays.stream(values).sum() / values.length;
    }

    /**
     * Returns each value divided by that of the same seed in another sample, which removes the random variation that
     * both share.
     */
    public Sample over(final Sample other) {
        return new Sample(IntStream.range(0, values.length).mapToDouble(i -> values[i] / other.values[i]).toArray());
    }

    /** Returns each value in units of another, for example a rate as a share of the rate of a link. */
    public Sample over(final double unit) {
        return new Sample(Arrays.stream(values).map(value -> value / unit).toArray());
    }

    /** Returns each value times a factor. */
    public Sample times(final double factor) {
        return new Sample(Arrays.stream(values).map(value -> value * factor).toArray());
    }

    /** Returns the values that are numbers; one NaN if none is. */
    public Sample known() {
        final double[] known = Arrays.stream(values).filter(value -> !Double.isNaN(value)).toArray();
        return new Sample(known.length == 0 ? new double[] {Double.NaN} : known);
    }

    /** Returns the minimum. */
    public double least() {
        return Arrays.stream(values).min().orElseThrow();
    }

    /** Returns the maximum. */
    public double most() {
        return Arrays.stream(values).max().orElseThrow();
    }

    /** Returns half of the 95 % interval around the mean; infinite for one value, whose spread is unknown. */
    public double halfWidth() {
        final int free = values.length - 1;
        if (free == 0) {
            return Double.POSITIVE_INFINITY;
        }
        final double mean = mean();
        final double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
        return T[Math.min(free, T.length) - 1] * Math.sqrt(squares / free / values.length);
    }

    /**
     * Returns the distance from the mean within which the value of one further seed lies with a probability of 95 %;
     * infinite for one seed.
     */
    public double distance() {
        return halfWidth() * Math.sqrt(values.length + 1);
    }

    /** Returns each number over the seeds, from the numbers of each seed. */
    static Sample[] columns(final List<double[]> bySeed) {
        return IntStream.range(0, bySeed.getFirst().length)
            .mapToObj(number -> new Sample(bySeed.stream().mapToDouble(each -> each[number]).toArray()))
            .toArray(Sample[]::new);
    }

    /** Returns a line of means with their 95 % intervals at some x; a seed without a value is left out of its point. */
    static Line line(final String name, final double[] x, final Sample... y) {
        return line(name, Style.DOTS, x, y);
    }

    /** Returns a line of means with their 95 % intervals over names. */
    static Line line(final String name, final Sample... y) {
        return line(name, Style.DOTS, places(y.length), y);
    }

    /** Returns bars of means with their 95 % intervals over names. */
    static Line bars(final String name, final Sample... y) {
        return line(name, Style.BARS, places(y.length), y);
    }

    private static Line line(final String name, final Style style, final double[] x, final Sample... y) {
        final Sample[] known = Arrays.stream(y).map(Sample::known).toArray(Sample[]::new);
        return new Line(name, "", style, x, Arrays.stream(known).mapToDouble(Sample::mean).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() - sample.halfWidth()).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() + sample.halfWidth()).toArray());
    }

    /** Returns whole numbers as the x of a line. */
    static double[] x(final int... values) {
        return Arrays.stream(values).asDoubleStream().toArray();
    }

    /** Returns the x of a number of names. */
    static double[] places(final int count) {
        return x(IntStream.range(0, count).toArray());
    }
}
