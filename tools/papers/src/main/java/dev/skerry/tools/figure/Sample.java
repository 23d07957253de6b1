package dev.skerry.tools.figure;

import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One value measured with several seeds. Immutable as long as nobody changes its array.
 *
 * @param values one or more, by seed.
 */
public record Sample(double... values) {
    /** Student's t of 95 % for 1 to 9 degrees of freedom, and of very many. */
    private static final double[] T = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 1.96};

    /** What is kept of a run. */
    record Numbers(double[] values) {
    }

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

    /** Whether a value is where that of one seed more is with a probability of 95 %; of a sample of one, always. */
    public boolean expects(final double value) {
        return Math.abs(value - mean()) <= distance();
    }

    /**
     * Measures a point of a figure with some seeds, from that of the effort on.
     *
     * @param seeds how many, 1 or more.
     * @param run   gives its numbers with one seed, always the same ones in the same order; NaN for what this run does
     *              not have.
     * @return each of its numbers over the seeds.
     */
    public static Sample[] of(final int seeds, final Effort effort, final Function<Effort, double[]> run) {
        return columns(each(Numbers.class, seeds, effort, seeded -> new Numbers(run.apply(seeded))).stream()
            .map(Numbers::values).toArray(double[][]::new));
    }

    /**
     * The same for a point of which more is known than numbers.
     *
     * @param type of the result: a public record that {@link KeptRuns} can write.
     * @return the result of each seed.
     */
    public static <T extends Record> List<T> each(final Class<T> type, final int seeds, final Effort effort,
        final Function<Effort, T> run) {
        final List<T> results = new ArrayList<>();
        for (int i = 0; i < seeds; i++) {
            final Effort seeded = effort.seeded(i).turn(i, seeds);
            results.add(effort.kept().numbers(type, "seed " + seeded.seed(), () -> run.apply(seeded)));
        }
        return results;
    }

    /**
     * Measures the points of a figure, in equal parts of its work.
     *
     * @param points what is swept.
     * @param run    gives the numbers of a point with one seed, as in {@link #of}.
     * @return by number and point.
     */
    public static Sample[][] sweep(final int seeds, final Effort effort, final int[] points,
        final BiFunction<Integer, Effort, double[]> run) {
        return sweep(seeds, effort, points, Arrays.stream(points).mapToDouble(_ -> 1).toArray(), run);
    }

    /** The same in parts of the work by their weights. */
    public static Sample[][] sweep(final int seeds, final Effort effort, final int[] points, final double[] weights,
        final BiFunction<Integer, Effort, double[]> run) {
        final Sample[][] byPoint = IntStream.range(0, points.length).mapToObj(i ->
            of(seeds, effort.turn(i, weights), seeded -> run.apply(points[i], seeded))).toArray(Sample[][]::new);
        return IntStream.range(0, byPoint[0].length).mapToObj(number ->
            Arrays.stream(byPoint).map(of -> of[number]).toArray(Sample[]::new)).toArray(Sample[][]::new);
    }

    /** Each number over the seeds, from the numbers of each seed. */
    public static Sample[] columns(final double[]... bySeed) {
        return IntStream.range(0, bySeed[0].length)
            .mapToObj(number -> new Sample(Arrays.stream(bySeed).mapToDouble(each -> each[number]).toArray()))
            .toArray(Sample[]::new);
    }

    /** Draws bars over names, with their 95 % intervals. */
    public static Plot drawBars(final Plot plot, final String name, final Sample... y) {
        return draw(plot, name, Plot.Style.BARS, places(y.length), y);
    }

    /** Draws the means at some x with their 95 % intervals; seeds that do not have a value are left out of it. */
    public static Plot draw(final Plot plot, final String name, final double[] x, final Sample... y) {
        return draw(plot, name, Plot.Style.DOTS, x, y);
    }

    /** The same over names. */
    public static Plot draw(final Plot plot, final String name, final Sample... y) {
        return draw(plot, name, places(y.length), y);
    }

    private static double[] places(final int count) {
        return IntStream.range(0, count).asDoubleStream().toArray();
    }

    private static Plot draw(final Plot plot, final String name, final Plot.Style style, final double[] x,
        final Sample... y) {
        final Sample[] known = Arrays.stream(y).map(Sample::known).toArray(Sample[]::new);
        return plot.add(name, style, x, Arrays.stream(known).mapToDouble(Sample::mean).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() - sample.halfWidth()).toArray(),
            Arrays.stream(known).mapToDouble(sample -> sample.mean() + sample.halfWidth()).toArray());
    }
}
