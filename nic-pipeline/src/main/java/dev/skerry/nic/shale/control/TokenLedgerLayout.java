package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;

/**
 * The record of one link of {@link TokenLists}: half a cache line or more.
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

    private static final long LANES = 0x0000_0001_0000_0001L;
    private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
    private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

    private TokenLedgerLayout() {
    }

    /** Bytes of one link of a node that keeps about this many tokens inline: whole halves of a cache line. */
    static int linkBytes(final int tokens) {
        return Math.min((ENTRIES + tokens * Integer.BYTES + SHORTEST - 1) / SHORTEST * SHORTEST,
            ENTRIES + MAX_WORDS * Long.BYTES);
    }

    /** Where the entry is that a bit of a search stands for, see {@link OutstandingTokens}. */
    static long place(final long at, final int bit) {
        return at + ENTRIES + Region.offset(31 - (bit & 31), Long.BYTES) + Region.offset(bit >>> 5, Integer.BYTES);
    }

    /**
     * The inline entries of a record that are a key. Compares all of them, two in a long, without a branch that depends
     * on where the key is: a misprediction would cost more than reading the whole record.
     *
     * @return bit 31 - word is set for a match in the low lane of a word, bit 63 - word for one in the high lane. A
     *     lane that differs from the key is not zero and below 2^31; adding the largest 31-bit number then sets its top
     *     bit.
     */
    static long search(final Region region, final long at, final int words, final int key) {
        final long pattern = key * LANES;
        // The words of the shortest record, written out: there is nothing to predict, and all are under way together.
        final long found = match(region.getLong(at, 1), pattern)
            | match(region.getLong(at, 2), pattern) >>> 1
            | match(region.getLong(at, FIRST_WORDS), pattern) >>> 2;
        return words == FIRST_WORDS ? found : found | searchMore(region, at, words, pattern);
    }

    /** The words after those, written out where they fill a cache line. */
    private static long searchMore(final Region region, final long at, final int words, final long pattern) {
        if (words == LINE_WORDS) {
            return match(region.getLong(at, 4), pattern) >>> 3
                | match(region.getLong(at, 5), pattern) >>> 4
                | match(region.getLong(at, 6), pattern) >>> 5
                | match(region.getLong(at, LINE_WORDS), pattern) >>> 6;
        }
        // Entries close up: behind the last one all are free.
        final int end = Math.min(words, region.getInt(at, COUNT) + 1 >>> 1);
        long found = 0;
        for (int word = FIRST_WORDS; word < end; word++) {
            found |= match(region.getLong(at + ENTRIES + Region.offset(word, Long.BYTES)), pattern) >>> word;
        }
        return found;
    }

    private static long match(final long entries, final long pattern) {
        return ~((entries ^ pattern) + LOW_BITS) & HIGH_BITS;
    }
}
