package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.PayloadStore;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/**
 * The streams of cells from each node to each other node, numbered as they leave their flows, with the arrivals of each
 * stream. They give the number of cells that the authors' simulator would hold back until those before them arrive
 * (docs/spec/shoal.md §9.1).
 *
 * <pre>
 *   one stream                                            beside it a bit for each number from prefix on:
 *   0        4          8                                 +---+---+---+---+---+--
 *   +--------+----------+    prefix: all before arrived,  | 0 | 1 | 1 | 0 | 1 | ..   modulo its length, which grows
 *   | prefix | received |    looked up late               +---+---+---+---+---+--
 *   +--------+----------+                                   ^ prefix
 * </pre>
 *
 * <p>The number of a cell in a stream of one flow is its sequence number; in other streams the number is in a table of
 * 4 bytes a cell. All banks of a run share this object. The thread of the source numbers a stream; its arrivals belong
 * to the thread of its destination, and streams are in order of destinations.
 */
public final class PairStreams {
    /** Largest number of cells in the table for streams of several flows: 1 GiB. */
    public static final long MOST_CELLS = 1L << 28;

    private static final int WORD_SHIFT = 6;
    private static final int FIRST_WORDS = 4;
    private static final int ALONE = -1;

    /** Stream of each flow. */
    private final int[] stream;
    /** Offset in the table of the numbers of each flow's cells, {@link #ALONE} if they need none. */
    private final long[] tableAt;
    private final Region table;
    /** Number of the next cell of each stream. */
    private final int[] next;
    private final int[] prefix;
    private final int[] received;
    private final long[][] come;

    /** Creates the streams of a run that {@link #fits}. */
    public PairStreams(final Arena arena, final FlowSet flows, final int nodes) {
        final int[] flowsOf = flowsByStream(flows, nodes);
        final int[] number = new int[flowsOf.length];
        int streams = 0;
        for (int pair = 0; pair < flowsOf.length; pair++) {
            number[pair] = flowsOf[pair] > 0 ? streams++ : ALONE;
        }
        this.stream = new int[flows.size()];
        this.tableAt = new long[flows.size()];
        long cells = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            final int pair = pair(flows, flow, nodes);
            stream[flow] = number[pair];
            tableAt[flow] = flowsOf[pair] == 1 ? ALONE : cells;
            cells += flowsOf[pair] == 1 ? 0 : flows.cells(flow);
        }
        this.table = Region.allocate(arena, Math.max(1, cells) * Integer.BYTES);
        this.next = new int[streams];
        this.prefix = new int[streams];
        this.received = new int[streams];
        this.come = new long[streams][];
    }

    /** Tells whether the table of the flows of a run is small enough; no flow is on demand. */
    public static boolean fits(final FlowSet flows, final int nodes) {
        return tableCells(flows, nodes) <= MOST_CELLS;
    }

    /** Returns the bytes of the table. */
    public static long bytes(final FlowSet flows, final int nodes) {
        return tableCells(flows, nodes) * Integer.BYTES;
    }

    private static long tableCells(final FlowSet flows, final int nodes) {
        final int[] flowsOf = flowsByStream(flows, nodes);
        return IntStream.range(0, flows.size()).filter(flow -> flowsOf[pair(flows, flow, nodes)] > 1)
            .mapToLong(flows::cells).sum();
    }

    private static int[] flowsByStream(final FlowSet flows, final int nodes) {
        final int[] flowsOf = new int[nodes * nodes];
        for (int flow = 0; flow < flows.size(); flow++) {
            flowsOf[pair(flows, flow, nodes)]++;
        }
        return flowsOf;
    }

    private static int pair(final FlowSet flows, final int flow, final int nodes) {
        return flows.destination(flow) * nodes + flows.source(flow);
    }

    /** Numbers a cell that leaves its flow. Called by the thread of its source. */
    void number(final long identity) {
        final long at = tableAt[Cell.flow(identity)];
        if (at >= 0) {
            table.setInt((at + Cell.sequence(identity)) * Integer.BYTES, next[stream[Cell.flow(identity)]]++);
        }
    }

    /**
     * Records that a cell arrived. Called by the thread of its destination.
     *
     * @param most number of parked cells up to which the exact number is not needed.
     * @return the number of cells parked now if it is larger than {@code most}, else {@code most}.
     */
    int arrive(final long identity, final int most) {
        final int flow = Cell.flow(identity);
        final long at = tableAt[flow];
        final int number = at < 0 ? Cell.sequence(identity)
            : table.getInt((at + Cell.sequence(identity)) * Integer.BYTES);
        final int of = stream[flow];
        if (number < prefix[of]) {
            // The cell came before: another process may send anything.
            return most;
        }
        long[] bits = come[of];
        if (bits == null || isBeyond(of, number)) {
            bits = makeRoom(of, number);
        }
        bits[number >>> WORD_SHIFT & bits.length - 1] |= 1L << number;
        if (++received[of] - prefix[of] <= most) {
            return most;
        }
        advance(of);
        return Math.max(most, received[of] - prefix[of]);
    }

    /** Makes room for the bit of a number. */
    private long[] makeRoom(final int of, final int number) {
        if (come[of] == null) {
            come[of] = new long[FIRST_WORDS];
        }
        advance(of);
        while (isBeyond(of, number)) {
            grow(of);
        }
        return come[of];
    }

    /** Tells whether a number has no word of its own: the word of the prefix is not used for later numbers too. */
    private boolean isBeyond(final int of, final int number) {
        return number - (prefix[of] & -Long.SIZE) >>> WORD_SHIFT >= come[of].length;
    }

    private void grow(final int of) {
        final long[] bits = come[of];
        final long[] larger = new long[2 * bits.length];
        final int first = prefix[of] >>> WORD_SHIFT;
        for (int word = first; word < first + bits.length; word++) {
            larger[word & larger.length - 1] = bits[word & bits.length - 1];
        }
        come[of] = larger;
    }

    /** Moves the prefix over all numbers that have come without a gap. */
    private void advance(final int of) {
        final long[] bits = come[of];
        int from = prefix[of];
        int ones;
        do {
            final int word = from >>> WORD_SHIFT & bits.length - 1;
            ones = Long.numberOfTrailingZeros(~(bits[word] >>> from));
            bits[word] &= ones == Long.SIZE ? 0 : ~((1L << ones) - 1 << from);
            from += ones;
        } while (ones > 0 && (from & Long.SIZE - 1) == 0);
        prefix[of] = from;
    }

    /**
     * Counts the cells that wait at a bank's nodes for those sent before them from the same node, the reordering of the
     * authors' simulator (docs/spec/shoal.md §9.1). Wraps a payload store, which sees every cell leave its flow and
     * arrive. One thread.
     */
    public static final class ParkedCells implements PayloadStore {
        private final PayloadStore store;
        private final PairStreams streams;
        private int most;

        /** Creates the counts without parked cells. */
        public ParkedCells(final PayloadStore store, final PairStreams streams) {
            this.store = store;
            this.streams = streams;
        }

        /** Returns the maximum number of cells of one node that were parked at a node of the bank. */
        public int most() {
            return most;
        }

        @Override
        public long inject(final long identity) {
            streams.number(identity);
            return store.inject(identity);
        }

        @Override
        public long deliver(final long cell) {
            final long identity = store.deliver(cell);
            most = streams.arrive(identity, most);
            return identity;
        }

        @Override
        public long identify(final long cell) {
            return store.identify(cell);
        }

        @Override
        public void discard(final long cell) {
            store.discard(cell);
        }
    }
}
