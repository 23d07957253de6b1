package dev.skerry.nic.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cells held by nodes over time, in a bounded number of equidistant samples. When a run exceeds them, every second
 * sample is removed and the distance doubles. The distance depends only on slot numbers, so timelines of several banks
 * can be combined. One thread.
 */
public final class HeldTimeline {
    private static final int SAMPLES = 256;

    private final Sample[] samples = new Sample[SAMPLES];
    private long distance = 1;
    private int used;
    private Sample last = Sample.NOTHING;

    /**
     * State of nodes before they send in a slot.
     *
     * @param cells       queued cells to be forwarded, over all nodes.
     * @param mostCells   maximum of a single node.
     * @param buckets     active buckets, over all nodes.
     * @param mostBuckets maximum of a single node.
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
     * @param slot   the slot before which it was taken; the first is 0.
     * @param sample the sample.
     */
    public record At(long slot, Sample sample) {
    }

    /** Creates a timeline that ends before slot 0. */
    public HeldTimeline() {
    }

    /** Whether a sample is due before a slot is sent. Slots must be in ascending order. */
    public boolean isDue(final long slot) {
        return slot >= used * distance;
    }

    /** Adds the state before a slot is sent, which has been unchanged since the nodes last sent. */
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

    /** Sets the state at the end, which has been unchanged since the nodes last sent. */
    public void finish(final Sample sample) {
        last = sample;
    }

    /** The sum of one or more nodes' timelines, each finished. */
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

    /** Equidistant samples from slot 0 on, and the state at the end of a run. */
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

    /** The timeline as numbers. */
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

    /** The timeline of {@link #columns}. */
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
