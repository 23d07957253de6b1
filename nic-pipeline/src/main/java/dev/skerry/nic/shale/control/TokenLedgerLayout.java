package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;

/**
 * The record of one link of a {@link TokenLedger}: half a cache line or more.
 *
 * <pre>
 *   0         4            8        12       16            32
 *   +---------+------------+--------+--------+-----+--------+
 *   | tokens  | spill head | entry 0| entry 1| ... | entry 5|    entry: bucket + 1; 0: free
 *   +---------+------------+--------+--------+-----+--------+
 * </pre>
 */
final class TokenLedgerLayout {
    /** Of a record of {@code int}: tokens outstanding, and the head of the spilled entries if there are any. */
    static final int COUNT = 0;
    static final int SPILL_HEAD = 1;
    /** Where entries begin, in bytes. */
    static final int ENTRIES = 8;
    /** Bytes of the shortest record. */
    static final int SHORTEST = 32;
    /** Words of entries of the shortest record. */
    static final int FIRST_WORDS = (SHORTEST - ENTRIES) / Long.BYTES;
    /** Words of entries of a record that is a cache line. */
    static final int LINE_WORDS = (2 * SHORTEST - ENTRIES) / Long.BYTES;
    /** The search gathers one bit for each lane of each word, so there may be 31 words. */
    static final int MAX_WORDS = 31;

    private TokenLedgerLayout() {
    }

    /** Bytes of one link of a node that keeps about this many tokens inline: whole halves of a cache line. */
    static int linkBytes(final int tokens) {
        return Math.min((ENTRIES + tokens * Integer.BYTES + SHORTEST - 1) / SHORTEST * SHORTEST,
            ENTRIES + MAX_WORDS * Long.BYTES);
    }

    /** Where the entry is that a bit of a search stands for, see {@link TokenLedger}. */
    static long place(final long at, final int bit) {
        return at + ENTRIES + Region.offset(31 - (bit & 31), Long.BYTES) + Region.offset(bit >>> 5, Integer.BYTES);
    }
}
