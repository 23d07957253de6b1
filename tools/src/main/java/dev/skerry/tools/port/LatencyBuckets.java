package dev.skerry.tools.port;

import dev.skerry.nic.count.NanoHistogram;

/**
 * A histogram of durations in few buckets, for programs that store it for months. Bucket k counts durations of at most
 * {@code 2^(10 + k) - 1} ns, from 1 us to 8.6 s; the last bucket counts longer ones. Bucket bounds are also bounds of
 * {@link NanoHistogram}, so counts taken from it are exact. Not thread-safe.
 */
public final class LatencyBuckets {
    /** Number of buckets; the last one has no upper bound. */
    public static final int BUCKETS = 25;

    private static final int LEAST_LOG2 = 10;

    private final long[] counts = new long[BUCKETS];
    private long sumNs;

    /** Returns the upper bound of a bucket in ns, for the key {@code le}. */
    public static String end(final int bucket) {
        return bucket == BUCKETS - 1 ? "+Inf" : Long.toString((1L << LEAST_LOG2 + bucket) - 1);
    }

    /** Adds a number of equal durations of at least 0. */
    public void add(final long ns, final long times) {
        counts[Math.clamp(Long.SIZE - Long.numberOfLeadingZeros(ns) - LEAST_LOG2, 0, BUCKETS - 1)] += times;
        sumNs += ns * times;
    }

    /** Returns the number of durations in a bucket. */
    public long count(final int bucket) {
        return counts[bucket];
    }

    /** Returns the sum of all added durations in ns. */
    public long sumNs() {
        return sumNs;
    }
}
