package dev.skerry.tools.figure;

/** What a {@link Sample} says of seeds that were not measured. Pure functions; any thread. */
public final class SampleForecast {
    private SampleForecast() {
    }

    /** Whether a value is where that of one seed more is with a probability of 95 %; of a sample of one, always. */
    public static boolean expects(final Sample sample, final double value) {
        return Math.abs(value - sample.mean()) <= distance(sample);
    }

    /** How far from the mean that of one seed more is at most, with a probability of 95 %; infinite for one seed. */
    public static double distance(final Sample sample) {
        return sample.halfWidth() * Math.sqrt(sample.values().length + 1);
    }
}
