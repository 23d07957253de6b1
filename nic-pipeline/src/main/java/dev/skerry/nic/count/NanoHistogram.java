package dev.skerry.nic.count;

import java.util.Arrays;

/**
 * Histogram of durations in ns, 0 to {@link Long#MAX_VALUE}, without clipping: exact below 512, above that in steps of
 * at most 1/256 of the value. One thread records; other threads may read counts that lag, and obtain the counts between
 * two readings from {@link #since}.
 */
public final class NanoHistogram extends StepHistogram {
    /** Steps by which the capacity of a reading grows. */
    private static final int FEW = 64;

    /** Creates an empty histogram, with initial capacity for durations up to 8 ms. */
    public NanoHistogram() {
        super(9, Long.SIZE - 1, 1 << 12);
    }

    /** Counts one duration in ns, at least 0. */
    public void record(final long ns) {
        record(ns, 1);
    }

    /** Adds the counts of an interval from {@link #since}. */
    public void add(final Interval interval) {
        for (int i = 0; i < interval.size; i++) {
            record(value(interval.steps[i]), interval.times[i]);
        }
    }

    /** Subtracts the counts of an interval that was added before. */
    public void subtract(final Interval interval) {
        for (int i = 0; i < interval.size; i++) {
            counts[interval.steps[i]] -= interval.times[i];
        }
    }

    /**
     * Quantile of the durations in ns; 0 if none was counted.
     *
     * @param share fraction of the durations that do not exceed the result, above 0, at most 1.
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
     * Counts since an earlier reading.
     *
     * @param before counts at the earlier reading, which are updated to the current ones; empty for the first reading.
     */
    public Interval since(final NanoHistogram before) {
        return since(before, new Interval());
    }

    /**
     * Counts since an earlier reading, without garbage unless the interval is too small or much too large.
     *
     * @param before as for the other method.
     * @param into   interval to overwrite and return.
     */
    public Interval since(final NanoHistogram before, final Interval into) {
        final long[] now = counts;
        if (now.length > before.counts.length) {
            before.counts = Arrays.copyOf(before.counts, now.length);
        }
        into.clear();
        for (int step = 0; step < now.length; step++) {
            final long more = now[step] - before.counts[step];
            if (more > 0) {
                if (into.size == into.steps.length) {
                    into.steps = Arrays.copyOf(into.steps, into.size + FEW);
                    into.times = Arrays.copyOf(into.times, into.size + FEW);
                }
                into.steps[into.size] = step;
                into.times[into.size++] = more;
                before.counts[step] += more;
            }
        }
        return into;
    }

    /** Counts between two readings: steps in ascending order, and the count of each. */
    public final class Interval {
        private int[] steps = new int[FEW];
        private long[] times = new long[FEW];
        private int size;

        /** Gives back the room of an unusually busy interval, so that a minute does not retain sixty such. */
        private void clear() {
            if (steps.length > 2 * size + 2 * FEW) {
                steps = new int[size + FEW];
                times = new long[size + FEW];
            }
            size = 0;
        }

        /** Passes every counted duration to the visitor, in ascending order. */
        public void forEach(final Visitor visitor) {
            for (int i = 0; i < size; i++) {
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
