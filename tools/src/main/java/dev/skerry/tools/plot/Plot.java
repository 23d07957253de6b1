package dev.skerry.tools.plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A plot as numbers: the source of the plot of a page, of a picture without scripts ({@link PlotFigure}), and of a file
 * of comma-separated values. One thread.
 */
public final class Plot {
    /** Scale of the values of an axis. */
    public enum Scale {
        /** Linear, from zero. */
        LINEAR,
        /** Logarithmic; values that are not positive have no place on it. */
        LOGARITHMIC
    }

    /** Style of a line. */
    public enum Style {
        /** A mark at every value, joined by straight lines. */
        DOTS,
        /** Without marks. */
        LINE,
        /** A value holds until the next x. */
        STEPS,
        /** Bars beside each other, a group for each name of the x axis. */
        BARS,
        /** Dashed: an expectation, a guarantee, or a bound. */
        BOUND,
        /** Published values: hollow diamonds in the colour of the line of the same name; over bars, a stroke. */
        PUBLISHED
    }

    /**
     * One line. The arrays belong to the plot and have the same length; y may hold NaN, which interrupts the line.
     *
     * @param name   name in the legend.
     * @param source source of the values, behind the name in the legend; empty for Skerry.
     * @param style  style of the line.
     * @param x      ascending values.
     * @param y      values.
     * @param low    lower ends of intervals; empty if the line has none. NaN and infinity: this value has none.
     * @param high   upper ends of intervals.
     */
    public record Line(String name, String source, Style style, double[] x, double[] y, double[] low, double[] high) {
        /** Checks the lengths. */
        public Line {
            if (x.length != y.length || low.length != high.length || low.length != 0 && low.length != x.length) {
                throw new IllegalArgumentException("a value for each x: x.length=" + x.length + " y.length="
                    + y.length + " low.length=" + low.length + " high.length=" + high.length);
            }
        }

        /** Tells whether a value has an interval. */
        boolean hasInterval(final int i) {
            return low.length > 0 && Double.isFinite(low[i]) && Double.isFinite(high[i]);
        }
    }

    private static final double[] NO_INTERVALS = {};

    private final String id;
    private final String title;
    private final String xTitle;
    private final Scale xScale;
    private final String yTitle;
    private final Scale yScale;
    private final List<String> places;
    private final List<Line> lines = new ArrayList<>();

    /**
     * Creates a plot over names: x are their places, 0, 1, 2 and so on.
     *
     * @param id     one word, unique within a page; also the name of its file.
     * @param title  subject of the plot.
     * @param xTitle meaning of the names.
     * @param places the names.
     * @param yTitle meaning of y, with its unit.
     * @param yScale scale of y.
     */
    public Plot(final String id, final String title, final String xTitle, final List<String> places,
        final String yTitle, final Scale yScale) {
        this(id, title, xTitle, Scale.LINEAR, yTitle, yScale, List.copyOf(places));
    }

    /**
     * Creates a plot without lines.
     *
     * @param id     one word, unique within a page; also the name of its file.
     * @param title  subject of the plot.
     * @param xTitle meaning of x, with its unit.
     * @param xScale scale of x.
     * @param yTitle meaning of y, with its unit.
     * @param yScale scale of y.
     */
    public Plot(final String id, final String title, final String xTitle, final Scale xScale, final String yTitle,
        final Scale yScale) {
        this(id, title, xTitle, xScale, yTitle, yScale, List.of());
    }

    /** Creates a plot without lines, with linear axes. */
    public Plot(final String id, final String title, final String xTitle, final String yTitle) {
        this(id, title, xTitle, Scale.LINEAR, yTitle, Scale.LINEAR, List.of());
    }

    private Plot(final String id, final String title, final String xTitle, final Scale xScale, final String yTitle,
        final Scale yScale, final List<String> places) {
        this.id = id;
        this.title = title;
        this.xTitle = xTitle;
        this.xScale = xScale;
        this.yTitle = yTitle;
        this.yScale = yScale;
        this.places = places;
    }

    /** Adds lines. */
    public Plot add(final Line... more) {
        lines.addAll(List.of(more));
        return this;
    }

    /** Adds a line. */
    public Plot add(final String name, final Style style, final double[] x, final double[] y) {
        return add(name, style, x, y, NO_INTERVALS, NO_INTERVALS);
    }

