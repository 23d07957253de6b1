package dev.skerry.nic.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What nodes hold over time, in a bounded number of samples at equal distances. When a run exceeds them, every second
 * one goes and the distance doubles. The distance depends only on slot numbers, so timelines of several banks can be
 * put together. One thread.
 */
public final class HeldTimeline {
    private static final int SAMPLES = 256;

    private final Sample[] samples = new Sample[SAMPLES];
    private long distance = 1;
    private int used;
    private Sample last = Sample.NOTHING;

    /**
     * What nodes hold before they send in a slot.
     *
     * @param cells       forwarded cells that wait, of all nodes.
     * @param mostCells   of one node.
     * @param buckets     active buckets, of all nodes.
     * @param mostBuckets of one node.
     */
    public record Sample(long cells, long mostCells, long buckets, long mostBuckets) {
        static final Sample NOTHING = new Sample(0, 0, 0, 0);

        private Sample and(final Sample other) {
            return new Sample(cells + other.cells, Math.max(mostCells, other.mostCells), buckets + other.buckets,
                Math.max(mostBuckets, other.mostBuckets));
        }
    }

    /**
     * A sample and its slot.
     *
     * @param slot   before which it was taken; the first is 0.
     * @param sample taken.
     */
    public record At(long slot, Sample sample) {
    }

    /** Creates a timeline that ends before slot 0. */
    public HeldTimeline() {
    }

    /** Whether a sample is due before a slot is sent. Slots come in ascending order. */
    public boolean isDue(final long slot) {
        return slot >= used * distance;
    }

    /** Nodes hold this before a slot is sent, and have held it since they last sent. */
    public void add(final long slot, final Sample sample) {
        while (isDue(slot)) {
            if (used == SAMPLES) {
                for (int i = 0; i < SAMPLES / 2; i++) {
                    samples[i] = samples[2 * i];
                }
                used = SAMPLES / 2;
                distance *= 2;
            } else {
                samples[used++] = sample;
            }
        }
    }

    /** Nodes hold this at the end, and have held it since they last sent. */
    public void finish(final Sample sample) {
        last = sample;
    }

    /** The sum of several nodes' timelines, at least one, each finished. */
    public static HeldTimeline sum(final List<HeldTimeline> of) {
        final HeldTimeline sum = new HeldTimeline();
        for (final HeldTimeline one : of) {
            sum.distance = Math.max(sum.distance, one.distance);
            sum.last = sum.last.and(one.last);
        }
        for (final HeldTimeline one : of) {
            final long seen = one.used == 0 ? 0 : (one.used - 1) * one.distance / sum.distance + 1;
            sum.used = Math.max(sum.used, (int) seen);
        }
        for (int i = 0; i < sum.used; i++) {
            sum.samples[i] = Sample.NOTHING;
            for (final HeldTimeline one : of) {
                sum.samples[i] = sum.samples[i].and(one.at(i * sum.distance));
            }
        }
        return sum;
    }

    private Sample at(final long slot) {
        return slot / distance < used ? samples[(int) (slot / distance)] : last;
    }

    /** What is held at equal distances from slot 0 on, and at the end of a run. */
    public List<At> until(final long end) {
        long step = distance;
        while (Math.ceilDiv(end, step) > SAMPLES) {
            step *= 2;
        }
        final List<At> all = new ArrayList<>();
        for (long slot = 0; slot < end; slot += step) {
            all.add(new At(slot, at(slot)));
        }
        all.add(new At(end, last));
        return all;
    }

    /** All of it as numbers. */
    public long[] columns() {
        final long[] columns = new long[1 + 4 * (used + 1)];
        columns[0] = distance;
        for (int i = 0; i <= used; i++) {
            final Sample sample = i == used ? last : samples[i];
            columns[1 + 4 * i] = sample.cells;
            columns[2 + 4 * i] = sample.mostCells;
            columns[3 + 4 * i] = sample.buckets;
            columns[4 + 4 * i] = sample.mostBuckets;
        }
        return columns;
    }

    /** That of {@link #columns}. */
    public static HeldTimeline of(final long[] columns) {
        final HeldTimeline timeline = new HeldTimeline();
        timeline.distance = columns[0];
        timeline.used = columns.length / 4 - 1;
        Arrays.setAll(timeline.samples, i -> i < timeline.used ? sample(columns, i) : null);
        timeline.last = sample(columns, timeline.used);
        return timeline;
    }

    private static Sample sample(final long[] columns, final int i) {
        return new Sample(columns[1 + 4 * i], columns[2 + 4 * i], columns[3 + 4 * i], columns[4 + 4 * i]);
    }
}
