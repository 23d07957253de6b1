package dev.skerry.dataplane.memory;

/**
 * Fetches scattered cache lines together. A stage notes the places that a block of nodes will need, then fetches them
 * in one tight loop in which misses overlap. The work that follows finds its lines in the nearest cache; without the
 * loop it would wait for every miss alone. One thread.
 */
public final class Prefetcher {
    private final long[] places;
    private int count;
    private int sum;

    /**
     * An empty list of places.
     *
     * @param capacity the most places noted between two fetches.
     */
    public Prefetcher(final int capacity) {
        this.places = new long[capacity];
    }

    /** Notes a place; at least four bytes of the region follow its offset. */
    public void note(final Region region, final long offset) {
        places[count++] = region.at(offset, Integer.BYTES);
    }

    /** Fetches every place noted and forgets them. */
    public void fetch() {
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += NativeMemory.getInt(places[i]);
        }
        // Stored so that the compiler keeps the reads.
        sum += read;
        count = 0;
    }
}
