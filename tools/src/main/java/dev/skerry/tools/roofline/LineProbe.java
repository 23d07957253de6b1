package dev.skerry.tools.roofline;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.CacheLines;

import java.lang.foreign.Arena;

/**
 * Measures the roofline of a fabric: the cost of its cache lines alone. It reads and writes memory as large as the
 * engine's, line by line, in blocks of 64 node-slots. Some lines are streamed; the others are scattered and prefetched
 * together. One thread.
 */
public final class LineProbe implements AutoCloseable {
    /** Maximum memory that {@link #cost} uses: larger than every cache, and quick to allocate. */
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
     * Allocates the memory of a fabric and touches all of it once.
     *
     * @param bytes   size of the memory, at least a few KiB.
     * @param touched cache lines per node-slot.
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
     * Measures the cost of a line, in at most 0.2 s; the best of some rounds.
     *
     * @param bytes size of the engine's state; at most {@link #MAX_COST_BYTES} are used.
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
     * Touches the lines of some node-slots, rounded up to a multiple of 64.
     *
     * @param nodeSlots number of node-slots.
     * @return sum of the lines read; a benchmark has to consume it.
     */
    public long touch(final long nodeSlots) {
        long sum = 0;
        for (long done = 0; done < nodeSlots; done += BLOCK) {
            for (int i = 0; i < scattered; i++) {
                // High bits of the product with a uniform 32-bit number: uniform below the number of lines.
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
