package dev.skerry.tools.live;

import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.nic.edge.PacketEdges;
import org.HdrHistogram.Histogram;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Latencies by second: what every port counted in each of the last 60 s. It reads histograms that the ports' threads
 * write, so it costs them nothing. One thread, which watches the run.
 */
final class LatencyLog {
    /** Intervals kept, a second each. */
    static final int KEPT = 60;
    /** In place of a number of seconds. */
    static final int SINCE_START = Integer.MAX_VALUE;

    private static final long SECOND_NS = 1_000_000_000;
    private static final int DIGITS = 3;

    private final PacketEdges edges;
    private final NanoHistogram[] before;
    /** By port, the seconds kept. */
    private final NanoHistogram[] minute;
    /** By port, all that was counted until the last second ended. */
    private final LatencyBuckets[] buckets;
    private final NanoHistogram second = new NanoHistogram();
    private final Deque<Second> seconds = new ArrayDeque<>();
    private long startedNs;
    private int next;

    /**
     * One interval.
     *
     * @param number   its number from 0.
     * @param lengthNs how long it was; a second, the last one less.
     * @param ports    by port, what it counted.
     */
    private record Second(int number, long lengthNs, NanoHistogram.Interval[] ports) {
    }

    /**
     * An interval over all ports.
     *
     * @param number  seconds since the start when it began.
     * @param latency latencies in ns.
     */
    record OfSecond(int number, Histogram latency) {
    }

    LatencyLog(final PacketEdges edges, final long nowNs) {
        this.edges = edges;
        this.startedNs = nowNs;
        this.before = new NanoHistogram[edges.ports()];
        this.minute = new NanoHistogram[edges.ports()];
        this.buckets = new LatencyBuckets[edges.ports()];
        for (int port = 0; port < before.length; port++) {
            before[port] = new NanoHistogram();
            minute[port] = new NanoHistogram();
            buckets[port] = new LatencyBuckets();
        }
    }

    /** Closes the current second if it is over; returns whether it was. */
    boolean tick(final long nowNs) {
        if (nowNs - startedNs < SECOND_NS) {
            return false;
        }
        close(nowNs);
        return true;
    }

    /** Closes the current second, over or not. The run has ended. */
    void end(final long nowNs) {
        close(nowNs);
    }

    private void close(final long nowNs) {
        final NanoHistogram.Interval[] ports = new NanoHistogram.Interval[before.length];
        for (int port = 0; port < ports.length; port++) {
            ports[port] = edges.latencyNs(port).since(before[port]);
            minute[port].add(ports[port]);
            buckets[port].add(ports[port]);
        }
        if (seconds.size() == KEPT) {
            final NanoHistogram.Interval[] oldest = seconds.removeFirst().ports;
            for (int port = 0; port < oldest.length; port++) {
                minute[port].subtract(oldest[port]);
            }
        }
        seconds.addLast(new Second(next++, nowNs - startedNs, ports));
        startedNs = nowNs;
    }

    /**
     * The latencies in ns that shares of a port's packets do not exceed. Costs a few microseconds: where one thread
     * does all, the fabric waits for it.
     *
     * @param port   the port.
     * @param shares above 0, at most 1.
     * @param into   receives those of the last second, then of the last minute, then since the start.
     */
    void quantiles(final int port, final double[] shares, final long[] into) {
        second.clear();
        second.add(seconds.getLast().ports[port]);
        for (int i = 0; i < shares.length; i++) {
            into[i] = second.valueAt(shares[i]);
            into[shares.length + i] = minute[port].valueAt(shares[i]);
            into[2 * shares.length + i] = edges.latencyNs(port).valueAt(shares[i]);
        }
    }

    /** Latencies of a port until the last second ended, in few buckets. */
    LatencyBuckets buckets(final int port) {
        return buckets[port];
    }

    /** Latencies of a port in ns: of the last so many seconds, or since the start. */
    Histogram of(final int port, final int most) {
        return most == SINCE_START ? histogram(edges.latencyNs(port)) : last(port, most);
    }

    /** The same over all ports. */
    Histogram ofAll(final int most) {
        final Histogram sum = new Histogram(DIGITS);
        IntStream.range(0, before.length).mapToObj(port -> of(port, most)).forEach(sum::add);
        return sum;
    }

    /** Every interval of the last minute over all ports, the earliest first. */
    List<OfSecond> seconds() {
        final List<OfSecond> each = new ArrayList<>();
        for (final Second second : seconds) {
            final NanoHistogram sum = new NanoHistogram();
            for (final NanoHistogram.Interval port : second.ports) {
                sum.add(port);
            }
            each.add(new OfSecond(second.number, histogram(sum)));
        }
        return each;
    }

    /** The last seconds of a port; the rest of a second at the end goes to the second before it. */
    private Histogram last(final int port, final int most) {
        final NanoHistogram sum = new NanoHistogram();
        long lengthNs = 0;
        final Iterator<Second> latest = seconds.descendingIterator();
        while (latest.hasNext() && lengthNs < (most - 1) * SECOND_NS + SECOND_NS / 2) {
            final Second second = latest.next();
            lengthNs += second.lengthNs;
            sum.add(second.ports[port]);
        }
        return histogram(sum);
    }

    /** The same counts for percentiles. */
    static Histogram histogram(final NanoHistogram counted) {
        final Histogram histogram = new Histogram(DIGITS);
        counted.forEach(histogram::recordValueWithCount);
        return histogram;
    }

    /**
     * A histogram of durations in few buckets, for programs that keep them for months: bucket k has those of at most
     * {@code 2^(10 + k) - 1} ns, 1 us to 8.6 s, the last one the rest. The steps of {@link NanoHistogram} end where
     * buckets end, so counts are exact. One thread.
     */
    static final class LatencyBuckets {
        /** Number of buckets, the last one without an end. */
        static final int BUCKETS = 25;
        private static final int LEAST_LOG2 = 10;

        private final long[] counts = new long[BUCKETS];
        /** Sum of all durations in ns, to 0.2 %. */
        long sumNs;

        LatencyBuckets() {
        }

        /** Where a bucket ends, in ns, for the key {@code le}. */
        static String end(final int bucket) {
            return bucket == BUCKETS - 1 ? "+Inf" : Long.toString((1L << LEAST_LOG2 + bucket) - 1);
        }

        /** Adds what was counted in an interval. */
        void add(final NanoHistogram.Interval interval) {
            interval.forEach((ns, times) -> {
                counts[Math.clamp(Long.SIZE - Long.numberOfLeadingZeros(ns) - LEAST_LOG2, 0, BUCKETS - 1)] += times;
                sumNs += ns * times;
            });
        }

        long count(final int bucket) {
            return counts[bucket];
        }
    }
}
