package dev.skerry.tools.report;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * Flows that started and did not complete. They are in no percentile; this says where the percentiles could lie with
 * them. Immutable, any thread.
 *
 * @param flows how many.
 * @param share of all flows that started.
 * @param p50   bounds of the median.
 * @param p99   of the 99th percentile.
 * @param p999  of the 99.9th percentile.
 */
public record OpenFlows(long flows, double share, Bounds p50, Bounds p99, Bounds p999) {
    /**
     * Where a percentile of all flows lies.
     *
     * @param least if each open flow had completed at the end of the run.
     * @param most  if none of them ever does; infinite if that makes the percentile so.
     */
    public record Bounds(double least, double most) {
        private static final Bounds NONE = new Bounds(Double.NaN, Double.NaN);

        /** Whether the flows that are open make no difference. */
        public boolean isKnown() {
            return least == most;
        }

        private static Bounds of(final double[] least, final double[] most, final double p) {
            final double upper = Quantiles.of(most, p);
            return new Bounds(Quantiles.of(least, p), Double.isNaN(upper) ? Double.POSITIVE_INFINITY : upper);
        }

        private void write(final Json json, final String name) {
            json.put(name + "Least", least).put(name + "Most", most);
        }

        /** For example {@code 5.3 to 5.9} or {@code at least 12}. */
        public String text() {
            return isKnown() ? Numbers.plain(least)
                : most == Double.POSITIVE_INFINITY ? "at least " + Numbers.plain(least)
                : Numbers.plain(least) + " to " + Numbers.plain(most);
        }
    }

    /** The same without bounds of percentiles that as many flows do not carry. */
    OpenFlows carriedBy(final long some) {
        return new OpenFlows(flows, share, p50, SizeBin.carries(some, 0.99) ? p99 : Bounds.NONE,
            SizeBin.carries(some, 0.999) ? p999 : Bounds.NONE);
    }

    /** Writes the bounds into an open object. */
    public void write(final Json json) {
        p50.write(json, "p50");
        p99.write(json, "p99");
        p999.write(json, "p99.9");
    }

    /**
     * Of some flows.
     *
     * @param complete values of the complete ones.
     * @param atLeast  lower bounds of the values of the others.
     */
    static OpenFlows of(final double[] complete, final double[] atLeast) {
        final double[] least = DoubleStream.concat(Arrays.stream(complete), Arrays.stream(atLeast)).sorted().toArray();
        final double[] sorted = complete.clone();
        Arrays.sort(sorted);
        final double[] most = Arrays.copyOf(sorted, least.length);
        Arrays.fill(most, complete.length, most.length, Double.POSITIVE_INFINITY);
        return new OpenFlows(atLeast.length, least.length == 0 ? 0 : (double) atLeast.length / least.length,
            Bounds.of(least, most, 0.5), Bounds.of(least, most, 0.99), Bounds.of(least, most, 0.999));
    }
}
