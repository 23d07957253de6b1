package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * How many buckets are active at every node, and the most that ever were: a bucket is active while a cell waits for it
 * or a token of it is outstanding on any link, each of them a reason (docs/spec/shale.md §9.4). A small bank has a
 * count for each bucket, all in the near caches; others have a {@link BucketLog}. One bank, one thread.
 */
final class ActiveBuckets {
    /** Most counts of a table: with more, its lines leave the nearer caches. */
    private static final int TABLE_COUNTS = 1 << 15;

    /** Null in a small bank. */
    private final BucketLog log;
    /** Of a small bank, else null: reasons by node, then number of the bucket. */
    private final int[] reasons;
    /** By node: buckets active, and most ever. */
    private final int[] active;
    private final int[] maxActive;
    private final int spraysShift;
    private final int numbers;

    /** Nothing active at the nodes of a bank. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this(arena, shale, nodes, TABLE_COUNTS);
    }

    /** For tests: with a table of at most some counts. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes, final int tableCounts) {
        this.spraysShift = Route.sprayBits(shale.schedule().phases());
        this.numbers = shale.bucketNumbers();
        final boolean isSmall = (long) numbers * nodes <= tableCounts;
        this.log = isSmall ? null : new BucketLog(arena, shale, nodes);
        this.reasons = isSmall ? new int[nodes * numbers] : null;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
    }

    /** Off-heap memory of a bank in bytes at most, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return BucketLog.bytes(shale, nodes);
    }

    /**
     * Begins a slot of a block: tokens were spent for cells that start here. May be left out where none was.
     *
     * @param first the first of {@code count} nodes of a block.
     * @param keys  the bucket of each plus 1.
     * @param which 1 where a token was spent, else 0.
     */
    void begin(final int first, final int count, final int[] keys, final int[] which) {
        if (log != null && log.takesRows(first)) {
            log.begin(first, count, keys, which);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (which[i] != 0) {
                add(first + i, keys[i] - 1);
            }
        }
    }

    /**
     * Ends a slot of a block: cells joined queues, then tokens came back.
     *
     * @param first   the first of {@code count} nodes of a block.
     * @param joined  the cells, at most one a node: a reason each, except before a last hop.
     * @param buckets the bucket of a token that came back to each node, -1 for none.
     * @param another the bucket of a second token, -1 for none.
     */
    void end(final int first, final int count, final CellBatch joined, final int[] buckets, final int[] another) {
        if (log != null && log.takesRows(first)) {
            log.end(first, count, joined, buckets, another);
        } else {
            add(joined);
            for (int i = 0; i < count; i++) {
                remove(first + i, buckets[i], another[i]);
            }
        }
        if (log != null) {
            log.onSlot(first, true);
        }
    }

    /** As {@link #end(int, int, CellBatch, int[], int[])}, where tokens came back to {@code some} listed nodes. */
    void end(final int first, final int[] which, final int some, final CellBatch joined, final int[] buckets,
        final int[] another) {
        add(joined);
        for (int k = 0; k < some; k++) {
            remove(first + which[k], buckets[which[k]], another[which[k]]);
        }
        if (log != null) {
            log.onSlot(first, false);
        }
    }

    private void remove(final int node, final int bucket, final int another) {
        if (bucket >= 0) {
            remove(node, bucket);
        }
        if (another >= 0) {
            remove(node, another);
        }
    }

    private void add(final CellBatch joined) {
        for (int k = 0; k < joined.count(); k++) {
            if (Route.tokens(joined.word()[k]) > 0) {
                add(joined.node()[k], Route.bucket(joined.word()[k]));
            }
        }
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        if (log != null) {
            log.add(node, bucket);
        } else if (reasons[place(node, bucket)]++ == 0) {
            maxActive[node] = Math.max(maxActive[node], ++active[node]);
        }
    }

    /** One reason less. */
    void remove(final int node, final int bucket) {
        if (log != null) {
            log.remove(node, bucket);
        } else {
            final int left = --reasons[place(node, bucket)];
            assert left >= 0 : "not active: node=" + node;
            active[node] -= left == 0 ? 1 : 0;
        }
    }

    /** Buckets active at a node. */
    int active(final int node) {
        settle(node);
        return active[node];
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        settle(node);
        return maxActive[node];
    }

    /** Counts what is noted. */
    private void settle(final int node) {
        if (log != null) {
            log.count(node / log.block);
        }
    }

    private int place(final int node, final int bucket) {
        return node * numbers + Route.number(bucket, spraysShift);
    }

