package dev.skerry.bench.fabric;

import dev.skerry.dataplane.memory.Prefetcher;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.FlowSet;
import dev.skerry.nic.LockStep;
import dev.skerry.nic.fabric.CircuitFabric;

import java.lang.foreign.Arena;

/**
 * The roofline of a fabric: what its cache lines alone cost. Memory as large as the engine's is read and written, a
 * line at a time, as a block of 64 node-slots does it: some lines in a stream, the others scattered and fetched
 * together first. One thread.
 */
final class Lines implements AutoCloseable {
    private static final int BLOCK = 64;
    private static final int SIXTEENTHS = 16;
    private static final int LINE_SHIFT = 6;

    private final Arena arena = Arena.ofShared();
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
     * @param fabric    whose memory.
     * @param streamed  lines of a node-slot that follow the line used before, in sixteenths.
     * @param scattered lines of a node-slot that lie anywhere, in sixteenths.
     */
    Lines(final CircuitFabric fabric, final int streamed, final int scattered) {
        final long bytes = LockStep.bytes(fabric, new FlowSet());
        this.region = Region.allocate(arena, bytes);
        this.lines = bytes >>> LINE_SHIFT;
        this.streamed = streamed * BLOCK / SIXTEENTHS;
        this.scattered = scattered * BLOCK / SIXTEENTHS;
        this.places = new long[this.scattered];
        this.prefetcher = new Prefetcher(this.scattered);
        for (long line = 0; line < lines; line++) {
            region.setLong(line << LINE_SHIFT, line);
        }
    }

    /** Touches the lines of some node-slots, a multiple of 64 of them or somewhat more. */
    long touch(final long nodeSlots) {
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
        arena.close();
    }
}
