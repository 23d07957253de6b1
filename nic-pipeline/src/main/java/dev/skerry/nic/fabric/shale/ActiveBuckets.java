package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * How many buckets are active at every node, and the most that ever were: a bucket is active while a cell waits for it
 * or a token of it is outstanding on any link, each of them a reason (spec/shale §9.4).
 *
 * <p>In a slot every node gains and loses a reason or two, each in another table: far cache lines all of them. So what
 * happens in a slot is only noted, a row of the log, and counted later for one node after the other: its entries are
 * spread over a table, its notes counted there, and what is left of it collected as its entries again.
 *
 * <pre>
 *   log: a row of a slot for a block of nodes
 *             node 0           node 1                   one note: number of a bucket, or that of none
 *            +----------------+----------------+--
 *   gained   | spent, joined  | spent, joined  | ..     for a cell that starts here, for one that joined a queue
 *   lost     | first, second  | first, second  | ..     tokens that came back
 *            +----------------+----------------+--
 *   entries: of a node                                  table: of the node at hand
 *            +-----------------+-----------------+--      +---------+---------+--
 *            | number, reasons | number, reasons | ..     | reasons | reasons | ..    by number, else all 0
 *            +-----------------+-----------------+--      +---------+---------+--
 * </pre>
 *
 * Reasons gained in a row came before those lost. Each of the four notes of a row has a number for none of its own, so
 * that counting what is none never waits for the last time. One bank, one thread.
 */
final class ActiveBuckets {
    /** Slots that are noted before they are counted: more take more memory and spread a node's entries less often. */
    private static final int ROWS = 256;
    /** The notes of a node in a row, each its own number for none; those of buckets follow. */
    private static final int SPENT = 0;
    private static final int JOINED = 1;
    private static final int FIRST = 2;
    private static final int SECOND = 3;
    private static final int NUMBERS = 4;
    private static final int GAINED = 0;
    private static final int LOST = 1;
    private static final int NOTES = 2;
    /** Behind a row, so that the notes of a node do not all fall on the same lines of a cache. */
    private static final int GAP = 64;
    private static final int FIRST_ENTRIES = 64;
    /** Reasons of what is none: never the first, never the last. */
    private static final int FOR_EVER = 1 << 30;

    private final Arena arena;
    private final int nodes;
    private final int block;
    private final int spraysShift;
    private final int rowBytes;
    private final Region log;
    /** By block: rows in use, and whether its tokens have not come back yet in the newest. */
    private final int[] rows;
    private final boolean[] open;
    /** The newest row that has notes of the whole block, and of each node alone; -1: none. */
    private final int[] lastOfBlock;
    private final int[] last;
    private final long[] noneGained;
    private final long[] noneLost;
    private final int[] low;
    private final int[] high;
    private final long[] pair;

    private final int[] active;
    private final int[] maxActive;
    /** Entries of each node, and those of the one at hand; the pairs of notes that add to them. */
    private final int[] length;
    private Region entries;
    private int capacity = FIRST_ENTRIES;
    private long[] entry = new long[FIRST_ENTRIES + ROWS * NOTES + 1];
    private final long[] fresh = new long[ROWS + 1];
    private final int[] table;

    /** Nothing active at the nodes of a bank. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this.arena = arena;
        this.nodes = nodes;
        this.block = CellBatch.block(nodes);
        this.spraysShift = spraysShift(shale);
        this.rowBytes = rowBytes(nodes);
        this.rows = new int[Math.ceilDiv(nodes, block)];
        this.open = new boolean[rows.length];
        this.lastOfBlock = new int[rows.length];
        this.last = new int[nodes];
        Arrays.fill(lastOfBlock, -1);
        Arrays.fill(last, -1);
        this.log = Region.allocate(arena, (long) rows.length * ROWS * rowBytes);
        this.noneGained = new long[block];
        this.noneLost = new long[block];
        Arrays.fill(noneGained, pair(SPENT, JOINED));
        Arrays.fill(noneLost, pair(FIRST, SECOND));
        this.low = new int[block];
        this.high = new int[block];
        this.pair = new long[block];
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.length = new int[nodes];
        this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
        this.table = new int[(shale.nodes() << spraysShift) + NUMBERS];
    }

    /** Memory of a bank in bytes, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) Math.ceilDiv(nodes, CellBatch.block(nodes)) * ROWS * rowBytes(nodes)
            + (long) nodes * FIRST_ENTRIES * Long.BYTES + ((long) shale.nodes() << spraysShift(shale)) * Integer.BYTES;
    }

    /**
     * Tokens were spent for cells that start here, the first thing that happens in a slot.
     *
     * @param first the first of {@code count} nodes of a block.
     * @param keys  the bucket of each plus 1.
     * @param which 1 where a token was spent, else 0.
     */
    void onSpent(final int first, final int count, final int[] keys, final int[] which) {
        begin(first / block);
        final int[] spent = low;
        final long[] row = pair;
        final int shift = spraysShift;
        for (int i = 0; i < count; i++) {
            spent[i] = number(keys[i] - 1 | which[i] - 1, shift, SPENT);
        }
        for (int i = 0; i < count; i++) {
            row[i] = pair(spent[i], JOINED);
        }
        log.setLongs(newest(first / block, GAINED), row, 0, count);
    }

