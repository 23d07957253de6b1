package dev.skerry.tools.live;

import dev.skerry.dataplane.random.CounterRandom;

import java.util.Arrays;

/**
 * Maps a MAC address to the port, by its number, that last sent from it. The table is set-associative: {@link #SETS}
 * sets of 8 entries. A new address takes a free entry of its set, or else replaces the one seen least recently. Memory
 * is bounded: a flood of addresses only evicts other addresses, which are then flooded and learned again. One thread;
 * allocates nothing.
 */
final class MacTable {
    /** Result for an unknown address. */
    static final int UNKNOWN = Integer.MIN_VALUE;
    static final int SETS = 1 << 10;

    private static final int WAYS = 8;
    private static final long EMPTY = -1;
    /** Time stamp of an entry that never expires. */
    private static final long FIXED = Long.MAX_VALUE;
    private static final long GROUP_BIT = 1L << 40;

    private final long ageNs;
    private final long startNs;
    private final long[] address = new long[SETS * WAYS];
    private final int[] port = new int[SETS * WAYS];
    private final long[] seen = new long[SETS * WAYS];

    /**
     * Creates an empty table.
     *
     * @param ageNs   time in ns after which an address expires.
     * @param startNs lower bound of all later times, in ns.
     */
    MacTable(final long ageNs, final long startNs) {
        this.ageNs = ageNs;
        this.startNs = startNs;
        Arrays.fill(address, EMPTY);
        Arrays.fill(seen, Long.MIN_VALUE);
    }

    /** Whether an address is a multicast or broadcast address. */
    static boolean isGroup(final long mac) {
        return (mac & GROUP_BIT) != 0;
    }

    /** Port of an address, or {@link #UNKNOWN}. */
    int find(final long mac, final long nowNs) {
        final int set = set(mac);
        for (int at = set; at < set + WAYS; at++) {
            if (address[at] == mac) {
                return seen[at] == FIXED || nowNs - startNs - seen[at] <= ageNs ? port[at] : UNKNOWN;
            }
        }
        return UNKNOWN;
    }

    /** Learns that an address is at a port. Does not move a fixed address. */
    void see(final long mac, final int at, final long nowNs) {
        final int place = place(mac);
        if (address[place] != mac || seen[place] != FIXED) {
            write(place, mac, at, nowNs - startNs);
        }
    }

    /** Adds an address that neither moves nor expires. Returns false if fixed addresses fill its set. */
    boolean fix(final long mac, final int at) {
        final int place = place(mac);
        if (address[place] != mac && seen[place] == FIXED) {
            return false;
        }
        write(place, mac, at, FIXED);
        return true;
    }

    /** Forgets an address, fixed or learned. */
    void forget(final long mac) {
        final int place = place(mac);
        if (address[place] == mac) {
            clear(place);
        }
    }

    /** Forgets the addresses that were learned to be at a port. */
    void forgetPort(final int at) {
        for (int place = 0; place < address.length; place++) {
            if (port[place] == at && seen[place] != FIXED) {
                clear(place);
            }
        }
    }

    private void clear(final int place) {
        address[place] = EMPTY;
        seen[place] = Long.MIN_VALUE;
    }

    private void write(final int place, final long mac, final int at, final long when) {
        address[place] = mac;
        port[place] = at;
        seen[place] = when;
    }

    /** Entry of an address, or the entry to replace. */
    private int place(final long mac) {
        final int set = set(mac);
        int oldest = set;
        for (int at = set; at < set + WAYS; at++) {
            if (address[at] == mac) {
                return at;
            }
            // An empty one has never been seen.
            oldest = seen[at] < seen[oldest] ? at : oldest;
        }
        return oldest;
    }

    private static int set(final long mac) {
        return ((int) CounterRandom.mix(mac) & SETS - 1) * WAYS;
    }
}