    /**
     * The reasons of {@link ActiveBuckets} where nodes have many buckets. In a slot every node gains and loses one or
     * two reasons, and its table would lie in far cache lines. So a slot is only noted, as a row of the log, and the
     * log is counted later, one node after another. While mostly few nodes of a block have anything to note, no row is
     * in use, and reasons are noted by node.
     *
     * <pre>
     *   log: a row of a slot for a block of nodes
     *             node 0           node 1                   one note: number of a bucket, or of none
     *            +----------------+----------------+--
     *   gained   | spent, joined  | spent, joined  | ..     for a cell that starts here, for one that joined a queue
     *   lost     | first, second  | first, second  | ..     tokens that came back
     *            +----------------+----------------+--
     *
     *   notes of one node: 4 bytes a reason
     *            +--------+--------+--
     *            | number | number | ..                     of the bucket; its complement where the reason was lost
     *            +--------+--------+--
     *
     *   entries: of a node                                  table: of the node being counted
     *            +-----------------+-----------------+--      +---------+---------+--
     *            | number, reasons | number, reasons | ..     | reasons | reasons | ..    by number, else all 0
     *            +-----------------+-----------------+--      +---------+---------+--
     * </pre>
     *
     * Reasons gained in a row came before those lost. To count, the entries of a node are spread over the table, its
     * notes are counted there, and non-zero cells of the table become its entries again. Numbers below {@link #NONES}
     * mean no bucket; counting them like any other takes no branch. One bank, one thread.
     */
    private final class BucketLog {
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
        private static final int NONES = 4;
        private static final long NONE_GAINED = pair(SPENT, JOINED);
        private static final long NONE_LOST = pair(FIRST, SECOND);
        /** Bytes behind a row, so that the notes of a node do not all map to the same cache set. */
        private static final int GAP = 64;
        /** Slots of all nodes that are rare: their reasons are noted one by one, too. */
        private static final int RARE_SLOTS = 16;
        /** As many slots of few nodes more than of all, and the block counts as empty. */
        private static final int MOST_CROWDED = 64;
        /** Reasons of a node that are noted before they are counted: eight cache lines. */
        private static final int NODE_NOTES = 128;
        private static final int NODE_BYTES = NODE_NOTES * Integer.BYTES;
        private static final int FIRST_ENTRIES = 64;
        /** Sentinel count that never reaches 0 or 1. */
        private static final int FOR_EVER = 1 << 30;

        private final Arena arena;
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
        /**
         * By block: slots of all nodes lately, less those of few. Counting what is noted takes as long as some slots,
         * so a block changes only after many slots of the other kind.
         */
        private final int[] crowded;
        /** The newest row that has notes of the whole block, and of each node alone; -1: none. */
        private final int[] lastOfBlock;
        private final int[] last;
        private final long[] noneGained;
        private final long[] noneLost;
        private final int[] low;
        private final int[] high;
        private final long[] pair;
        /** Reasons noted by node, older than any row: notes of each node, and of all. */
        private final Region single;
        private final int[] noted;
        private long notesHeld;
        /** Entries of each node. */
        private final int[] length;
        private Region entries;
        private int capacity = FIRST_ENTRIES;
        /** Entries of the node being counted, and pairs of notes in which a bucket became active. */
        private long[] entry;
        private final long[] fresh = new long[ROWS + 1];
        private final int[] table;

        /** Nothing active at the nodes of a bank. */
        BucketLog(final Arena arena, final Shale shale, final int nodes) {
            this.arena = arena;
            this.nodes = nodes;
            this.block = CellBatch.block(nodes);
            this.spraysShift = Route.sprayBits(shale.schedule().phases());
            this.rowBytes = rowBytes(nodes);
            this.lostAt = block * Long.BYTES;
            this.rows = new int[Math.ceilDiv(nodes, block)];
            this.open = new boolean[rows.length];
            this.crowded = new int[rows.length];
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
            this.single = Region.allocate(arena, (long) nodes * NODE_BYTES);
            this.noted = new int[nodes];
            this.length = new int[nodes];
            this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
            this.entry = new long[capacity + 2 * ROWS + 1];
            this.table = new int[shale.bucketNumbers() + NONES];
        }

        /** Memory of a bank in bytes, growth not counted. */
        static long bytes(final Shale shale, final int nodes) {
            return (long) Math.ceilDiv(nodes, CellBatch.block(nodes)) * ROWS * rowBytes(nodes)
                + (long) nodes * (FIRST_ENTRIES * Long.BYTES + NODE_BYTES)
                + (long) shale.bucketNumbers() * Integer.BYTES;
        }

        /** Whether a slot of a block is noted as a row. */
        boolean takesRows(final int first) {
            return rows[first / block] > 0 || crowded[first / block] >= RARE_SLOTS;
        }

        /** A slot ends in which a block was gone through whole, or few of its nodes. */
        void onSlot(final int first, final boolean isWhole) {
            final int of = first / block;
            crowded[of] = isWhole ? Math.min(crowded[of] + 1, MOST_CROWDED) : Math.max(crowded[of] - 1, 0);
            if (rows[of] > 0 && crowded[of] == 0) {
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
                spent[i] = number(keys[i] - 1 | which[i] - 1, shift, SPENT);
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
                memory.setInt(at + Region.offset(node[k] - first, Long.BYTES), number(bucket, shift, JOINED));
            }
        }

        private void noteReturned(final int first, final int count, final int[] buckets, final int[] another) {
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
                row[i] = pair(one[i], two[i]);
            }
            log.setLongs(newest(first / block, LOST), row, 0, count);
        }

