package dev.skerry.dataplane.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Fetches scattered cache lines together. A stage first notes, for a block of nodes, the places it is going to need,
 * then fetches them in one tight loop, where the processor keeps as many misses under way as it can; the work that
 * follows finds its lines in the nearest cache. Without it every miss would be waited for alone, as too much work lies
 * between one and the next. One thread.
 */
public final class Prefetcher {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final MemorySegment MEMORY = Region.everything();

    private final long[] places;
    private int count;
    private int sum;

    /**
     * Nothing noted.
     *
     * @param capacity most places noted between two fetches.
     */
    public Prefetcher(final int capacity) {
        this.places = new long[capacity];
    }

    /** Notes a place of a region; at least four bytes of the region lie there. */
    public void note(final Region region, final long offset) {
        places[count++] = region.at(offset, Integer.BYTES);
    }

    /** Fetches every place noted and forgets them. */
    public void fetch() {
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += MEMORY.get(INT, places[i]);
        }
        // Kept, or the compiler would drop the reads.
        sum += read;
        count = 0;
    }
}
