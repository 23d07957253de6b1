package dev.skerry.nic.fabric.shale;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.SpillPool;

import java.lang.foreign.Arena;

/**
 * Tokens spent and not yet returned, for every link of every node and every bucket at its other end: {@code out[b]} of
 * spec/shale §5.1. Only the few buckets with something outstanding are stored.
 *
 * <pre>
 *   one link, one cache line or more
 *   0         4            8        12       16
 *   +---------+------------+--------+--------+-----+
 *   | buckets | spill head | entry 0| entry 1| ... |    entry: (bucket + 1) &lt;&lt; 8 | outstanding; 0: free
 *   +---------+------------+--------+--------+-----+
 * </pre>
 *
 * A search compares all inline entries, two in a long, and has no branch that depends on where the bucket is: a
 * misprediction would cost more than reading the whole line. Entries past the inline ones are in the {@link SpillPool}.
 * One thread at a time; little-endian, as {@link Region} is.
 */
final class TokenLedger {
    /** Largest budget an entry can count to. */
    static final int MAX_TOKENS = 255;

    private static final int COUNT = 0;
    private static final int SPILL_HEAD = 4;
    private static final int ENTRIES = 8;
    private static final int OUT_MASK = 0xFF;
    private static final int BUCKET_SHIFT = 8;
    /** Words of entries on the first cache line. */
    private static final int FIRST_LINE = 7;
    /** The search gathers one bit for each lane of each word, so there may be 31 words. */
    private static final int MAX_WORDS = 31;

    private static final long LANES = 0x0000_0001_0000_0001L;
    private static final long BUCKETS = 0xFFFF_FF00_FFFF_FF00L;
    private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
    private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

    /** What a search returns when it finds the bucket nowhere; see {@link #search}. */
    static final long ABSENT = -1;

    private final int stride;
    private final int words;
    private final int inline;
    private final Region region;
    private final SpillPool pool;

    TokenLedger(final Arena arena, final int links, final int buckets, final SpillPool pool) {
        this.stride = stride(buckets);
        this.words = (stride - ENTRIES) / Long.BYTES;
        this.inline = words * 2;
        this.region = Region.allocate(arena, (long) links * stride);
        this.pool = pool;
    }

    /** Bytes of one link that keeps about this many buckets inline: whole cache lines. */
    static int stride(final int buckets) {
        return Math.min((ENTRIES + buckets * Integer.BYTES + 63) / 64 * 64, ENTRIES + MAX_WORDS * Long.BYTES);
    }

    /**
     * Where the inline entry of a bucket is, or {@link #ABSENT}: asked once for {@link #out} and {@link #spend}. It
     * holds until the ledger of the link changes.
     */
    long place(final int link, final int bucket) {
        return search((long) link * stride, key(bucket));
    }

    /** Tokens of a bucket outstanding on a link. */
    int out(final int link, final int bucket, final long place) {
        final long at = (long) link * stride;
        final int key = key(bucket);
        if (place != ABSENT) {
            return region.getInt(place) & OUT_MASK;
        }
        final int record = region.getInt(at + COUNT) > inline ? searchSpilled(at, key) : SpillPool.NONE;
        return record == SpillPool.NONE ? 0 : (int) pool.first(record) & OUT_MASK;
    }

    /**
     * Spends a token if fewer than a budget are outstanding.
     *
     * @return whether it was spent.
     */
    boolean spend(final int link, final int bucket, final long place, final int budget) {
        final long at = (long) link * stride;
        final int key = key(bucket);
        if (place != ABSENT) {
            final int entry = region.getInt(place);
            if ((entry & OUT_MASK) >= budget) {
                return false;
            }
            region.setInt(place, entry + 1);
            return true;
        }
        final int count = region.getInt(at + COUNT);
        if (count < inline) {
            region.setInt(at + ENTRIES + (long) count * Integer.BYTES, key | 1);
            region.setInt(at + COUNT, count + 1);
            return true;
        }
        return spendSpilled(at, key, count, budget);
    }

    /**
     * Takes a token back.
     *
     * @return false if none of this bucket was outstanding; nothing changes then.
     */
    boolean giveBack(final int link, final int bucket) {
        final long at = (long) link * stride;
        final int key = key(bucket);
        final int count = region.getInt(at + COUNT);
        final long place = search(at, key);
        if (place == ABSENT) {
            return count > inline && giveBackSpilled(at, key, count);
        }
        final int entry = region.getInt(place);
        if (entry != (key | 1)) {
            region.setInt(place, entry - 1);
            return true;
        }
        if (count > inline) {
            final int record = region.getInt(at + SPILL_HEAD);
            region.setInt(place, (int) pool.first(record));
            region.setInt(at + SPILL_HEAD, pool.next(record));
            pool.release(record);
        } else {
            final long last = at + ENTRIES + (long) (count - 1) * Integer.BYTES;
            region.setInt(place, region.getInt(last));
            region.setInt(last, 0);
        }
        region.setInt(at + COUNT, count - 1);
        return true;
    }