        /** One more reason for a bucket of a node to be active. */
        void add(final int node, final int bucket) {
            final int of = node / block;
            if (rows[of] == 0) {
                note(node, number(bucket, spraysShift, JOINED));
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
                note(node, ~number(bucket, spraysShift, FIRST));
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
            log.setInt(at + (long) (note % NOTES) * Integer.BYTES, number(bucket, spraysShift, note));
            last[node] = row;
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

        /** Counts what is noted of a block. */
        void count(final int of) {
            close(of);
            final int first = of * block;
            final int end = Math.min(first + block, nodes);
            for (int node = first; node < end && notesHeld > 0; node++) {
                countNotes(node);
            }
            for (int node = first; node < end && rows[of] > 0; node++) {
                final int had = spread(node);
                store(node, collect(had, countRows(node, first(node, of), rows[of])));
            }
            Arrays.fill(last, first, end, -1);
            lastOfBlock[of] = -1;
            rows[of] = 0;
        }

        /** Notes a reason that a node gained, or the complement of one that it lost. */
        private void note(final int node, final int note) {
            single.setInt(Region.offset(node, NODE_BYTES) + Region.offset(noted[node], Integer.BYTES), note);
            notesHeld++;
            if (++noted[node] == NODE_NOTES) {
                countMost();
            }
        }

        /**
         * Counts the nodes that have about as much noted as the one that is full: the table stays in the near caches
         * for all of them, and would not until the next one is full.
         */
        private void countMost() {
            for (int node = 0; node < nodes; node++) {
                if (noted[node] >= NODE_NOTES / 2) {
                    countNotes(node);
                }
            }
        }

        /** Counts what is noted of a node. */
        private void countNotes(final int node) {
            final int count = noted[node];
            if (count == 0) {
                return;
            }
            final Region notes = single;
            final long at = Region.offset(node, NODE_BYTES);
            final int had = spread(node);
            final int[] reasons = table;
            final long[] gained = fresh;
            int some = 0;
            int now = active[node];
            int most = maxActive[node];
            for (int k = 0; k < count; k++) {
                final int note = notes.getInt(at + Region.offset(k, Integer.BYTES));
                final int lost = note >> Integer.SIZE - 1;
                final int number = note ^ lost;
                final int before = reasons[number];
                final int after = before + 1 + 2 * lost;
                assert after >= 0 : "not active: node=" + node;
                reasons[number] = after;
                // The other number of the pair means no bucket, and has no reasons.
                gained[some] = number;
                some += isZero(before);
                now += isZero(before) - isZero(after);
                most = Math.max(most, now);
            }
            active[node] = now;
            maxActive[node] = most;
            store(node, collect(had, some));
            notesHeld -= count;
            noted[node] = 0;
        }

        /** Puts what is counted of a node into the table; returns how many entries. */
        private int spread(final int node) {
            final int held = length[node];
            final int[] reasons = table;
            final long[] from = entry;
            entries.getLongs((long) node * capacity * Long.BYTES, from, 0, held);
            for (int k = 0; k < held; k++) {
                reasons[(int) (from[k] >>> Integer.SIZE)] = (int) from[k];
            }
            return held;
        }

        /**
         * Counts the rows of a node, and lists the pairs gained in which a bucket becomes active.
         *
         * @return number of pairs.
         */
        private int countRows(final int node, final long first, final int slots) {
            final Region memory = log;
            final int lost = lostAt;
            final int next = rowBytes;
            final int[] reasons = table;
            final long[] pairs = fresh;
            int count = 0;
            int now = active[node];
            int most = maxActive[node];
            Arrays.fill(reasons, 0, NONES, FOR_EVER);
            for (int k = 0; k < slots; k++) {
                final long at = first + (long) k * next;
                final long gained = memory.getLong(at);
                final long less = memory.getLong(at + lost);
                final int spentNew = isZero(reasons[(int) gained]++);
                final int joinedNew = isZero(reasons[(int) (gained >>> Integer.SIZE)]++);
                pairs[count] = gained;
                count += spentNew | joinedNew;
                now += spentNew + joinedNew;
                most = Math.max(most, now);
                now -= isZero(--reasons[(int) less]);
                now -= isZero(--reasons[(int) (less >>> Integer.SIZE)]);
                assert reasons[(int) less] >= 0 && reasons[(int) (less >>> Integer.SIZE)] >= 0 : "not active: node="
                    + node;
            }
            Arrays.fill(reasons, 0, NONES, 0);
            active[node] = now;
            maxActive[node] = most;
            return count;
        }

        /** Collects non-zero cells of the table into entries and clears them; returns the number of entries. */
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
            entry = Arrays.copyOf(entry, entry.length + capacity - before);
        }

        private static int isZero(final int reasons) {
            return reasons - 1 >>> Integer.SIZE - 1;
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

        /** The number of a bucket, dense over destination and sprays; a negative bucket has the number for none. */
        private static int number(final int bucket, final int spraysShift, final int forNone) {
            final int isNone = bucket >> Integer.SIZE - 1;
            return Route.number(bucket, spraysShift) + NONES & ~isNone | forNone & isNone;
        }
    }
}
