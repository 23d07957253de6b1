package dev.skerry.tools.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A line plot as numbers: what a {@link Page} draws and a file of comma-separated values holds. One thread. */
public final class Plot {
    /** How values of an axis are spread. */
    public enum Scale {
        /** From zero. */
        LINEAR,
        /** By decades; values that are not positive are drawn at the low end. */
        LOGARITHMIC
    }

    /** How a line is drawn. */
    public enum Style {
        /** A dot at every value. */
        DOTS,
        /** Without dots. */
        LINE,
        /** A value holds until the next x. */
        STEPS,
        /** Dashed: what is expected, promised, or a bound. */
        BOUND
    }

    /**
     * One line. The arrays are the plot's own and have the same length; y may hold NaN, which interrupts the line.
     *
     * @param name  in the legend.
     * @param style how it is drawn.
     * @param x     ascending.
     * @param y     values.
     */
    public record Line(String name, Style style, double[] x, double[] y) {
        /** Checks the lengths. */
        public Line {
            if (x.length != y.length) {
                throw new IllegalArgumentException("a value for each x: x.length=" + x.length + " y.length="
                    + y.length);
            }
        }
    }

    private final String id;
    private final String title;
    private final String xTitle;
    private final Scale xScale;
    private final String yTitle;
    private final Scale yScale;
    private final List<String> places;
    private final List<Line> lines = new ArrayList<>();

    /**
     * A plot over names: x are their places, 0, 1, 2 and so on.
     *
     * @param id     one word, its own within a page; name of its file.
     * @param title  what it shows.
     * @param xTitle what the names are.
     * @param places the names.
     * @param yTitle what y is, with its unit.
     * @param yScale how it is spread.
     */
    public Plot(final String id, final String title, final String xTitle, final List<String> places,
        final String yTitle, final Scale yScale) {
        this(id, title, xTitle, Scale.LINEAR, yTitle, yScale, List.copyOf(places));
    }

    /**
     * A plot without lines.
     *
     * @param id     one word, its own within a page; name of its file.
     * @param title  what it shows.
     * @param xTitle what x is, with its unit.
     * @param xScale how it is spread.
     * @param yTitle what y is, with its unit.
     * @param yScale how it is spread.
     */
    public Plot(final String id, final String title, final String xTitle, final Scale xScale, final String yTitle,
        final Scale yScale) {
        this(id, title, xTitle, xScale, yTitle, yScale, List.of());
    }

    /** A plot without lines whose axes are linear. */
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

    /** Adds a line. */
    public Plot add(final String name, final Style style, final double[] x, final double[] y) {
        lines.add(new Line(name, style, x, y));
        return this;
    }

    /** Adds the share of values up to each value; they are sorted. */
    public Plot addShares(final String name, final double[] sorted) {
        final double[] share = new double[sorted.length];
        Arrays.setAll(share, i -> (i + 1.0) / share.length);
        return add(name, Style.STEPS, sorted, share);
    }

    /** The same plot as one of several on a page. */
    public Plot of(final String prefix) {
        final Plot plot = new Plot(prefix + "-" + id, title, xTitle, xScale, yTitle, yScale, places);
        plot.lines.addAll(lines);
        return plot;
    }

    /** One word, its own within a page. */
    public String id() {
        return id;
    }

    /** What it shows. */
    public String title() {
        return title;
    }

    /** The lines in the order they were added. */
    public List<Line> lines() {
        return Collections.unmodifiableList(lines);
    }

    /** The axis that all lines fit on. */
    Axis xAxis() {
        if (!places.isEmpty()) {
            return Axis.named(xTitle, places);
        }
        double low = Double.POSITIVE_INFINITY;
        double high = 0;
        for (final Line line : lines) {
            for (final double value : line.x) {
                low = xScale == Scale.LINEAR || value > 0 ? Math.min(low, value) : low;
                high = Math.max(high, value);
            }
        }
        return xScale == Scale.LINEAR ? Axis.upTo(xTitle, high) : Axis.log(xTitle, low, high);
    }

    /** The axis that all lines fit on. */
    Axis yAxis() {
        double low = Double.POSITIVE_INFINITY;
        double high = 0;
        for (final Line line : lines) {
            for (final double value : line.y) {
                low = value > 0 ? Math.min(low, value) : low;
                high = value > high ? value : high;
            }
        }
        return yScale == Scale.LINEAR ? Axis.fromZero(yTitle, high, false) : Axis.log(yTitle, low, high);
    }
}
