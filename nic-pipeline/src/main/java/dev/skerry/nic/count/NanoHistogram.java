package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * Counts durations in ns, 0 to {@link Long#MAX_VALUE}, none of them clipped: exact below 512, above that in steps of at
 * most 1/256 of the value. One thread records; other threads may read counts that lag, and {@link #since} gives them
 * what was counted between two of their readings.
 */
public final class NanoHistogram extends StepHistogram {
    /** Room for the steps of a reading, at first. */
    private static final int FEW = 64;

    /** Creates an empty histogram, with room for durations up to 8 ms. */
    public NanoHistogram() {
        super(9, Long.SIZE - 1, 1 << 12);
    }

    /** Counts one duration in ns, at least 0. */
    public void record(final long ns) {
        record(ns, 1);
    }

    /** Adds what {@link #since} gave. */
    public void add(final Interval interval) {
        for (int i = 0; i < interval.steps.length; i++) {
            record(value(interval.steps[i]), interval.times[i]);
        }
    }

    /** Takes away what {@link #since} gave and was added before. */
    public void subtract(final Interval interval) {
        for (int i = 0; i < interval.steps.length; i++) {
            counts[interval.steps[i]] -= interval.times[i];
        }
    }

    /**
     * The duration in ns that a share of all durations does not exceed; 0 if none was counted.
     *
     * @param share above 0, at most 1.
     */
    public long valueAt(final double share) {
        final long[] now = counts;
        long left = (long) Math.ceil(share * Arrays.stream(now).sum());
        for (int step = 0; step < now.length && left > 0; step++) {
            left -= now[step];
            if (left <= 0) {
                return value(step);
            }
        }
        return 0;
    }

    /**
     * What was counted since an earlier reading.
     *
     * @param before counts at the earlier reading, which become those of now; empty for the first reading.
     */
    public Interval since(final NanoHistogram before) {
        final long[] now = counts;
        if (now.length > before.counts.length) {
            before.counts = Arrays.copyOf(before.counts, now.length);
        }
        // Few steps were counted since: room for all of them would be garbage, a megabyte a second with five ports.
        int[] steps = new int[FEW];
        long[] times = new long[FEW];
        int size = 0;
        for (int step = 0; step < now.length; step++) {
            final long more = now[step] - before.counts[step];
            if (more > 0) {
                if (size == steps.length) {
                    steps = Arrays.copyOf(steps, 2 * size);
                    times = Arrays.copyOf(times, 2 * size);
                }
                steps[size] = step;
                times[size++] = more;
                before.counts[step] += more;
            }
        }
        return new Interval(Arrays.copyOf(steps, size), Arrays.copyOf(times, size));
    }

    /** What was counted between two readings: steps in ascending order, and how often each came. Immutable. */
    public final class Interval {
        private final int[] steps;
        private final long[] times;

        private Interval(final int[] steps, final long[] times) {
            this.steps = steps;
            this.times = times;
        }

        /** Passes every duration that was counted to the visitor, in ascending order. */
        public void forEach(final Visitor visitor) {
            for (int i = 0; i < steps.length; i++) {
                visitor.counted(value(steps[i]), times[i]);
            }
        }
    }

    /** The middle of a step. */
    @Override
    long value(final int step) {
        return super.value(step) + (1L << shift(step) >> 1);
    }
}
