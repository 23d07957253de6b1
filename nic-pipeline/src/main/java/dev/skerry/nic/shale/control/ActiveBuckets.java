package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
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
        this.log = isSmall ? null : new BucketLog(arena, nodes);
        this.reasons = isSmall ? new int[nodes * numbers] : null;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
    }

    /** Off-heap memory of a bank in bytes at most, growth not counted. */
    static long bytes(final Shale shale, final int nodes) {
        return BucketLog.bytes(shale, nodes);
    }

    /** Cells joined queues: a reason each, except before a last hop. */
    void add(final CellBatch joined) {
        final int[] node = joined.node();
        final long[] word = joined.word();
        for (int k = 0; k < joined.count(); k++) {
            add(node[k], Route.bucket(word[k]), Branchless.ifPositive(Route.tokens(word[k])));
        }
    }

    /** One more reason for a bucket of a node to be active. */
    void add(final int node, final int bucket) {
        add(node, bucket, 1);
    }

    /** As many reasons more, 1 or 0. */
    void add(final int node, final int bucket, final int more) {
        if (log != null) {
            log.note(node, Route.number(bucket, spraysShift), more);
        } else if (more != 0 && reasons[place(node, bucket)]++ == 0) {
            maxActive[node] = Math.max(maxActive[node], ++active[node]);
        }
    }

    /** One reason less; none for a bucket of -1. */
    void remove(final int node, final int bucket) {
        if (log != null) {
            log.note(node, ~Route.number(bucket, spraysShift), ~bucket >>> Integer.SIZE - 1);
        } else if (bucket >= 0) {
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
            log.count(node);
        }
    }

    private int place(final int node, final int bucket) {
        return node * numbers + Route.number(bucket, spraysShift);
    }

    /**
     * The reasons of {@link ActiveBuckets} where nodes have many buckets. In a slot every node gains and loses one or
     * two reasons, and its table would lie in far cache lines. So reasons are only noted, one after the other, and
     * counted when the notes of a node are full.
     *
     * <pre>
     *   notes: a cache line of each node, another of each node, ..; 4 bytes a reason
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
     * To count, the entries of a node are spread over the table, its notes are counted there, and non-zero cells of the
     * table become its entries again. One bank, one thread.
     */
    private final class BucketLog {
        /** Notes of a node, and of a cache line. */
        private static final int NOTES = 512;
        private static final int LINE = 16;
        private static final int NOTE_BYTES = NOTES * Integer.BYTES;
        private static final int FIRST_ENTRIES = 64;

        private final Arena arena;
        private final int nodes;
        /** Notes of each node, and how many. */
        private final Region notes;
        private final int[] noted;
        /** Entries of each node. */
        private final int[] length;
        private Region entries;
        private int capacity = FIRST_ENTRIES;
        /** Entries of the node being counted, and buckets that became active in its notes. */
        private long[] entry;
        private final int[] fresh = new int[NOTES];
        private final int[] table = new int[numbers];

        /** Nothing active at the nodes of a bank. */
        BucketLog(final Arena arena, final int nodes) {
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

        /** Writes the next note of a node, which stays if {@code some} is 1; if it is 0, the next overwrites it. */
        void note(final int node, final int note, final int some) {
            notes.setInt(at(node, noted[node]), note);
            noted[node] += some;
            if (noted[node] == NOTES) {
                countMost();
            }
        }

        /** Where a note is: those that nodes write in a slot lie side by side. */
        private long at(final int node, final int k) {
            return ((long) (k / LINE) * nodes + node) * LINE * Integer.BYTES + (long) (k % LINE) * Integer.BYTES;
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
            final int had = spread(node);
            final int[] reasonsOf = table;
            final int[] gained = fresh;
            int some = 0;
            int now = active[node];
            int most = maxActive[node];
            for (int k = 0; k < count; k++) {
                final int note = memory.getInt(at(node, k));
                final int lost = note >> Integer.SIZE - 1;
                final int number = note ^ lost;
                final int before = reasonsOf[number];
                final int after = before + 1 + 2 * lost;
                assert after >= 0 : "not active: node=" + node;
                reasonsOf[number] = after;
                gained[some] = number;
                some += Branchless.ifZero(before);
                now += Branchless.ifZero(before) - Branchless.ifZero(after);
                most = Math.max(most, now);
            }
            active[node] = now;
            maxActive[node] = most;
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
