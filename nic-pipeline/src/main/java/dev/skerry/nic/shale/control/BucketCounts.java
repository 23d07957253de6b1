package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.shale.Route;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Counts the active buckets of every node, and the most that ever were active. Many slots are counted at once: the
 * entries of a node are spread over a table, the notes of the slots are counted there, and non-zero cells of the table
 * become its entries again.
 *
 * <pre>
 *   entries: of a node                                  table: of the node at hand
 *            +-----------------+-----------------+--      +---------+---------+--
 *            | number, reasons | number, reasons | ..     | reasons | reasons | ..    by number, else all 0
 *            +-----------------+-----------------+--      +---------+---------+--
 * </pre>
 *
 * Numbers below {@link #NONES} mean no bucket. Counting them like any other takes no branch. One bank, one thread.
 */
final class BucketCounts {
    /** Numbers below it mean no bucket; numbers of buckets follow. */
    static final int NONES = 4;

    static final int FIRST_ENTRIES = 64;
    /** Sentinel count that never reaches 0 or 1. */
    private static final int FOR_EVER = 1 << 30;

    private final Arena arena;
    private final int nodes;
    private final int[] active;
    private final int[] maxActive;
    /** Entries of each node. */
    private final int[] length;
    private Region entries;
    private int capacity = FIRST_ENTRIES;
    /** Entries of the node being counted, and pairs of notes in which a bucket became active. */
    private long[] entry;
    private final long[] fresh;
    private final int[] table;

    /**
     * Nothing active.
     *
     * @param nodes   of the bank.
     * @param numbers of buckets.
     * @param slots   most that are counted at once.
     */
    BucketCounts(final Arena arena, final int nodes, final int numbers, final int slots) {
        this.arena = arena;
        this.nodes = nodes;
        this.active = new int[nodes];
        this.maxActive = new int[nodes];
        this.length = new int[nodes];
        this.entries = Region.allocate(arena, (long) nodes * capacity * Long.BYTES);
        this.entry = new long[capacity + 2 * slots + 1];
        this.fresh = new long[slots + 1];
        this.table = new int[numbers + NONES];
    }

    /** Memory of a bank in bytes, without growth. */
    static long bytes(final int nodes, final int numbers) {
        return (long) nodes * FIRST_ENTRIES * Long.BYTES + (long) numbers * Integer.BYTES;
    }

    /** The number of a bucket, dense over destination and sprays; a negative bucket has the number for none. */
    static int number(final int bucket, final int spraysShift, final int forNone) {
        final int isNone = bucket >> Integer.SIZE - 1;
        final int number = bucket >> Route.DESTINATION_SHIFT << spraysShift | bucket & Route.MAX_SPRAYS;
        return number + NONES & ~isNone | forNone & isNone;
    }

    /** Buckets active at a node. */
    int active(final int node) {
        return active[node];
    }

    /** Most buckets ever active at a node. */
    int maxActive(final int node) {
        return maxActive[node];
    }

    /**
     * Counts what happened at a node.
     *
     * @param notes the log: two numbers of buckets that gained a reason in a slot, then two that lost one.
     * @param at    of the first slot's numbers gained.
     * @param lost  bytes from there to the same slot's numbers lost.
     * @param next  bytes from there to the next slot's.
     * @param slots number of slots.
     */
    void count(final int node, final Region notes, final long at, final int lost, final int next, final int slots) {
        final int held = spread(node);
        final int pairs = countSpread(node, notes, at, lost, next, slots);
        store(node, collect(held, pairs));
    }

    /**
     * Counts what {@link NodeNotes} have of a node.
     *
     * @param at    of its first note.
     * @param count number of notes, at most as many as slots are counted at once.
     */
    void count(final int node, final Region notes, final long at, final int count) {
        final int held = spread(node);
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
        store(node, collect(held, some));
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
     * Counts the notes of a node, and lists the pairs gained in which a bucket becomes active.
     *
     * @return number of pairs.
     */
    private int countSpread(final int node, final Region notes, final long first, final int lostAt, final int next,
        final int slots) {
        final Region memory = notes;
        final int[] reasons = table;
        final long[] pairs = fresh;
        int count = 0;
        int now = active[node];
        int most = maxActive[node];
        Arrays.fill(reasons, 0, NONES, FOR_EVER);
        for (int k = 0; k < slots; k++) {
            final long at = first + (long) k * next;
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
}