    /** Adds a line by its points, each of x and y. */
    public Plot add(final String name, final Style style, final List<double[]> points) {
        return add(name, style, points.stream().mapToDouble(point -> point[0]).toArray(),
            points.stream().mapToDouble(point -> point[1]).toArray());
    }

    /**
     * Adds a line whose values have intervals, for example of several seeds.
     *
     * @param low  lower ends; NaN or infinite where there is none.
     * @param high upper ends.
     */
    public Plot add(final String name, final Style style, final double[] x, final double[] y, final double[] low,
        final double[] high) {
        lines.add(new Line(name, "", style, x, y, low, high));
        return this;
    }

    /**
     * Adds values that are marked separately, in the colour of the line of the same name: those of others, or those of
     * the line that are not to be trusted.
     *
     * @param source their source or kind, for example {@code paper}.
     */
    public Plot addPublished(final String name, final String source, final double[] x, final double[] y) {
        lines.add(new Line(name, source, Style.PUBLISHED, x, y, NO_INTERVALS, NO_INTERVALS));
        return this;
    }

    /** Adds a bound, the same at every x. */
    public Plot addBound(final String name, final double[] x, final double y) {
        return add(name, Style.BOUND, x, Arrays.stream(x).map(_ -> y).toArray());
    }

    /** Adds the share of values up to each value, the cumulative distribution. */
    public Plot addShares(final String name, final double[] sorted) {
        final double[] share = new double[sorted.length];
        Arrays.setAll(share, i -> (i + 1.0) / share.length);
        return add(name, Style.STEPS, sorted, share);
    }

    /**
     * Adds the share of values above each value, the complementary cumulative distribution, for a logarithmic y axis.
     * If all values are known, nothing is above the largest and the line ends there.
     *
     * @param sorted the values that are known, ascending.
     * @param all    number of all values; unknown values are above all others.
     */
    public Plot addTail(final String name, final double[] sorted, final long all) {
        final double[] share = new double[sorted.length];
        Arrays.setAll(share, i -> (all - i - 1.0) / all);
        return add(name, Style.STEPS, sorted, share);
    }

    /** Returns the same plot with a prefix, for a page with several of it. */
    public Plot of(final String prefix) {
        final Plot plot = new Plot(prefix + "-" + id, title, xTitle, xScale, yTitle, yScale, places);
        plot.lines.addAll(lines);
        return plot;
    }

    /** Returns the id: one word, unique within a page. */
    public String id() {
        return id;
    }

    /** Returns the subject of the plot. */
    public String title() {
        return title;
    }

    /** Returns the lines in the order in which they were added. */
    public List<Line> lines() {
        return Collections.unmodifiableList(lines);
    }

    /** Returns the names of the x axis; empty if x are numbers. */
    List<String> places() {
        return places;
    }

    /** Tells whether any line has a style. */
    boolean has(final Style style) {
        return lines.stream().anyMatch(line -> line.style == style);
    }

    /** Returns the names of the lines that have a separate colour, in order: bounds and published values have none. */
    List<String> coloured() {
        return lines.stream().filter(line -> line.style != Style.BOUND && line.style != Style.PUBLISHED)
            .map(Line::name).distinct().toList();
    }

    /** Returns an axis that fits all lines. */
    Axis xAxis() {
        if (!places.isEmpty()) {
            return Axis.named(xTitle, places);
        }
        final double[] range = range(xScale, Line::x);
        final boolean wholeNumbers = lines.stream().flatMapToDouble(line -> Arrays.stream(line.x()))
            .allMatch(x -> x == Math.rint(x));
        return xScale == Scale.LINEAR ? Axis.upTo(xTitle, range[1], wholeNumbers)
            : Axis.log(xTitle, range[0], range[1]);
    }

    /** Returns an axis that fits all lines and intervals. */
    Axis yAxis() {
        final double[] range = range(yScale, Line::y);
        final double[] lows = range(yScale, Line::low);
        final double high = Math.max(range[1], range(yScale, Line::high)[1]);
        return yScale == Scale.LINEAR ? Axis.fromZero(yTitle, high, false)
            : Axis.log(yTitle, Math.min(range[0], lows[0]), high);
    }

    /** Returns the smallest value that has a place on the scale, and the largest. */
    private double[] range(final Scale scale, final Function<Line, double[]> values) {
        double low = Double.POSITIVE_INFINITY;
        double high = 0;
        for (final Line line : lines) {
            for (final double value : values.apply(line)) {
                if (Double.isFinite(value) && (scale == Scale.LINEAR || value > 0)) {
                    low = Math.min(low, value);
                    high = Math.max(high, value);
                }
            }
        }
        return new double[] {low, high};
    }

