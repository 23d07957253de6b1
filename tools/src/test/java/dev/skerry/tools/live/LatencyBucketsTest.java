package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.count.NanoHistogram;
import dev.skerry.tools.live.LiveCounters.LatencyLog.LatencyBuckets;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

final class LatencyBucketsTest {
    /** The bounds of buckets are bounds of steps, so folding loses nothing. */
    @Test
    void shouldFoldEveryDurationIntoItsBucketExactly() {
        final SplittableRandom random = new SplittableRandom(5);
        final NanoHistogram counted = new NanoHistogram();
        final NanoHistogram before = new NanoHistogram();
        final LatencyBuckets folded = new LatencyBuckets();
        final long[] expected = new long[LatencyBuckets.BUCKETS];
        double sum = 0;
        for (int i = 0; i < 20_000; i++) {
            final int bits = random.nextInt(1, 40);
            final long edge = 1L << bits;
            final long ns = i % 3 == 0 ? edge - 1 : i % 3 == 1 ? edge : random.nextLong(edge);
            counted.record(ns);
            sum += ns;
            int bucket = 0;
            while (bucket < LatencyBuckets.BUCKETS - 1 && ns > Long.parseLong(LatencyBuckets.end(bucket))) {
                bucket++;
            }
            expected[bucket]++;
            if (i % 1_000 == 0) {
                folded.add(counted.since(before));
            }
        }
        folded.add(counted.since(before));
        for (int bucket = 0; bucket < LatencyBuckets.BUCKETS; bucket++) {
            assertEquals(expected[bucket], folded.count(bucket), "bucket up to " + LatencyBuckets.end(bucket));
        }
        assertEquals(1, folded.sumNs / sum, 0.002);
    }
}
