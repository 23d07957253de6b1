package dev.skerry.tools.live;

import dev.skerry.dataplane.random.CounterRandom;

import java.util.Arrays;

/**
 * Which node a MAC address is at, as seen last: a table of {@link #SETS} sets of 8 entries. An address may stand in the
 * 8 places of its set; a new one takes a free place, or that of the one not seen for longest. So it takes no room that
 * it was not given, and who floods it with addresses only makes others be looked for again. One thread; allocates
 * nothing.
 */
final class MacTable {
    /** Unknown. */
    static final int UNKNOWN = -1;
    /** Sets. */
    static final int SETS = 1 << 10;

    private static final int WAYS = 8;
    private static final long EMPTY = -1;
    /** Seen when: always. */
    private static final long FIXED = Long.MAX_VALUE;
    private static final long GROUP_BIT = 1L << 40;

    private final long ageNs;
    private final long startNs;
    private final long[] address = new long[SETS * WAYS];
    private final int[] node = new int[SETS * WAYS];
    private final long[] seen = new long[SETS * WAYS];

    /**
     * An empty table.
     *
     * @param ageNs   how long an address is known after it was seen.
     * @param startNs a time not after any other.
     */
    MacTable(final long ageNs, final long startNs) {
        this.ageNs = ageNs;
        this.startNs = startNs;
        Arrays.fill(address, EMPTY);
    }

    /** Whether an address is that of a group, or of all. */
    static boolean isGroup(final long mac) {
        return (mac & GROUP_BIT) != 0;
    }

    /** Where an address is, or {@link #UNKNOWN}. */
    int find(final long mac, final long nowNs) {
        final int set = set(mac);
        for (int at = set; at < set + WAYS; at++) {
            if (address[at] == mac) {
                return seen[at] == FIXED || nowNs - startNs - seen[at] <= ageNs ? node[at] : UNKNOWN;
            }
        }
        return UNKNOWN;
    }

    /** An address has been seen at a node; one that was put in does not move. */
    void see(final long mac, final int at, final long nowNs) {
        final int place = place(mac);
        if (address[place] != mac || seen[place] != FIXED) {
            write(place, mac, at, nowNs - startNs);
        }
    }

    /** Puts an address in that stays; false if its set is full of such. */
    boolean fix(final long mac, final int at) {
        final int place = place(mac);
        if (address[place] != mac && seen[place] == FIXED) {
            return false;
        }
        write(place, mac, at, FIXED);
        return true;
    }

    private void write(final int place, final long mac, final int at, final long when) {
        address[place] = mac;
        node[place] = at;
        seen[place] = when;
    }

    /** The place of an address, or else the one that it takes. */
    private int place(final long mac) {
        final int set = set(mac);
        int oldest = set;
        for (int at = set; at < set + WAYS; at++) {
            if (address[at] == mac || address[at] == EMPTY) {
                return at;
            }
            oldest = seen[at] < seen[oldest] ? at : oldest;
        }
        return oldest;
    }

    private static int set(final long mac) {
        return ((int) CounterRandom.mix(mac) & SETS - 1) * WAYS;
    }
}