    /** Whether nothing is outstanding on a link. */
    boolean isEmpty(final int link) {
        return region.getInt((long) link * stride + COUNT) == 0;
    }

    /** Shows every outstanding bucket of a link, for audits. */
    void forEach(final int link, final Visitor visitor) {
        final long at = (long) link * stride;
        final int count = region.getInt(at + COUNT);
        for (int i = 0; i < Math.min(count, inline); i++) {
            show(region.getInt(at + ENTRIES + (long) i * Integer.BYTES), visitor);
        }
        int record = count > inline ? region.getInt(at + SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            show((int) pool.first(record), visitor);
            record = pool.next(record);
        }
    }

    private static void show(final int entry, final Visitor visitor) {
        visitor.outstanding((entry >>> BUCKET_SHIFT) - 1, entry & OUT_MASK);
    }

    /** Sees outstanding tokens. */
    @FunctionalInterface
    interface Visitor {
        void outstanding(int bucket, int tokens);
    }

    /**
     * Where the inline entry of a key is, or {@link #ABSENT}. An entry differs from the key in its upper 24 bits, which
     * become zero on a match; adding the largest 31-bit number then leaves the lane's top bit clear. Bit 31 - word is
     * set for a match in the low lane of a word, bit 63 - word for one in the high lane.
     */
    private long search(final long at, final int key) {
        final long pattern = key * LANES;
        // The words of the first line, written out: there is nothing to predict, and all seven are under way together.
        long found = match(at, 0, pattern) | match(at, 1, pattern) | match(at, 2, pattern) | match(at, 3, pattern)
            | match(at, 4, pattern) | match(at, 5, pattern) | match(at, 6, pattern);
        for (int word = FIRST_LINE; word < words; word++) {
            found |= match(at, word, pattern);
        }
        if (found == 0) {
            return ABSENT;
        }
        final int bit = Long.numberOfTrailingZeros(found);
        return at + ENTRIES + (long) (31 - (bit & 31)) * Long.BYTES + (bit >>> 5) * Integer.BYTES;
    }

    private long match(final long at, final int word, final long pattern) {
        final long difference = (region.getLong(at + ENTRIES + (long) word * Long.BYTES) ^ pattern) & BUCKETS;
        return (~(difference + LOW_BITS) & HIGH_BITS) >>> word;
    }

    private boolean spendSpilled(final long at, final int key, final int count, final int budget) {
        final int found = count > inline ? searchSpilled(at, key) : SpillPool.NONE;
        if (found != SpillPool.NONE) {
            if (((int) pool.first(found) & OUT_MASK) >= budget) {
                return false;
            }
            pool.setFirst(found, pool.first(found) + 1);
            return true;
        }
        final int record = pool.take(key | 1, 0);
        pool.setNext(record, count > inline ? region.getInt(at + SPILL_HEAD) : SpillPool.NONE);
        region.setInt(at + SPILL_HEAD, record);
        region.setInt(at + COUNT, count + 1);
        return true;
    }

    private int searchSpilled(final long at, final int key) {
        int record = region.getInt(at + SPILL_HEAD);
        while (record != SpillPool.NONE && ((int) pool.first(record) ^ key) >>> BUCKET_SHIFT != 0) {
            record = pool.next(record);
        }
        return record;
    }

    private boolean giveBackSpilled(final long at, final int key, final int count) {
        int before = SpillPool.NONE;
        int record = region.getInt(at + SPILL_HEAD);
        while (record != SpillPool.NONE) {
            final int entry = (int) pool.first(record);
            final int next = pool.next(record);
            if ((entry ^ key) >>> BUCKET_SHIFT == 0) {
                if (entry != (key | 1)) {
                    pool.setFirst(record, entry - 1);
                    return true;
                }
                if (before == SpillPool.NONE) {
                    region.setInt(at + SPILL_HEAD, next);
                } else {
                    pool.setNext(before, next);
                }
                pool.release(record);
                region.setInt(at + COUNT, count - 1);
                return true;
            }
            before = record;
            record = next;
        }
        return false;
    }

    private static int key(final int bucket) {
        return bucket + 1 << BUCKET_SHIFT;
    }
}
