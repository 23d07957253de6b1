package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The reasons of {@link ActiveBuckets} where nodes have many buckets. In a slot every node gains and loses one or two
 * reasons, and its table lies in far cache lines. So a slot is only noted, as a row of the log, and {@link
 * BucketCounts} counts the log later, one node after another. While mostly few nodes of a block have anything to note,
 * no row is in use, and a reason is among the {@link NodeNotes}.
 *
 * <pre>
 *   log: a row of a slot for a block of nodes
 *             node 0           node 1                   one note: number of a bucket, or of none
 *            +----------------+----------------+--
 *   gained   | spent, joined  | spent, joined  | ..     for a cell that starts here, for one that joined a queue
 *   lost     | first, second  | first, second  | ..     tokens that came back
 *            +----------------+----------------+--
 * </pre>
 *
 * Reasons gained in a row came before those lost. One bank, one thread.
 */
final class BucketLog {
    /** Slots that are noted before they are counted. More slots take more memory and spread entries less often. */
    private static final int ROWS = 256;
    /** The four notes of a node in a row. Each has its own number for none; numbers of buckets follow. */
    private static final int SPENT = 0;
    private static final int JOINED = 1;
    private static final int FIRST = 2;
    private static final int SECOND = 3;
    private static final int GAINED = 0;
    private static final int LOST = 1;
    private static final int NOTES = 2;
    private static final long NONE_GAINED = pair(SPENT, JOINED);
    private static final long NONE_LOST = pair(FIRST, SECOND);
    /** Bytes behind a row, so that the notes of a node do not all map to the same cache set. */
    private static final int GAP = 64;

    private final int nodes;
    private final int block;
    private final int spraysShift;
    private final int rowBytes;
    /** Bytes from the reasons a node gained in a row to the reasons it lost. */
    private final int lostAt;
    private final Region log;
    /** By block: rows in use, and whether the newest row has begun and not ended. */
    private final int[] rows;
    private final boolean[] open;
    private final Crowding crowding;
    /** The newest row that has notes of the whole block, and of each node alone; -1: none. */
    private final int[] lastOfBlock;
    private final int[] last;
    private final long[] noneGained;
    private final long[] noneLost;
    private final int[] low;
    private final int[] high;
    private final long[] pair;
    private final BucketCounts counts;
    /** Reasons older than any row. */
    private final NodeNotes single;

    /** Nothing active at the nodes of a bank. */
    BucketLog(final Arena arena, final Shale shale, final int nodes) {
        this.nodes = nodes;
        this.block = CellBatch.block(nodes);
        this.spraysShift = BucketTable.spraysShift(shale);
        this.rowBytes = rowBytes(nodes);
        this.lostAt = block * Long.BYTES;
        this.rows = new int[Math.ceilDiv(nodes, block)];
        this.open = new boolean[rows.length];
        this.crowding = new Crowding(rows.length);
        this.lastOfBlock = new int[rows.length];
        this.last = new int[nodes];
        Arrays.fill(lastOfBlock, -1);
        Arrays.fill(last, -1);
        this.log = Region.allocate(arena, (long) rows.length * ROWS * rowBytes);
        this.noneGained = new long[block];
        this.noneLost = new long[block];
        Arrays.fill(noneGained, NONE_GAINED);
        Arrays.fill(noneLost, NONE_LOST);
        this.low = new int[block];
        this.high = new int[block];
        this.pair = new long[block];
        this.counts = new BucketCounts(arena, nodes, BucketTable.numbers(shale), ROWS);
        this.single = new NodeNotes(arena, nodes, counts);
    }

    /** Memory of a bank in bytes, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) Math.ceilDiv(nodes, CellBatch.block(nodes)) * ROWS * rowBytes(nodes)
            + BucketCounts.bytes(nodes, BucketTable.numbers(shale)) + NodeNotes.bytes(nodes);
    }

    /** Whether a slot of a block is noted as a row. */
    boolean takesRows(final int first) {
        return rows[first / block] > 0 || crowding.isCrowded(first / block);
    }

    /** A slot ends in which a block was gone through whole, or few of its nodes. */
    void onSlot(final int first, final boolean isWhole) {
        final int of = first / block;
        crowding.add(of, isWhole);
        if (rows[of] > 0 && crowding.isEmpty(of)) {
            count(of);
        }
    }

    /** Begins a slot of a block, see {@link ActiveBuckets#begin}. */
    void begin(final int first, final int count, final int[] keys, final int[] which) {
        open(first / block);
        final int[] spent = low;
        final long[] row = pair;
        final int shift = spraysShift;
        for (int i = 0; i < count; i++) {
            spent[i] = BucketCounts.number(keys[i] - 1 | which[i] - 1, shift, SPENT);
        }
        for (int i = 0; i < count; i++) {
            row[i] = pair(spent[i], JOINED);
        }
        log.setLongs(newest(first / block, GAINED), row, 0, count);
    }

    /** Ends a slot of a block, see {@link ActiveBuckets#end}. */
    void end(final int first, final int count, final CellBatch joined, final int[] buckets, final int[] another) {
        if (!open[first / block]) {
            turn(first / block);
        }
        noteJoined(first, joined);
        noteReturned(first, count, buckets, another);
        open[first / block] = false;
    }

