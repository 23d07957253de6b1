package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Counts the active buckets of every node of a bank and keeps the maximum. A bucket is active while a cell waits for it
 * or a token of it is outstanding on any link; each such cell or token is one reason (docs/spec/shale.md §9.4).
 *
 * <p>A count for every bucket of every node would not fit the near caches, so changes are only noted. To count a node,
 * its entries are copied into a table that all nodes share, its notes are applied there, and the non-zero counts are
 * written back as entries.
 *
 * <pre>
 *   notes of a node                        entries of a node
 *   +--------+--------+--                  +-----------------+-----------------+--
 *   | number | number | ..                 | number, reasons | number, reasons | ..
 *   +--------+--------+--                  +-----------------+-----------------+--
 *   of the bucket; its complement if the reason was lost
 * </pre>
 *
 * <p>One bank, one thread.
 */
final class ActiveBuckets {
    /**
     * Capacity for notes of a node. A list of nodes adds at most one note to each. Every {@code NOTES / 2} lists, nodes
     * with at least that many notes are counted, so none exceeds the capacity.
     */
    private static final int NOTES = 512;
    /**
     * Distance in bytes between the notes of two nodes. With a power of two, all nodes would share a few sets of the
     * caches, hence the extra line.
     */
    private static final int NOTE_BYTES = NOTES * Integer.BYTES + 64;
    private static final int FIRST_ENTRIES = 64;

    private final Arena arena;
    private final int nodes;
    private final int spraysShift;
    /** Notes of each node, and their number. A branchless write may also touch the place after the last note. */
    private final Region notes;
    private final int[] noted;
    /** Lists since all nodes were last checked. */
    private int lists;
    /** Entries of each node, and their number. */
    private Region entries;
    private final int[] length;
    private int capacity = FIRST_ENTRIES;
    /** Entries of the node being counted, and buckets that became active in its notes. */
    private long[] entry;
    private final int[] fresh = new int[NOTES];
    /** Reasons of the node being counted, by number of the bucket; all 0 between two counts. */
    private final int[] table;
    /** Active buckets and their maximum, by node. */
    private final int[] active;
    private final int[] maxActive;

    /** Creates the counts of a bank, all zero. */
    ActiveBuckets(final Arena arena, final Shale shale, final int nodes) {
        this.arena = arena;
        this.nodes = nodes;
        this.spraysShift = Route.sprayBits(shale.schedule().phases());
        this.notes = Region.allocate(arena, Region.offset(nodes, NOTE_BYTES));
        this.noted = new int[nodes];
        this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
        this.length = new int[nodes];
        this.entry = new long[capacity + NOTES + 1];
        this.table = new int[shale.bucketNumbers()];
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
    }

    /** Returns the off-heap memory of a bank and the shared table, in bytes, without growth. */
    static long bytes(final Shale shale, final int nodes) {
        return (long) nodes * (FIRST_ENTRIES * Long.BYTES + NOTE_BYTES) + (long) shale.bucketNumbers() * Integer.BYTES;
    }

    /** Adds one reason for each cell that joined a queue, except before a last hop. */
    void add(final CellBatch joined) {
        beginList();
        final int shift = spraysShift;
        final int count = joined.count();
        final int[] node = joined.node();
        final long[] word = joined.word();
        for (int k = 0; k < count; k++) {
            note(node[k], Route.number(Route.bucket(word[k]), shift), Route.tokens(word[k]));
        }
    }

    /**
     * Adds one reason for each token that a node spent on a cell of its own.
     *
     * @param first the node from which the others are counted; columns are by node.
     * @param which the nodes that asked for a token for such a cell.
     * @param some  the number of nodes.
     * @param keys  the bucket of each plus 1.
     * @param paid  1 where the token was spent, else 0.
     */
    void add(final int first, final int[] which, final int some, final int[] keys, final int[] paid) {
        beginList();
        final int shift = spraysShift;
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            note(first + i, Route.number(keys[i] - 1, shift), paid[i]);
        }
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
        beginList();
        final int shift = spraysShift;
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            note(first + i, ~Route.number(buckets[i], shift), ~buckets[i] >>> Integer.SIZE - 1);
        }
    }

    /** Adds one reason for a bucket of a node. */
    void add(final int node, final int bucket) {
        begin(node);
        note(node, Route.number(bucket, spraysShift), 1);
    }

    /** Removes one reason for a bucket of a node. */
    void remove(final int node, final int bucket) {
        begin(node);
        note(node, ~Route.number(bucket, spraysShift), 1);
    }

    /** Writes a note of a node; it counts if {@code one} is 1, and is overwritten if 0. */
    private void note(final int node, final int change, final int one) {
        final int at = noted[node];
        notes.setInt(Region.offset(node, NOTE_BYTES) + Region.offset(at, Integer.BYTES), change);
        noted[node] = at + one;
    }

    /**
     * Makes room for a list of nodes. Nodes that are half full are counted together, so the table stays in the near
     * caches.
     */
    private void beginList() {
        if (++lists == NOTES / 2) {
            lists = 0;
            for (int node = 0; node < nodes; node++) {
                begin(node);
            }
        }
    }

    /** Makes room for a note of a node. */
    private void begin(final int node) {
        if (noted[node] >= NOTES / 2) {
            count(node);
        }
    }

    /** Returns the number of active buckets of a node. */
    int active(final int node) {
        count(node);
        return active[node];
    }

    /** Returns the maximum number of active buckets that a node has had. */
    int maxActive(final int node) {
        count(node);
        return maxActive[node];
    }

    /** Counts the notes of a node. */
    private void count(final int node) {
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