    /**
     * One axis of a chart: maps values to 0..1 and chooses the ticks. Immutable.
     *
     * @param title       meaning of the values, with their unit.
     * @param logarithmic whether the scale is logarithmic.
     * @param low         the value at the left or lower end.
     * @param high        the value at the right or upper end.
     * @param ticks       values with a label.
     * @param labels      labels of the ticks.
     */
    record Axis(String title, boolean logarithmic, double low, double high, List<Double> ticks, List<String> labels) {
        private static final int MAX_TICKS = 7;
        private static final double[] STEPS = {1, 2, 5};
        /** Relative tolerance by which ticks may lie outside of the range, for rounding errors. */
        private static final double EPSILON = 1e-9;

        /** Returns an axis from zero to a round value at or above {@code max}. */
        static Axis fromZero(final String title, final double max, final boolean wholeNumbers) {
            final double top = Double.isFinite(max) && max > 0 ? max : 1;
            final double round = roundUp(top / (MAX_TICKS - 1));
            final double step = wholeNumbers ? Math.max(1, round) : round;
            final int steps = (int) Math.ceil(top / step - EPSILON);
            final List<Double> ticks = IntStream.rangeClosed(0, steps).mapToObj(i -> i * step).toList();
            return new Axis(title, false, 0, steps * step, ticks, labelsOf(ticks));
        }

        /** Returns an axis from zero to exactly {@code max}, with round ticks below it. */
        static Axis upTo(final String title, final double max, final boolean wholeNumbers) {
            final Axis wide = fromZero(title, max, wholeNumbers);
            final double top = max > 0 ? max : 1;
            final List<Double> ticks = wide.ticks.stream().filter(tick -> tick <= top * (1 + EPSILON)).toList();
            return new Axis(title, false, 0, top, ticks, labelsOf(ticks));
        }

        /**
         * Returns a logarithmic axis, from a round value below {@code min} to one above {@code max}; both are made
         * positive.
         */
        static Axis log(final String title, final double min, final double max) {
            final double least = Double.isFinite(min) && min > 0 ? min : 1;
            final double most = Double.isFinite(max) && max > least ? max : least * 10;
            final double low = roundDown(least);
            final double high = roundUp(most);
            final double decades = Math.log10(high / low);
            final int perDecade = decades <= 3.2 ? STEPS.length : 1;
            final int decadeStep = (int) Math.ceil(decades / (MAX_TICKS + 1));
            final List<Double> ticks = new ArrayList<>();
            final int first = (int) Math.floor(Math.log10(low) + EPSILON);
            for (int decade = first; decade <= Math.log10(high) + EPSILON; decade += Math.max(1, decadeStep)) {
                for (int i = 0; i < perDecade; i++) {
                    final double tick = STEPS[i] * Math.pow(10, decade);
                    if (tick >= low * (1 - EPSILON) && tick <= high * (1 + EPSILON)) {
                        ticks.add(tick);
                    }
                }
            }
            return new Axis(title, true, low, high, ticks, labelsOf(ticks));
        }

        /** Returns an axis of named places 0, 1, 2, .. with half a place free at the ends. */
        static Axis named(final String title, final List<String> names) {
            final List<Double> ticks = IntStream.range(0, names.size()).mapToObj(i -> (double) i).toList();
            return new Axis(title, false, -0.5, names.size() - 0.5, ticks, List.copyOf(names));
        }

        /** Returns the place of a value: 0 at the low end, 1 at the high one; values beyond them are clamped. */
        double place(final double value) {
            final double place = logarithmic
                ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
                : (value - low) / (high - low);
            return Math.clamp(place, 0.0, 1.0);
        }

        private static List<String> labelsOf(final List<Double> ticks) {
            return ticks.stream().map(PlotText::tick).toList();
        }

        private static double roundUp(final double value) {
            final double decade = Math.pow(10, Math.floor(Math.log10(value)));
            for (final double step : STEPS) {
                if (value <= step * decade * (1 + EPSILON)) {
                    return step * decade;
                }
            }
            return 10 * decade;
        }

        private static double roundDown(final double value) {
            final double decade = Math.pow(10, Math.floor(Math.log10(value) + EPSILON));
            double result = decade;
            for (final double step : STEPS) {
                if (value >= step * decade * (1 - EPSILON)) {
                    result = step * decade;
                }
            }
            return result;
        }
    }
}