    /** Cells joined queues of a block, a reason each but before a last hop; once a slot, before {@link #onReturned}. */
    void onJoined(final int first, final CellBatch joined) {
        if (!open[first / block]) {
            turn(first / block);
        }
        final Region memory = log;
        final long at = newest(first / block, GAINED) + Integer.BYTES;
        final int[] node = joined.node();
        final long[] word = joined.word();
        final int count = joined.count();
        final int shift = spraysShift;
        for (int k = 0; k < count; k++) {
            final int bucket = Route.bucket(word[k]) | Route.tokens(word[k]) - 1;
            memory.setInt(at + Region.offset(node[k] - first, Long.BYTES), number(bucket, shift, JOINED));
        }
    }

    /** Tokens came back to nodes of a block, the last thing in a slot: a bucket of each, and another; -1: none. */
    void onReturned(final int first, final int count, final int[] buckets, final int[] another) {
        if (!open[first / block]) {
            turn(first / block);
        }
        final int[] one = low;
        final int[] two = high;
        final long[] row = pair;
        final int shift = spraysShift;
        for (int i = 0; i < count; i++) {
            one[i] = number(buckets[i], shift, FIRST);
        }
        for (int i = 0; i < count; i++) {
            two[i] = number(another[i], shift, SECOND);
        }
        for (int i = 0; i < count; i++) {
            row[i] = (long) two[i] << Integer.SIZE | one[i];
        }
        log.setLongs(newest(first / block, LOST), row, 0, count);
        open[first / block] = false;
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        final int of = node / block;
        int row = newestOf(node);
        if (row < 0 || note(node, row, SPENT) != SPENT || !(open[of] && row == rows[of] - 1) && isLost(node, row)) {
            row = rowAfter(row, of);
        }
        write(node, row, SPENT, bucket);
    }

    /** One reason less. */
    void remove(final int node, final int bucket) {
        final int of = node / block;
        close(of);
        int row = newestOf(node);
        if (row < 0 || note(node, row, SECOND) != SECOND) {
            row = rowAfter(row, of);
            close(of);
        }
        write(node, row, note(node, row, FIRST) == FIRST ? FIRST : SECOND, bucket);
    }

    /** Buckets active at a node. */
    int active(final int node) {
        count(node / block);
        return active[node];
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        count(node / block);
        return maxActive[node];
    }

    /** The next row of a block begins, with nothing gained. */
    private void turn(final int of) {
        begin(of);
        log.setLongs(at(of, rows[of] - 1, GAINED), noneGained, 0, block);
    }

    /** The next row of a block begins; what is gained in it is to be written. */
    private void begin(final int of) {
        close(of);
        if (rows[of] == ROWS) {
            count(of);
        }
        rows[of]++;
        open[of] = true;
    }

    /** Nothing is lost in the newest row of a block, unless it was written. */
    private void close(final int of) {
        if (open[of]) {
            log.setLongs(at(of, rows[of] - 1, LOST), noneLost, 0, block);
            open[of] = false;
        }
    }

    /** Counts what the log has of a block. */
    private void count(final int of) {
        close(of);
        final int first = of * block;
        final int end = rows[of] == 0 ? first : Math.min(first + block, nodes);
        for (int node = first; node < end; node++) {
            final int held = length[node];
            entries.getLongs((long) node * capacity * Long.BYTES, entry, 0, held);
            spread(held);
            final int pairs = count(node, (long) of * ROWS * rowBytes + (long) (node - first) * Long.BYTES, rows[of]);
            store(node, collect(held, pairs));
        }
        Arrays.fill(last, first, Math.min(first + block, nodes), -1);
        lastOfBlock[of] = -1;
        rows[of] = 0;
    }

    private void spread(final int held) {
        final int[] reasons = table;
        final long[] from = entry;
        for (int k = 0; k < held; k++) {
            reasons[(int) (from[k] >>> Integer.SIZE)] = (int) from[k];
        }
    }

