package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Flows whose cells each node sent on each link in the last epochs. A report is matched with its cell by position alone
 * (docs/spec/shoal.md §4.5).
 *
 * <pre>
 *   [epoch mod kept][link][node], 4 bytes: NONE for a dummy and for a cell of another node, else of a local cell
 *   bit 31   30        12   11      0
 *       +---+------------+----------+
 *       | 0 |  services  |   flow   |     services: of the cell, see ShoalSlotPlan
 *       +---+------------+----------+
 * </pre>
 *
 * <p>Not thread-safe.
 */
public final class SentCells {
    /** The entry of a node that sent no cell of its own. */
    public static final int NONE = -1;
    /** The entry of a cell that joins a queue and whose report no flow awaits: a copy sent for safety. */
    public static final int UNAWAITED = Integer.MIN_VALUE;

    private static final int FLOW_BITS = 12;
    private static final int FLOW_MASK = (1 << FLOW_BITS) - 1;

    private final Region region;
    /** Nodes of the bank. */
    final int nodes;
    private final int links;
    private final int kept;
    /** Nodes whose entries may differ from {@link #NONE}, by epoch modulo kept, then link. */
    private final NodeSets own;
    /** A multiple of the epochs kept, close to the last epoch asked for. */
    private int firstKept;
    /**
     * The flow whose cell each node sent in this slot, or NONE; used if two nodes send to each other in the same slot.
     */
    private final int[] justSent;
    private final int[] none;

    /**
     * Creates the entries before anything was sent.
     *
     * @param nodes nodes of the bank.
     * @param links links of a node.
     * @param kept  epochs to keep, see {@link ShoalSlotPlan#sentEpochs}.
     */
    public SentCells(final Arena arena, final int nodes, final int links, final int kept) {
        this.region = Region.allocate(arena, (long) kept * links * nodes * Integer.BYTES);
        this.own = new NodeSets(arena, kept * links, nodes);
        this.nodes = nodes;
        this.links = links;
        this.kept = kept;
        this.justSent = new int[nodes];
        Arrays.fill(justSent, NONE);
        this.none = justSent.clone();
        region.fill((byte) NONE);
    }

    /** Returns the memory in bytes. */
    public static long bytes(final int nodes, final int links, final int kept) {
        return (long) kept * links * nodes * Integer.BYTES + NodeSets.bytes(kept * links, nodes);
    }

    /**
     * Returns the row of a link in an epoch, which may be before the first one. A slot uses few epochs, so most calls
     * take no division.
     */
    int row(final int epoch, final int link) {
        int place = epoch - firstKept;
        if (place < -kept || place >= kept) {
            firstKept = epoch - Math.floorMod(epoch, kept);
            place = epoch - firstKept;
        }
        return (place < 0 ? place + kept : place) * links + link;
    }

    /** Returns one bit for each node of a word of a row, set if it may have sent a cell of its own. */
    long own(final int row, final int word) {
        return own.word(row, word);
    }

    /** Tells whether a local cell is stored, so that a report on it may still be awaited. */
    public boolean isKeeping() {
        return !own.isEmpty();
    }

    /** Starts a turn of the nodes of [first, end) of a row: none of them has sent a local cell yet. */
    void begin(final int row, final int first, final int end) {
        for (int word = NodeSets.wordOf(first); word * NodeSets.WORD_NODES < end; word++) {
            final long within = NodeSets.within(word, first, end);
            final int base = word * NodeSets.WORD_NODES;
            final long bits = own.word(row, word) & within;
            if (bits == within && within != 0) {
                clear(offset(row, Math.max(first, base)), Long.bitCount(within));
            } else {
                for (long left = bits; left != 0; left &= left - 1) {
                    set(offset(row, base + Long.numberOfTrailingZeros(left)), NONE);
                }
            }
        }
        own.putAll(row, first, end, false);
    }

    /** Records that a node sent a cell of its own. */
    void add(final int row, final int node, final int entry) {
        set(offset(row, node), entry);
        own.add(row, node);
    }

    /** Records which of the nodes of [first, end) have sent cells of their own: those at [0, count) of a list. */
    void note(final int row, final int first, final int end, final int[] which, final int count) {
        final boolean few = own.begin(row, first, end, count);
        for (int k = 0; few && k < count; k++) {
            own.add(row, which[k]);
        }
    }

    /** Returns the offset of the entry of a node of a row; 4 bytes each. */
    long offset(final int row, final int node) {
        return ((long) row * nodes + node) * Integer.BYTES;
    }

    /** Returns the entry of a local cell. */
    public static int entry(final int flow, final int services) {
        return services << FLOW_BITS | flow;
    }

    /**
     * Tells whether the cell of an entry is a local one that joins a queue; a cell at its destination does not, nor
     * does NONE.
     */
    public static boolean joins(final int entry) {
        // The services of NONE are those of a direct cell; those of UNAWAITED are not.
        return (services(entry) & ShoalSlotPlan.MAX_SERVICES) != ShoalSlotPlan.MAX_SERVICES;
    }

    /** Returns the flow of an entry. */
    public static int flow(final int entry) {
        return entry & FLOW_MASK;
    }

    /** Returns the services of an entry. */
    public static int services(final int entry) {
        return entry >>> FLOW_BITS;
    }

