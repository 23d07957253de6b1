package dev.skerry.tools.roofline;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.CacheLines;

import java.lang.foreign.Arena;

/**
 * The roofline of a fabric: what its cache lines alone cost. Memory as large as the engine's is read and written, a
 * line at a time, as a block of 64 node-slots does it: some lines in a stream, the others scattered and fetched
 * together first. One thread.
 */
public final class LineProbe implements AutoCloseable {
    /** Memory of which {@link #cost} is taken at most: beyond every cache, and yet soon made. */
    public static final long MAX_COST_BYTES = 128L << 20;

    private static final int BLOCK = 64;
    private static final int LINE_SHIFT = 6;
    private static final CacheLines ONE_STREAMED = new CacheLines(CacheLines.SIXTEENTHS, 0);
    private static final CacheLines ONE_SCATTERED = new CacheLines(0, CacheLines.SIXTEENTHS);
    private static final int WARM_UP = 1 << 19;
    private static final int ROUND = 1 << 17;
    private static final int ROUNDS = 12;

    private final Arena arena;
    private final Region region;
    private final long lines;
    private final int streamed;
    private final int scattered;
    private final long[] places;
    private final Prefetcher prefetcher;
    private long next;
    private long drawn;

    /**
     * Memory of a fabric at the start of a run, all of it touched once.
     *
     * @param bytes   of it, at least a few KiB.
     * @param touched lines of a node-slot.
     */
    public LineProbe(final long bytes, final CacheLines touched) {
        this(Arena.ofShared(), null, bytes, touched);
    }

    private LineProbe(final Arena arena, final Region shared, final long bytes, final CacheLines touched) {
        this.arena = arena;
        this.region = shared == null ? Region.allocate(arena, bytes) : shared;
        this.lines = bytes >>> LINE_SHIFT;
        this.streamed = touched.streamedSixteenths() * BLOCK / CacheLines.SIXTEENTHS;
        this.scattered = touched.scatteredSixteenths() * BLOCK / CacheLines.SIXTEENTHS;
        this.places = new long[scattered];
        this.prefetcher = new Prefetcher(scattered);
        for (long line = 0; shared == null && line < lines; line++) {
            region.setLong(line << LINE_SHIFT, line);
        }
    }

    /**
     * What a line costs in memory of a size, in at most 0.2 s: the best of some rounds.
     *
     * @param bytes of the engine's state; of more than {@link #MAX_COST_BYTES} only as many are used.
     */
    public static LineCost cost(final long bytes) {
        final long used = Math.clamp(bytes, (long) BLOCK << LINE_SHIFT, MAX_COST_BYTES);
        try (LineProbe first = new LineProbe(used, ONE_STREAMED);
            LineProbe second = new LineProbe(first.arena, first.region, used, ONE_SCATTERED)) {
            return new LineCost(first.bestNs(), second.bestNs());
        }
    }

    private double bestNs() {
        touch(WARM_UP);
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            final long start = System.nanoTime();
            touch(ROUND);
            best = Math.min(best, System.nanoTime() - start);
        }
        return (double) best / ROUND;
    }

    /**
     * Touches the lines of some node-slots, a multiple of 64 of them or somewhat more.
     *
     * @return the sum of the values read, which a benchmark must not drop.
     */
    public long touch(final long nodeSlots) {
        long sum = 0;
        for (long done = 0; done < nodeSlots; done += BLOCK) {
            for (int i = 0; i < scattered; i++) {
                // The high bits of a product with a uniform 32-bit number: uniform below the number of lines.
                final long at = ((CounterRandom.mix(drawn++) >>> 32) * lines >>> 32) << LINE_SHIFT;
                places[i] = at;
                prefetcher.note(region, at);
            }
            prefetcher.fetch();
            for (int i = 0; i < scattered; i++) {
                sum += bump(places[i]);
            }
            next = next + streamed > lines ? 0 : next;
            for (int i = 0; i < streamed; i++) {
                sum += bump(next++ << LINE_SHIFT);
            }
        }
        return sum;
    }

    private long bump(final long at) {
        final long value = region.getLong(at) + 1;
        region.setLong(at, value);
        return value;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