    private void noteJoined(final int first, final CellBatch joined) {
        final Region memory = log;
        final long at = newest(first / block, GAINED) + Integer.BYTES;
        final int[] node = joined.node();
        final long[] word = joined.word();
        final int count = joined.count();
        final int shift = spraysShift;
        for (int k = 0; k < count; k++) {
            final int bucket = Route.bucket(word[k]) | Route.tokens(word[k]) - 1;
            memory.setInt(at + Region.offset(node[k] - first, Long.BYTES), BucketCounts.number(bucket, shift, JOINED));
        }
    }

    private void noteReturned(final int first, final int count, final int[] buckets, final int[] another) {
        final int[] one = low;
        final int[] two = high;
        final long[] row = pair;
        final int shift = spraysShift;
        for (int i = 0; i < count; i++) {
            one[i] = BucketCounts.number(buckets[i], shift, FIRST);
        }
        for (int i = 0; i < count; i++) {
            two[i] = BucketCounts.number(another[i], shift, SECOND);
        }
        for (int i = 0; i < count; i++) {
            row[i] = pair(one[i], two[i]);
        }
        log.setLongs(newest(first / block, LOST), row, 0, count);
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        final int of = node / block;
        if (rows[of] == 0) {
            single.gain(node, BucketCounts.number(bucket, spraysShift, JOINED));
            return;
        }
        final long first = first(node, of);
        int row = Math.max(last[node], lastOfBlock[of]);
        if (row < 0 || !mayGain(first + (long) row * rowBytes, open[of] && row == rows[of] - 1)) {
            row = rowAfter(row, of);
        }
        final long at = first + (long) row * rowBytes;
        write(node, row, at, (int) log.getLong(at) == SPENT ? SPENT : JOINED, bucket);
    }

    /** One reason less. */
    void remove(final int node, final int bucket) {
        final int of = node / block;
        if (rows[of] == 0) {
            single.lose(node, BucketCounts.number(bucket, spraysShift, FIRST));
            return;
        }
        close(of);
        final long first = first(node, of);
        int row = Math.max(last[node], lastOfBlock[of]);
        if (row < 0 || high(log.getLong(first + (long) row * rowBytes + lostAt)) != SECOND) {
            row = rowAfter(row, of);
        }
        final long at = first + (long) row * rowBytes + lostAt;
        write(node, row, at, (int) log.getLong(at) == FIRST ? FIRST : SECOND, bucket);
    }

    /** Whether a row has room for a reason that a node gains; while it is open, its second place is reserved. */
    private boolean mayGain(final long at, final boolean isOpen) {
        final long gained = log.getLong(at);
        return isOpen ? (int) gained == SPENT : high(gained) == JOINED && log.getLong(at + lostAt) == NONE_LOST;
    }

    private void write(final int node, final int row, final long at, final int note, final int bucket) {
        log.setInt(at + (long) (note % NOTES) * Integer.BYTES, BucketCounts.number(bucket, spraysShift, note));
        last[node] = row;
    }

    /** Buckets active at a node. */
    int active(final int node) {
        count(node / block);
        return counts.active(node);
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        count(node / block);
        return counts.maxActive(node);
    }

    /** Begins the next row of a block, with nothing gained. */
    private void turn(final int of) {
        open(of);
        log.setLongs(at(of, rows[of] - 1, GAINED), noneGained, 0, block);
    }

    /** Begins the next row of a block; the caller writes what is gained. */
    private void open(final int of) {
        close(of);
        if (rows[of] == ROWS || rows[of] == 0) {
            count(of);
        }
        rows[of]++;
        open[of] = true;
    }

    /** Ends the newest row of a block; an open row has lost nothing. */
    private void close(final int of) {
        if (open[of]) {
            log.setLongs(at(of, rows[of] - 1, LOST), noneLost, 0, block);
            open[of] = false;
        }
    }

    /** Counts the rows of a block. */
    private void count(final int of) {
        close(of);
        final int first = of * block;
        final int end = Math.min(first + block, nodes);
        single.count(first, end);
        for (int node = first; node < end && rows[of] > 0; node++) {
            counts.count(node, log, first(node, of), lostAt, rowBytes, rows[of]);
        }
        Arrays.fill(last, first, end, -1);
        lastOfBlock[of] = -1;
        rows[of] = 0;
    }

    /** Offset of a part of the newest row of a block, which the caller writes for all nodes. */
    private long newest(final int of, final int part) {
        lastOfBlock[of] = rows[of] - 1;
        return at(of, rows[of] - 1, part);
    }

    private long at(final int of, final int row, final int part) {
        return ((long) of * ROWS + row) * rowBytes + (long) part * lostAt;
    }

    /** Offset of the reasons that a node gained in the first row of a block. */
    private long first(final int node, final int of) {
        return at(of, 0, GAINED) + (long) (node - of * block) * Long.BYTES;
    }

    /** The row after one. A new row is closed at once: a note of a single node does not begin a slot. */
    private int rowAfter(final int row, final int of) {
        if (row + 1 < rows[of]) {
            return row + 1;
        }
        turn(of);
        close(of);
        return rows[of] - 1;
    }

    private static long pair(final int inLow, final int inHigh) {
        return (long) inHigh << Integer.SIZE | inLow;
    }

    private static int high(final long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    private static int rowBytes(final int nodes) {
        return NOTES * CellBatch.block(nodes) * Long.BYTES + GAP;
    }
}
