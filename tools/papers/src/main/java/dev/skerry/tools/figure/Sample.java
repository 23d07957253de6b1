package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot.Line;
import dev.skerry.tools.plot.Plot.Style;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One value measured with several seeds. Immutable as long as nobody changes its array.
 *
 * @param values one or more, by seed.
 */
public record Sample(double... values) {
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
        return new Sample(IntStream.range(0, values.length).mapToDouble(i -> values[i] / other.values[i]).toArray());
    }

    /** Each value in units of another, as a rate is a share of a link's. */
    public Sample over(final double unit) {
        return new Sample(Arrays.stream(values).map(value -> value / unit).toArray());
    }

    /** Each value times another. */
    public Sample times(final double factor) {
        return new Sample(Arrays.stream(values).map(value -> value * factor).toArray());
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

    /** How far from the mean that of one seed more is at most, with a probability of 95 %; infinite for one seed. */
    public double distance() {
        return halfWidth() * Math.sqrt(values.length + 1);
    }

    /** Each number over the seeds, from the numbers of each seed. */
    static Sample[] columns(final List<double[]> bySeed) {
        return IntStream.range(0, bySeed.getFirst().length)
            .mapToObj(number -> new Sample(bySeed.stream().mapToDouble(each -> each[number]).toArray()))
            .toArray(Sample[]::new);
    }

    /** The means at some x with their 95 % intervals; seeds that do not have a value are left out of it. */
    static Line line(final String name, final double[] x, final Sample... y) {
        return line(name, Style.DOTS, x, y);
    }

    /** The same over names. */
    static Line line(final String name, final Sample... y) {
        return line(name, Style.DOTS, places(y.length), y);
    }

    /** The same as bars. */
    static Line bars(final String name, final Sample... y) {
        return line(name, Style.BARS, places(y.length), y);
    }

    private static Line line(final String name, final Style style, final double[] x, final Sample... y) {
        final Sample[] known = Arrays.stream(y).map(Sample::known).toArray(Sample[]::new);
        return new Line(name, "", style, x, Arrays.stream(known).mapToDouble(Sample::mean).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() - sample.halfWidth()).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() + sample.halfWidth()).toArray());
    }

    /** Whole numbers as the x of a line. */
    static double[] x(final int... values) {
        return Arrays.stream(values).asDoubleStream().toArray();
    }

    /** The x of a number of names. */
    static double[] places(final int count) {
        return x(IntStream.range(0, count).toArray());
    }
}
