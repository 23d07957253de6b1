package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.PayloadStore;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

/**
 * The cells that each node sends to each other, numbered as they leave their flows, and of each such stream what has
 * come: as many cells as the authors' simulator would park until those before them are there (docs/spec/shoal.md §9.1).
 *
 * <pre>
 *   one stream                                            beside it a bit for each number from prefix on:
 *   0        4          8                                 +---+---+---+---+---+--
 *   +--------+----------+    prefix: all before have come,| 0 | 1 | 1 | 0 | 1 | ..   modulo its length, which grows
 *   | prefix | received |    looked up late               +---+---+---+---+---+--
 *   +--------+----------+                                   ^ prefix
 * </pre>
 *
 * A cell of a stream of one flow has its sequence number; of others the number stands in a table, 4 bytes a cell. All
 * banks of a run share this: a stream is numbered by the thread of its source, and what has come belongs to the thread
 * of its destination, where streams lie in order of destinations.
 */
public final class PairStreams {
    /** Cells of streams of several flows that there is a table for: 1 GiB of it. */
    public static final long MOST_CELLS = 1L << 28;

    private static final int WORD_SHIFT = 6;
    private static final int FIRST_WORDS = 4;
    private static final int ALONE = -1;

    /** By flow: its stream. */
    private final int[] stream;
    /** By flow: where the numbers of its cells begin in the table, {@link #ALONE} if its cells need none. */
    private final long[] tableAt;
    private final Region table;
    /** By stream: the number of its next cell. */
    private final int[] next;
    private final int[] prefix;
    private final int[] received;
    private final long[][] come;

    /** Streams of a run that {@link #fits}. */
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

    /** Whether there is a table for the flows of a run, of which none is on demand. */
    public static boolean fits(final FlowSet flows, final int nodes) {
        return tableCells(flows, nodes) <= MOST_CELLS;
    }

    /** Bytes of the table. */
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

    /** A cell leaves its flow. Called by the thread of its source. */
    void number(final long identity) {
        final long at = tableAt[Cell.flow(identity)];
        if (at >= 0) {
            table.setInt((at + Cell.sequence(identity)) * Integer.BYTES, next[stream[Cell.flow(identity)]]++);
        }
    }

    /**
     * A cell has arrived. Called by the thread of its destination.
     *
     * @param most cells that are of no interest.
     * @return cells parked now if they are more than that, else that.
     */
    int arrive(final long identity, final int most) {
        final int flow = Cell.flow(identity);
        final long at = tableAt[flow];
        final int number = at < 0 ? Cell.sequence(identity)
            : table.getInt((at + Cell.sequence(identity)) * Integer.BYTES);
        final int of = stream[flow];
        if (number < prefix[of]) {
            // It has come before: another process sends what it likes.
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

    /** Whether a number has no word of its own: the word that the prefix lies in is not used for later ones too. */
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

    /** Moves on over all that has come without a gap. */
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
     * authors' simulator (docs/spec/shoal.md §9.1): beside a payload store, which sees every cell leave its flow and
     * arrive. One thread.
     */
    public static final class ParkedCells implements PayloadStore {
        private final PayloadStore store;
        private final PairStreams streams;
        private int most;

        /** None parked yet. */
        public ParkedCells(final PayloadStore store, final PairStreams streams) {
            this.store = store;
            this.streams = streams;
        }

        /** The most cells of one node that were parked at a node of the bank. */
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
