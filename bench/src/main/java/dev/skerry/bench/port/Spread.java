package dev.skerry.bench.port;

import java.util.Arrays;
import java.util.Locale;

/**
 * Rates of some runs.
 *
 * @param least  the slowest.
 * @param median the middle one, the lower of two.
 * @param best   the fastest.
 */
record Spread(double least, double median, double best) {
    static Spread of(final double[] rates) {
        final double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return new Spread(sorted[0], sorted[(sorted.length - 1) / 2], sorted[sorted.length - 1]);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,.0f packets/s (%,.0f to %,.0f)", median, least, best);
    }
}