    /**
     * Counts the notes of a node, and lists the pairs gained in which a bucket becomes active.
     *
     * @return how many pairs those are.
     */
    private int count(final int node, final long firstAt, final int notes) {
        final Region memory = log;
        final int[] reasons = table;
        final long[] pairs = fresh;
        final int lostAt = block * Long.BYTES;
        int count = 0;
        int now = active[node];
        int most = maxActive[node];
        Arrays.fill(reasons, 0, NUMBERS, FOR_EVER);
        for (int k = 0; k < notes; k++) {
            final long at = firstAt + (long) k * rowBytes;
            final long gained = memory.getLong(at);
            final long lost = memory.getLong(at + lostAt);
            final int spentNew = isZero(reasons[(int) gained]++);
            final int joinedNew = isZero(reasons[(int) (gained >>> Integer.SIZE)]++);
            pairs[count] = gained;
            count += spentNew | joinedNew;
            now += spentNew + joinedNew;
            most = Math.max(most, now);
            now -= isZero(--reasons[(int) lost]);
            now -= isZero(--reasons[(int) (lost >>> Integer.SIZE)]);
            assert reasons[(int) lost] >= 0 && reasons[(int) (lost >>> Integer.SIZE)] >= 0 : "not active: node=" + node;
        }
        Arrays.fill(reasons, 0, NUMBERS, 0);
        active[node] = now;
        maxActive[node] = most;
        return count;
    }

    /** Makes entries of what the table has of the buckets of entries and of pairs, and clears it; returns how many. */
    private int collect(final int old, final int pairs) {
        final int[] reasons = table;
        final long[] of = entry;
        final long[] more = fresh;
        int held = 0;
        for (int k = 0; k < old; k++) {
            final int number = (int) (of[k] >>> Integer.SIZE);
            of[held] = (long) number << Integer.SIZE | reasons[number];
            held += -reasons[number] >>> Integer.SIZE - 1;
            reasons[number] = 0;
        }
        for (int k = 0; k < pairs; k++) {
            final int spent = (int) more[k];
            of[held] = (long) spent << Integer.SIZE | reasons[spent];
            held += -reasons[spent] >>> Integer.SIZE - 1;
            reasons[spent] = 0;
            final int joined = (int) (more[k] >>> Integer.SIZE);
            of[held] = (long) joined << Integer.SIZE | reasons[joined];
            held += -reasons[joined] >>> Integer.SIZE - 1;
            reasons[joined] = 0;
        }
        return held;
    }

    private void store(final int node, final int held) {
        if (held > capacity) {
            grow(held);
        }
        length[node] = held;
        entries.setLongs((long) node * capacity * Long.BYTES, entry, 0, held);
    }

    private void grow(final int held) {
        final Region old = entries;
        final int before = capacity;
        capacity = Integer.highestOneBit(2 * held - 1);
        entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
        final long[] copy = new long[before];
        for (int node = 0; node < nodes; node++) {
            old.getLongs((long) node * before * Long.BYTES, copy, 0, length[node]);
            entries.setLongs((long) node * capacity * Long.BYTES, copy, 0, length[node]);
        }
        entry = Arrays.copyOf(entry, capacity + ROWS * NOTES + 1);
    }

    /** Where the newest row of a block has a part of it, which is written for all its nodes. */
    private long newest(final int of, final int part) {
        lastOfBlock[of] = rows[of] - 1;
        return at(of, rows[of] - 1, part);
    }

    private long at(final int of, final int row, final int part) {
        return ((long) of * ROWS + row) * rowBytes + (long) part * block * Long.BYTES;
    }

    /** The newest row in which a node may have notes, or -1. */
    private int newestOf(final int node) {
        return Math.max(last[node], lastOfBlock[node / block]);
    }

    /** The row after one, if need be a new one: what is noted of one node alone does not begin a row for all. */
    private int rowAfter(final int row, final int of) {
        if (row + 1 == rows[of]) {
            turn(of);
            return rows[of] - 1;
        }
        return row + 1;
    }

    private boolean isLost(final int node, final int row) {
        return note(node, row, FIRST) != FIRST || note(node, row, SECOND) != SECOND;
    }

    private int note(final int node, final int row, final int note) {
        return log.getInt(place(node, row, note));
    }

    private void write(final int node, final int row, final int note, final int bucket) {
        log.setInt(place(node, row, note), number(bucket, spraysShift, note));
        last[node] = row;
    }

    private long place(final int node, final int row, final int note) {
        return at(node / block, row, note / NOTES) + (long) (node % block) * Long.BYTES
            + (long) (note % NOTES) * Integer.BYTES;
    }

    private static long pair(final int inLow, final int inHigh) {
        return (long) inHigh << Integer.SIZE | inLow;
    }

    /** A number for a bucket, without gaps for sprays that there are not; for none, which is negative, another. */
    private static int number(final int bucket, final int spraysShift, final int forNone) {
        final int isNone = bucket >> Integer.SIZE - 1;
        final int number = (bucket >> Route.DESTINATION_SHIFT << spraysShift | bucket & Route.MAX_SPRAYS) + NUMBERS;
        return number & ~isNone | forNone & isNone;
    }

    private static int isZero(final int reasons) {
        return reasons - 1 >>> Integer.SIZE - 1;
    }

    private static int rowBytes(final int nodes) {
        return NOTES * CellBatch.block(nodes) * Long.BYTES + GAP;
    }

    private static int spraysShift(final Shale shale) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(shale.schedule().phases() - 1);
    }
}
