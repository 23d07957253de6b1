package dev.skerry.nic.shale;

import dev.skerry.schedule.Coordinates;

import java.util.Arrays;

/**
 * Direct paths that are lost: links that a cell to a destination must avoid, because the direct path behind them enters
 * a node over a failed hop (docs/spec/shale.md §8.2).
 *
 * <p>A direct path corrects one digit after the other, from the phase after that of its link on. So it enters a node if
 * the destination has the node's digits in all phases up to the last one in which the node differs from the end of the
 * link. Those are some lanes of {@link Coordinates#digits}, the same for all links of a phase. Hence there is a table
 * for each last phase, and the digits of a destination are the key to the links behind which its path is lost.
 *
 * <pre>
 *   tables of 64 links of a node in a phase, one for each last phase: pairs of
 *     digits in those lanes + 1, 0: free | links, a bit each
 * </pre>
 *
 * Keys whose links are all mended stay until the table is full. One thread at a time.
 */
final class LostPaths {
    private static final int PAIR = 2;
    private static final int FIRST_PAIRS = 4;
    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    private static final long[] NONE = {};

    private final Coordinates coordinates;
    private final int phases;
    /** By phase and last phase: the lanes of the phases after the first up to the last. */
    private final long[] lanes;
    private final long[][] tables;
    /** Of each table: pairs in use, and a bit for the hash of each key, since most look-ups find nothing. */
    private final int[] used;
    private final long[] filters;

    /**
     * Nothing lost.
     *
     * @param words of 64 links of a node in a phase.
     */
    LostPaths(final Coordinates coordinates, final int words) {
        this.coordinates = coordinates;
        this.phases = coordinates.phases();
        this.lanes = new long[phases * phases];
        for (int phase = 0; phase < phases; phase++) {
            long all = 0;
            for (int turn = 1; turn <= phases; turn++) {
                final int last = (phase + turn) % phases;
                all |= coordinates.lane(last);
                lanes[phase * phases + last] = all;
            }
        }
        this.tables = new long[words * phases][];
        Arrays.fill(tables, NONE);
        this.used = new int[tables.length];
        this.filters = new long[tables.length];
    }

    /**
     * Paths behind a link are lost.
     *
     * @param word  the word of the link.
     * @param phase of the link.
     * @param link  its number in the phase; the bit is that modulo 64.
     * @param peer  the node at its other end.
     * @param node  which they enter over a hop that has failed; not the peer.
     */
    void lose(final int word, final int phase, final int link, final int peer, final int node) {
        final int last = coordinates.lastDifference(peer, node, phase);
        add(word * phases + last, key(phase, last, coordinates.digits(node)), 1L << link);
    }

    /** Paths behind a link that were lost are there again; parameters as in {@link #lose}. */
    void regain(final int word, final int phase, final int link, final int peer, final int node) {
        final int last = coordinates.lastDifference(peer, node, phase);
        final long[] table = tables[word * phases + last];
        table[find(table, key(phase, last, coordinates.digits(node))) + 1] &= ~(1L << link);
    }

    /** Forgets what is lost behind a link. */
    void clear(final int word, final int link) {
        for (int last = 0; last < phases; last++) {
            final long[] table = tables[word * phases + last];
            for (int at = 0; at < table.length; at += PAIR) {
                table[at + 1] &= ~(1L << link);
            }
        }
    }

    /** The links of a word behind which the path to a destination is lost, a bit each. */
    long to(final int word, final int phase, final int destination) {
        final long digits = coordinates.digits(destination);
        long lost = 0;
        for (int last = 0; last < phases; last++) {
            final int table = word * phases + last;
            final long key = key(phase, last, digits);
            if ((filters[table] >>> hash(key) & 1) != 0) {
                lost |= tables[table][find(tables[table], key) + 1];
            }
        }
        return lost;
    }

    private long key(final int phase, final int last, final long digits) {
        return (digits & lanes[phase * phases + last]) + 1;
    }

    private void add(final int table, final long key, final long links) {
        if (used[table] * PAIR * 2 >= tables[table].length) {
            makeRoom(table);
        }
        final long[] pairs = tables[table];
        final int at = find(pairs, key);
        used[table] += pairs[at] == 0 ? 1 : 0;
        filters[table] |= 1L << hash(key);
        pairs[at] = key;
        pairs[at + 1] |= links;
    }

    /** Removes mended pairs; grows the table if few were. */
    private void makeRoom(final int table) {
        final long[] old = tables[table];
        int lost = 0;
        for (int at = 0; at < old.length; at += PAIR) {
            lost += old[at + 1] != 0 ? 1 : 0;
        }
        final int length = lost * PAIR * 3 > old.length ? 2 * old.length : old.length;
        tables[table] = new long[Math.max(FIRST_PAIRS * PAIR, length)];
        used[table] = 0;
        filters[table] = 0;
        for (int at = 0; at < old.length; at += PAIR) {
            if (old[at + 1] != 0) {
                add(table, old[at], old[at + 1]);
            }
        }
    }

    /** The place of a key in a table, or the free place for it. */
    private static int find(final long[] table, final long key) {
        final int mask = table.length - 1;
        int at = hash(key) * PAIR & mask;
        while (table[at] != key && table[at] != 0) {
            at = at + PAIR & mask;
        }
        return at;
    }

    /** The low bits are the place in a table, the low six the bit of a filter. */
    private static int hash(final long key) {
        return (int) (key * SPREAD >>> Integer.SIZE);
    }
}
