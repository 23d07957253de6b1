package dev.skerry.tools.figure;

/** What a {@link Sample} says of seeds that were not measured. Pure functions; any thread. */
public final class SampleForecast {
    private SampleForecast() {
    }

    /** Whether a value is where that of one seed more is with a probability of 95 %; of a sample of one, always. */
    public static boolean expects(final Sample sample, final double value) {
        return Math.abs(value - sample.mean()) <= sample.halfWidth() * Math.sqrt(sample.values().length + 1);
    }
}
