package dev.skerry.bench.port;

import java.util.Arrays;
import java.util.Locale;

/**
 * Rates of several runs.
 *
 * @param least  slowest run.
 * @param median middle run, the lower one of two.
 * @param best   fastest run.
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
