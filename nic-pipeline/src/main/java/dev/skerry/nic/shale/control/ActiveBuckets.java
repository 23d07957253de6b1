package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.CongestionControl.Requests;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * How many buckets are active at every node, and the most that ever were: a bucket is active while a cell waits for it
 * or a token of it is outstanding on any link, each of them a reason (docs/spec/shale.md §9.4). What nodes gain and
 * lose is logged, and counted when the log is full: in a table of all buckets where that stays in the near caches, else
 * by {@link Notes}. One bank, one thread.
 *
 * <pre>
 *   log:  +--------------+--------------+--
 *         | number, node | number, node | ..         of the bucket; its complement where the reason was lost
 *         +--------------+--------------+--
 * </pre>
 */
final class ActiveBuckets {
    /** Most counts of a table: with more, its lines leave the nearer caches. */
    private static final int TABLE_COUNTS = 1 << 15;
    /** Entries of the log for each node: a node gains and loses up to four reasons in a slot, most often two. */
    private static final int LOGGED = 16;

    /** What is logged, and how much; one entry more absorbs the last branchless write. */
    private final Region log;
    private final int most;
    private int logged;
    /** Reasons by node, then number of the bucket; null where there are notes. */
    private final int[] reasons;
    private final Notes notes;
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
        this.most = nodes * LOGGED;
        this.log = Region.allocate(arena, Region.offset(most + 1, Long.BYTES));
        final boolean isSmall = (long) numbers * nodes <= tableCounts;
        this.reasons = isSmall ? new int[nodes * numbers] : null;
        this.notes = isSmall ? null : new Notes(arena, nodes);
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
    }

    /** Off-heap memory of a bank in bytes at most, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return Region.offset(nodes * LOGGED + 1, Long.BYTES) + Notes.bytes(shale, nodes);
    }

    /** Cells joined queues: a reason each, except before a last hop. */
    void add(final CellBatch joined) {
        final Region into = log;
        final int shift = spraysShift;
        final int count = joined.count();
        final int[] node = joined.node();
        final long[] word = joined.word();
        int at = begin(count);
        for (int k = 0; k < count; k++) {
            into.setLong(Region.offset(at, Long.BYTES), entry(node[k], Route.number(Route.bucket(word[k]), shift)));
            at += Branchless.ifPositive(Route.tokens(word[k]));
        }
        logged = at;
    }

    /**
     * Nodes spent tokens: a reason for each token that a cell took which starts there.
     *
     * @param first the node that the others are counted from; columns are by node.
     * @param which the nodes, {@code some} of them.
     * @param keys  the bucket of each plus 1.
     * @param asks  whose cells start there, and whose are paid for.
     */
    void add(final int first, final int[] which, final int some, final int[] keys, final Requests asks) {
        final Region into = log;
        final int shift = spraysShift;
        final int[] paid = asks.paid();
        final int[] local = asks.local();
        int at = begin(some);
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            into.setLong(Region.offset(at, Long.BYTES), entry(first + i, Route.number(keys[i] - 1, shift)));
            at += paid[i] & local[i];
        }
        logged = at;
    }

    /**
     * A token came back to each of some nodes: a reason less.
     *
     * @param first   the node that the others are counted from.
     * @param which   the nodes, {@code some} of them.
     * @param buckets the bucket of the token, by node; -1: none after all.
     */
    void remove(final int first, final int[] which, final int some, final int[] buckets) {
        final Region into = log;
        final int shift = spraysShift;
        int at = begin(some);
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            into.setLong(Region.offset(at, Long.BYTES), entry(first + i, ~Route.number(buckets[i], shift)));
            at += ~buckets[i] >>> Integer.SIZE - 1;
        }
        logged = at;
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        log.setLong(Region.offset(begin(1), Long.BYTES), entry(node, Route.number(bucket, spraysShift)));
        logged++;
    }

    /** One reason less. */
    void remove(final int node, final int bucket) {
        log.setLong(Region.offset(begin(1), Long.BYTES), entry(node, ~Route.number(bucket, spraysShift)));
        logged++;
    }

    /** Where the log goes on, with room for some entries. */
    private int begin(final int some) {
        if (logged + some > most) {
            handOut();
        }
        return logged;
    }

    private static long entry(final int node, final int change) {
        return (long) node << Integer.SIZE | change & 0xFFFF_FFFFL;
    }

    /** Counts what is logged, or notes it for its nodes. */
    private void handOut() {
        final int count = logged;
        logged = 0;
        if (notes == null) {
            count(log, count);
        } else {
            notes.take(log, count);
        }
    }

    private void count(final Region from, final int count) {
        final int[] reasonsOf = reasons;
        for (int k = 0; k < count; k++) {
            final long entry = from.getLong(Region.offset(k, Long.BYTES));
            final int node = (int) (entry >>> Integer.SIZE);
            final int lost = (int) entry >> Integer.SIZE - 1;
            final int at = node * numbers + ((int) entry ^ lost);
            final int before = reasonsOf[at];
            final int after = before + 1 + 2 * lost;
            assert after >= 0 : "not active: node=" + node;
            reasonsOf[at] = after;
            active[node] += Branchless.ifZero(before) - Branchless.ifZero(after);
            maxActive[node] = Math.max(maxActive[node], active[node]);
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

    private void settle(final int node) {
        handOut();
        if (notes != null) {
            notes.count(node);
        }
    }

    /**
     * What is logged, by node, where nodes have many buckets: a table of each would lie in far cache lines. To count,
     * the entries of a node are spread over one table, its notes are counted there, and non-zero cells of the table
     * become its entries again.
     *
     * <pre>
     *   notes:   of a node                                  entries: of a node
     *            +--------+--------+--                      +-----------------+-----------------+--
     *            | number | number | ..                     | number, reasons | number, reasons | ..
     *            +--------+--------+--                      +-----------------+-----------------+--
     * </pre>
     *
     * One bank, one thread.
     */
    private final class Notes {
        /** Notes of a node. */
        private static final int NOTES = 512;
        private static final int NOTE_BYTES = NOTES * Integer.BYTES;
        private static final int FIRST_ENTRIES = 64;

        private final Arena arena;
        private final int nodes;
        /** Notes of each node, and how many. */
        private final Region notes;
        private final int[] noted;
        /** Entries of each node, and how many. */
        private Region entries;
        private final int[] length;
        private int capacity = FIRST_ENTRIES;
        /** Entries of the node being counted, and buckets that became active in its notes. */
        private long[] entry;
        private final int[] fresh = new int[NOTES];
        /** Of the node being counted: reasons by number of the bucket, else all 0. */
        private final int[] table = new int[numbers];

        /** Nothing active at the nodes of a bank. */
        Notes(final Arena arena, final int nodes) {
            this.arena = arena;
            this.nodes = nodes;
            this.notes = Region.allocate(arena, (long) nodes * NOTE_BYTES);
            this.noted = new int[nodes];
            this.length = new int[nodes];
            this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
            this.entry = new long[capacity + NOTES + 1];
        }

        /** Memory of a bank in bytes, growth not counted. */
        static long bytes(final Shale shale, final int nodes) {
            return (long) nodes * (FIRST_ENTRIES * Long.BYTES + NOTE_BYTES)
                + (long) shale.bucketNumbers() * Integer.BYTES;
        }

        /** Notes what is logged. */
        void take(final Region from, final int logged) {
            final Region into = notes;
            final int[] held = noted;
            for (int k = 0; k < logged; k++) {
                final long entry = from.getLong(Region.offset(k, Long.BYTES));
                final int node = (int) (entry >>> Integer.SIZE);
                final int at = held[node]++;
                into.setInt(Region.offset(node, NOTE_BYTES) + Region.offset(at, Integer.BYTES), (int) entry);
                if (at + 1 == NOTES) {
                    countMost();
                }
            }
        }

        /**
         * Counts the nodes that have about as much noted as the one that is full: the table stays in the near caches
         * for all of them, and would not until the next one is full.
         */
        private void countMost() {
            for (int node = 0; node < nodes; node++) {
                if (noted[node] >= NOTES / 2) {
                    count(node);
                }
            }
        }

        /** Counts what is noted of a node. */
        void count(final int node) {
            final int count = noted[node];
            if (count == 0) {
                return;
            }
            final Region memory = notes;
            final long first = Region.offset(node, NOTE_BYTES);
            final int had = spread(node);
            final int[] reasonsOf = table;
            final int[] gained = fresh;
            int some = 0;
            int now = active[node];
            int max = maxActive[node];
            for (int k = 0; k < count; k++) {
                final int note = memory.getInt(first + Region.offset(k, Integer.BYTES));
                final int lost = note >> Integer.SIZE - 1;
                final int number = note ^ lost;
                final int before = reasonsOf[number];
                final int after = before + 1 + 2 * lost;
                assert after >= 0 : "not active: node=" + node;
                reasonsOf[number] = after;
                gained[some] = number;
                some += Branchless.ifZero(before);
                now += Branchless.ifZero(before) - Branchless.ifZero(after);
                max = Math.max(max, now);
            }
            active[node] = now;
            maxActive[node] = max;
            noted[node] = 0;
            store(node, collect(had, some));
        }

        /** Puts what is counted of a node into the table; returns how many entries. */
        private int spread(final int node) {
            final int held = length[node];
            final int[] reasonsOf = table;
            final long[] from = entry;
            entries.getLongs((long) node * capacity * Long.BYTES, from, 0, held);
            for (int k = 0; k < held; k++) {
                reasonsOf[(int) (from[k] >>> Integer.SIZE)] = (int) from[k];
            }
            return held;
        }

        /** Collects non-zero cells of the table into entries and clears them; returns the number of entries. */
        private int collect(final int old, final int more) {
            final int[] reasonsOf = table;
            final long[] of = entry;
            int held = 0;
            for (int k = 0; k < old + more; k++) {
                final int number = k < old ? (int) (of[k] >>> Integer.SIZE) : fresh[k - old];
                of[held] = (long) number << Integer.SIZE | reasonsOf[number];
                held += Branchless.ifPositive(reasonsOf[number]);
                reasonsOf[number] = 0;
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
    }
}
