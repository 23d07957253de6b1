package dev.skerry.tools.resources;

/**
 * Memory of a Shale end host (Shale §4.2, §4.3, docs/spec/shale.md §9.1, §9.5). Widths are whole bits; lg is the binary
 * logarithm rounded up. Immutable; any thread may call.
 *
 * @param phases h.
 * @param radix r: nodes of a phase group.
 * @param tokens tokens of a bucket on a link, the larger of T and T_F; determines the widths of counters and FIFOs.
 * @param pieoEntries Q_P, of a link.
 * @param tokenFifo Q_T, of a link.
 * @param buckets A, of a node, with the reserve for arriving cells.
 */
public record ShaleMemory(int phases, int radix, int tokens, int pieoEntries, int tokenFifo, int buckets) {
    /** Factor by which the paper multiplies maxima, for other workloads. */
    public static final int MARGIN = 2;

    /** Returns N = r^h. */
    public long nodes() {
        long nodes = 1;
        for (int phase = 0; phase < phases; phase++) {
            nodes = Math.multiplyExact(nodes, radix);
        }
        return nodes;
    }

    /** Returns E = h(r-1), the links of a node. */
    public long links() {
        return phases * (radix - 1L);
    }

    /** Returns the bits of an entry of a PIEO: bucket, previous phase and slot, n received, whether its hop sprays. */
    public int entryBits() {
        return 2 * lg(phases) + lg(radix - 1) + lg(buckets + 1L) + 1;
    }

    /** Returns the bits of the lists of all PIEOs: E Q_P entries. */
    public long pieoBits() {
        return links() * pieoEntries * entryBits();
    }

    /**
     * Returns the bits of the lists as the prototype builds them: twice as many places, and the bucket of each once
     * more.
     */
    public long prototypePieoBits() {
        return 2 * pieoBits() + 2 * links() * pieoEntries * lg(buckets + 1L);
    }

    /** Returns the bits of the return FIFOs: E Q_T lg(hN). */
    public long tokenFifoBits() {
        return links() * tokenFifo * lg(phases * nodes());
    }

    /** Returns the bits of the counters of tokens: E A lg(T+1). */
    public long counterBits() {
        return links() * buckets * lg(tokens + 1L);
    }

    /** Returns the bits of the map from a bucket to its active index: hN lg(A+1). */
    public long mapBits() {
        return phases * nodes() * lg(buckets + 1L);
    }

    /** Returns the bits of the map from an active index to its bucket, and of the free ones: A lg(hN) + A. */
    public long reverseMapBits() {
        return (long) buckets * lg(phases * nodes()) + buckets;
    }

    /** Returns the sum of all on-chip bits. */
    public long onChipBits() {
        return pieoBits() + tokenFifoBits() + counterBits() + mapBits() + reverseMapBits();
    }

    /** Returns the cells of a store with a FIFO for each neighbour and bucket: h²N(r-1)². */
    public long naiveCells() {
        return phases * nodes() * phases * (radix - 1L) * (radix - 1L);
    }

    /** Returns the cells of a store whose FIFOs the links of a phase share: h²N(r-1). */
    public long sharedCells() {
        return phases * nodes() * phases * (radix - 1L);
    }

    /**
     * Returns the cells of a store for active buckets alone: 2Ah(r-1), a spray and a direct FIFO each, T times as deep.
     */
    public long activeCells() {
        return 2L * buckets * links() * tokens;
    }

    /**
     * Returns the bits of Shoal's control state: (N-1)² b + 2(N-1) lg(N+2), b the bits of a queue length up to 2N-2.
     */
    public static long shoalBits(final long nodes) {
        return (nodes - 1) * (nodes - 1) * lg(2 * nodes - 1) + 2 * (nodes - 1) * lg(nodes + 2);
    }

    private static int lg(final long values) {
        return Long.SIZE - Long.numberOfLeadingZeros(values - 1);
    }
}
