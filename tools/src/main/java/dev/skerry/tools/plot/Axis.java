package dev.skerry.tools.plot;

import java.util.ArrayList;
import java.util.List;

/**
 * One axis of a chart: maps values to 0..1 and chooses the ticks. Immutable.
 *
 * @param title       what the values are, with their unit.
 * @param logarithmic whether values are spread by decades.
 * @param low         the value at the left or lower end.
 * @param high        the value at the right or upper end.
 * @param ticks       values with a label.
 * @param labels      of the ticks.
 */
record Axis(String title, boolean logarithmic, double low, double high, List<Double> ticks, List<String> labels) {
    private static final int MAX_TICKS = 7;
    private static final double[] STEPS = {1, 2, 5};
    /** Ticks may lie this much outside of the range, against rounding. */
    private static final double EPSILON = 1e-9;

    /** From zero to a round value at or above {@code max}. */
    static Axis fromZero(final String title, final double max, final boolean wholeNumbers) {
        final double top = Double.isFinite(max) && max > 0 ? max : 1;
        double step = roundUp(top / (MAX_TICKS - 1));
        if (wholeNumbers) {
            step = Math.max(1, step);
        }
        final int steps = (int) Math.ceil(top / step - EPSILON);
        final List<Double> ticks = new ArrayList<>();
        for (int i = 0; i <= steps; i++) {
            ticks.add(i * step);
        }
        return new Axis(title, false, 0, steps * step, ticks, labelsOf(ticks));
    }

    /** From zero to exactly {@code max}, with round ticks below it. */
    static Axis upTo(final String title, final double max, final boolean wholeNumbers) {
        final Axis wide = fromZero(title, max, wholeNumbers);
        final double top = max > 0 ? max : 1;
        final List<Double> ticks = wide.ticks.stream().filter(tick -> tick <= top * (1 + EPSILON)).toList();
        return new Axis(title, false, 0, top, ticks, labelsOf(ticks));
    }

    /** Logarithmic, from a round value below {@code min} to one above {@code max}; both are made positive. */
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

    /** Named places 0, 1, 2, .. with half a place free at the ends. */
    static Axis named(final String title, final List<String> names) {
        final List<Double> ticks = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            ticks.add((double) i);
        }
        return new Axis(title, false, -0.5, names.size() - 0.5, ticks, List.copyOf(names));
    }

    /** Where a value lies: 0 at the low end, 1 at the high one; beyond them it is held at the end. */
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