    /** Returns the entry at an offset. */
    public int get(final long at) {
        return region.getInt(at);
    }

    /** Writes the entry at an offset. */
    public void set(final long at, final int entry) {
        region.setInt(at, entry);
    }

    /** Writes {@link #NONE} for consecutive nodes, from an offset on. */
    public void clear(final long at, final int count) {
        region.setInts(at, none, 0, count);
    }

    /** Returns the flow whose cell a node sent in this slot. */
    public int justSent(final int node) {
        return justSent[node];
    }

    /** Resets the flows whose cells nodes sent, before a slot is sent. */
    public void clearJustSent() {
        Arrays.fill(justSent, NONE);
    }

    /** Sets the flow whose cell a node sends in this slot, or {@link #NONE}. */
    public void setJustSent(final int node, final int flow) {
        justSent[node] = flow;
    }

    /** Base class of records of the last epochs, {@code [epoch mod kept][link][node]}, initially all ones. */
    private abstract static sealed class Kept {
        final Region region;
        final int kept;
        private final int nodes;
        private final int links;

        private Kept(final Arena arena, final int nodes, final int links, final int kept, final long bytes) {
            this.region = Region.allocate(arena, bytes);
            this.nodes = nodes;
            this.links = links;
            this.kept = kept;
            region.fill((byte) -1);
        }

        final long number(final int epoch, final int link, final int node) {
            return ((long) Math.floorMod(epoch, kept) * links + link) * nodes + node;
        }
    }

    /**
     * The last cells that each node accepted from each neighbour, so that a cell sent twice is accepted once
     * (docs/spec/shoal.md §6.2).
     *
     * <pre>
     *   [epoch mod kept][link][node], 8 bytes: the cell word, all ones for none
     * </pre>
     *
     * <p>They are kept for as many epochs as a sender may send a cell again. Not thread-safe.
     */
    public static final class AcceptedCells extends Kept {
        private static final long NONE = -1;


        /** Creates the records before any cell was accepted; arguments as of {@link SentCells}. */
        public AcceptedCells(final Arena arena, final int nodes, final int links, final int kept) {
            super(arena, nodes, links, kept, bytes(nodes, links, kept));
        }

        /** Returns the memory in bytes. */
        public static long bytes(final int nodes, final int links, final int kept) {
            return (long) kept * links * nodes * Long.BYTES;
        }

        /** Tells whether a cell that came over a link of a node was accepted before. */
        public boolean contains(final int link, final int node, final long cell) {
            boolean found = false;
            for (int epoch = 0; epoch < kept; epoch++) {
                found |= region.getLong(number(epoch, link, node) * Long.BYTES) == cell;
            }
            return found;
        }

        /** Records that a cell sent in an epoch was accepted. */
        public void add(final int link, final int node, final int epoch, final long cell) {
            region.setLong(number(epoch, link, node) * Long.BYTES, cell);
        }

        /** Forgets all cells of a neighbour. */
        public void clear(final int link, final int node) {
            for (int epoch = 0; epoch < kept; epoch++) {
                region.setLong(number(epoch, link, node) * Long.BYTES, NONE);
            }
        }
    }

    /**
     * Copies of the cells that each node sent on each link in the last epochs and whose reports are outstanding, to be
     * sent again after damage (docs/spec/shoal.md §4.1 {@code sent}). {@link SentCells} holds the flows of these cells.
     *
     * <pre>
     *   [epoch mod kept][link][node]
     *   0        8        16
     *   +--------+--------+
     *   | route  | cell   |    route: NO_CELL for a dummy, and when the report has come; CONTROL for a message
     *   +--------+--------+
     * </pre>
     *
     * <p>Not thread-safe.
     */
    public static final class SentCopies extends Kept {
        private static final int COPY_BYTES = 16;

        private int open;

        /** Creates the copies before anything was sent; arguments as of {@link SentCells}. */
        public SentCopies(final Arena arena, final int nodes, final int links, final int kept) {
            super(arena, nodes, links, kept, bytes(nodes, links, kept));
        }

        /** Returns the memory in bytes. */
        public static long bytes(final int nodes, final int links, final int kept) {
            return (long) kept * links * nodes * COPY_BYTES;
        }

        /** Returns the offset of the copy of a node's cell of an epoch, which may be before the first one. */
        public long at(final int epoch, final int link, final int node) {
            return number(epoch, link, node) * COPY_BYTES;
        }

        /** Returns the number of epochs kept. */
        public int kept() {
            return kept;
        }

        /** Stores a copy, or none with {@link InFlightCells#NO_CELL}. */
        public void put(final long at, final long route, final long cell) {
            open += (InFlightCells.isCell(route) ? 1 : 0) - (InFlightCells.isCell(region.getLong(at, 0)) ? 1 : 0);
            region.setLong(at, 0, route);
            region.setLong(at, 1, cell);
        }

        /** Returns the route word of a copy. */
        public long route(final long at) {
            return region.getLong(at, 0);
        }

        /** Returns the cell word of a copy. */
        public long cell(final long at) {
            return region.getLong(at, 1);
        }

        /** Returns the number of cells, on all links of all nodes, whose reports have not arrived. */
        public int open() {
            return open;
        }
    }
}
