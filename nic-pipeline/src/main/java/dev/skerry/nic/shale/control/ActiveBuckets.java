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
 * Counts the active buckets of every node of a bank and keeps the maximum. A bucket is active while a cell waits for it
 * or a token of it is outstanding on any link; each such cell or token is one reason (docs/spec/shale.md §9.4). Changes
 * are appended to a log, which is counted when it is full: in a table of all buckets if that table fits into the near
 * caches, else by {@link Notes}. One bank, one thread.
 *
 * <pre>
 *   log:  +--------------+--------------+--
 *         | number, node | number, node | ..         number of the bucket; its complement if the reason was lost
 *         +--------------+--------------+--
 * </pre>
 */
final class ActiveBuckets {
    /** Largest number of counts in a table; the lines of a larger table leave the near caches. */
    private static final int TABLE_COUNTS = 1 << 15;
    /** Entries of the log for each node: a node gains and loses up to four reasons in a slot, most often two. */
    private static final int LOGGED = 16;

    /** The log, its capacity and its length in entries; one extra entry absorbs the last branchless write. */
    private final Region log;
    private final int most;
    private int logged;
    /** Reasons by node, then by number of the bucket; null if {@link Notes} count. */
    private final int[] reasons;
    private final Notes notes;
    /** Active buckets and their maximum, by node. */
    private final int[] active;
    private final int[] maxActive;
    private final int spraysShift;
    private final int numbers;

    /** Creates the counts of a bank, all zero. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this(arena, shale, nodes, TABLE_COUNTS);
    }

    /** Creates counts with a table of at most the given number of entries, for tests. */
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

    /** Returns the largest size in bytes of the off-heap memory of a bank, without growth. */
    static long bytes(final Shale shale, final int nodes) {
        return Region.offset(nodes * LOGGED + 1, Long.BYTES) + Notes.bytes(shale, nodes);
    }

    /** Adds one reason for each cell that joined a queue, except before a last hop. */
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
     * Adds one reason for each token that a node spent on a cell of its own.
     *
     * @param first the node from which the others are counted; columns are by node.
     * @param which the nodes.
     * @param some  the number of nodes.
     * @param keys  the bucket of each plus 1.
     * @param asks  tells whose cells start there, and whose are paid for.
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
     * Removes one reason at each node to which a token came back.
     *
     * @param first   the node from which the others are counted.
     * @param which   the nodes.
     * @param some    the number of nodes.
     * @param buckets the bucket of the token, by node; -1 if there is none.
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

    /** Adds one reason for a bucket of a node. */
    void add(final int node, final int bucket) {
        log.setLong(Region.offset(begin(1), Long.BYTES), entry(node, Route.number(bucket, spraysShift)));
        logged++;
    }

    /** Removes one reason for a bucket of a node. */
    void remove(final int node, final int bucket) {
        log.setLong(Region.offset(begin(1), Long.BYTES), entry(node, ~Route.number(bucket, spraysShift)));
        logged++;
    }

    /** Returns the place of the next entry of the log, after room was made for some entries. */
    private int begin(final int some) {
        if (logged + some > most) {
            handOut();
        }
        return logged;
    }

    private static long entry(final int node, final int change) {
        return (long) node << Integer.SIZE | change & 0xFFFF_FFFFL;
    }

    /** Counts the entries of the log, or passes them to the notes of their nodes, and empties the log. */
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

    /** Returns the number of active buckets of a node. */
    int active(final int node) {
        settle(node);
        return active[node];
    }

    /** Returns the maximum number of active buckets that a node has had. */
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
     * Counts where nodes have many buckets, so that a table for each node would lie in far cache lines. The log is
     * distributed to notes of each node. To count a node, its entries are spread over one common table, its notes are
     * counted there, and the non-zero counts become the entries of the node again.
     *
     * <pre>
     *   notes:   of a node                                  entries: of a node
     *            +--------+--------+--                      +-----------------+-----------------+--
     *            | number | number | ..                     | number, reasons | number, reasons | ..
     *            +--------+--------+--                      +-----------------+-----------------+--
     * </pre>
     *
     * <p>One bank, one thread.
     */
    private final class Notes {
        /** Capacity for notes of a node. */
        private static final int NOTES = 512;
        /** Distance of two nodes' notes: a line more than the notes, else all would share few sets of the caches. */
        private static final int NOTE_BYTES = NOTES * Integer.BYTES + 64;
        private static final int FIRST_ENTRIES = 64;

        private final Arena arena;
        private final int nodes;
        /** Notes of each node, and their number. */
        private final Region notes;
        private final int[] noted;
        /** Entries of each node, and their number. */
        private Region entries;
        private final int[] length;
        private int capacity = FIRST_ENTRIES;
        /** Entries of the node being counted, and buckets that became active in its notes. */
        private long[] entry;
        private final int[] fresh = new int[NOTES];
        /** Reasons of the node being counted, by number of the bucket; all 0 between two counts. */
        private final int[] table = new int[numbers];

        /** Creates empty notes and entries for the nodes of a bank. */
        Notes(final Arena arena, final int nodes) {
            this.arena = arena;
            this.nodes = nodes;
            this.notes = Region.allocate(arena, (long) nodes * NOTE_BYTES);
            this.noted = new int[nodes];
            this.length = new int[nodes];
            this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
            this.entry = new long[capacity + NOTES + 1];
        }

        /** Returns the memory of a bank in bytes, without growth. */
        static long bytes(final Shale shale, final int nodes) {
            return (long) nodes * (FIRST_ENTRIES * Long.BYTES + NOTE_BYTES)
                + (long) shale.bucketNumbers() * Integer.BYTES;
        }

        /** Distributes the entries of the log to the notes of their nodes. */
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
         * Counts every node whose notes are at least half full. The table stays in the near caches for all of them; it
         * would be evicted before the next node is full.
         */
        private void countMost() {
            for (int node = 0; node < nodes; node++) {
                if (noted[node] >= NOTES / 2) {
                    count(node);
                }
            }
        }

        /** Counts the notes of a node. */
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

        /** Copies the counts of a node into the table; returns the number of its entries. */
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

        /** Collects the non-zero counts of the table into entries and clears them; returns the number of entries. */
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
