package dev.skerry.tools.figure;

import dev.skerry.tools.plot.PlotFigure;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Points of a figure as its authors published them, from {@code published.txt}. Immutable if its arrays are not
 * changed.
 *
 * @param x positions, ascending.
 * @param y values.
 */
record Published(double[] x, double[] y) {
    private static final Map<String, Published> ALL = PlotFigure.resource(Published.class, "published.txt").lines()
        .filter(line -> !line.startsWith("#")).map(line -> line.split(" \\| "))
        .collect(Collectors.toMap(row -> row[0], row -> new Published(numbers(row[1]), numbers(row[2]))));

    /** Returns a series by its name. */
    static Published of(final String series) {
        return Objects.requireNonNull(ALL.get(series), series);
    }

    private static double[] numbers(final String text) {
        return Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    /** Returns the same values at other positions. */
    Published over(final double[] otherX) {
        return new Published(otherX, y);
    }

    /**
     * Returns the value at a position: on the line through the two points around it, or, beyond the points, through the
     * nearest two.
     */
    double at(final double where) {
        int i = 1;
        while (i < x.length - 1 && where > x[i]) {
            i++;
        }
        return y[i - 1] + (where - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
    }
}
