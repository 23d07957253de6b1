package dev.skerry.tools.port;

import dev.skerry.nic.count.NanoHistogram;

/**
 * A histogram of durations in few buckets, for programs that keep them for months: bucket k has those of at most
 * {@code 2^(10 + k) - 1} ns, 1 us to 8.6 s, the last one the rest. The steps of {@link NanoHistogram} end where buckets
 * end, so counts are exact. One thread.
 */
public final class LatencyBuckets {
    /** Number of buckets, the last one without an end. */
    public static final int BUCKETS = 25;

    private static final int LEAST_LOG2 = 10;

    private final long[] counts = new long[BUCKETS];
    private long sumNs;

    /** Where a bucket ends, in ns, for the key {@code le}. */
    public static String end(final int bucket) {
        return bucket == BUCKETS - 1 ? "+Inf" : Long.toString((1L << LEAST_LOG2 + bucket) - 1);
    }

    /** Adds a duration, at least 0, a number of times. */
    public void add(final long ns, final long times) {
        counts[Math.clamp(Long.SIZE - Long.numberOfLeadingZeros(ns) - LEAST_LOG2, 0, BUCKETS - 1)] += times;
        sumNs += ns * times;
    }

    /** Durations in a bucket. */
    public long count(final int bucket) {
        return counts[bucket];
    }

    /** Sum of all durations in ns, as exact as they were added. */
    public long sumNs() {
        return sumNs;
    }
}
