package dev.skerry.nic.shale.control;

import static dev.skerry.nic.shale.control.TokenLedgerLayout.COUNT;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.ENTRIES;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.FIRST_WORDS;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.LINE_WORDS;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.place;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Route;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Tokens spent and not yet returned, for every link of every node and every bucket at its other end: {@code out[b]} of
 * docs/spec/shale.md §5.1. Only what is outstanding is stored, an entry for each token of {@link TokenLedgerLayout}.
 *
 * <p>A search compares all inline entries, two in a long, and has no branch that depends on where the bucket is: a
 * misprediction would cost more than reading the whole record. Entries past the inline ones are in the
 * {@link SpilledTokens}. One thread at a time; little-endian, as {@link Region} is.
 */
final class TokenLedger {

    private static final long LANES = 0x0000_0001_0000_0001L;
    private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
    private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

    private final int stride;
    private final int words;
    private final int inline;
    private final Region region;
    private final SpilledTokens spilled;
    /** Links with something to do, and links with spilled entries. One spare entry absorbs a branchless write. */
    private final int[] list;
    private final int[] rest;

    /**
     * Nothing outstanding.
     *
     * @param links  of all nodes of the bank.
     * @param tokens that a link hardly ever has more of outstanding.
     */
    TokenLedger(final Arena arena, final int links, final int tokens, final SpillPool pool) {
        this.stride = TokenLedgerLayout.linkBytes(tokens);
        this.words = (stride - ENTRIES) / Long.BYTES;
        this.inline = words * 2;
        this.region = Region.allocate(arena, (long) links * stride);
        this.spilled = new SpilledTokens(region, pool);
        this.list = new int[CellBatch.block(links) + 1];
        this.rest = new int[CellBatch.block(links) + 1];
    }

    /**
     * Spends a token on each of some links, where its bucket has one left.
     *
     * @param firstLink the first of links that follow each other.
     * @param count     how many, at most {@link CellBatch#CELLS}.
     * @param keys      the bucket of each plus 1, or {@link Route#NO_TOKEN}.
     * @param limits    tokens of the bucket, 0 where nothing is asked for.
     * @param spent     gets 1 where there was one left, or none is needed; else 0.
     */
    void spend(final int firstLink, final int count, final int[] keys, final int[] limits, final int[] spent) {
        final Region memory = region;
        final int most = inline;
        final int[] asking = list;
        int some = 0;
        for (int i = 0; i < count; i++) {
            spent[i] = 0;
            asking[some] = i;
            some += Branchless.ifPositive(limits[i]);
        }
        int left = 0;
        for (int k = 0; k < some; k++) {
            final int i = asking[k];
            final long at = Region.offset(firstLink + i, stride);
            final int before = memory.getInt(at, COUNT);
            final int out = Long.bitCount(search(at, keys[i]));
            if (before < most) {
                // A cell that may not go, or costs nothing, writes a zero where one is.
                final int may = Branchless.ifPositive(limits[i] - out);
                final int tokens = may & ~(keys[i] + 1 >>> Integer.SIZE - 1);
                memory.setInt(at + ENTRIES + Region.offset(before, Integer.BYTES), keys[i] & -tokens);
                memory.setInt(at, COUNT, before + tokens);
                spent[i] = may;
            } else {
                rest[left++] = i;
            }
        }
        for (int k = 0; k < left; k++) {
            spent[rest[k]] = spendOne(firstLink + rest[k], keys[rest[k]], limits[rest[k]]);
        }
    }

    private int spendOne(final int link, final int key, final int limit) {
        if (key == Route.NO_TOKEN) {
            return 1;
        }
        if (out(link, key - 1) >= limit) {
            return 0;
        }
        spend(link, key - 1);
        return 1;
    }

    /**
     * Takes back a token on each of some links, or two, or none.
     *
     * @param firstLink the first of links that follow each other.
     * @param count     how many, at most {@link CellBatch#CELLS}.
     * @param buckets   the bucket of each, -1: none.
     * @param second    the same of another token.
     * @return -1, or the last link, counted from the first, with a token that was not outstanding; plus the count if
     *     that is its second.
     */
    int giveBack(final int firstLink, final int count, final int[] buckets, final int[] second) {
        final int missing = giveBack(firstLink, count, buckets);
        final int alsoMissing = giveBack(firstLink, count, second);
        return alsoMissing < 0 ? missing : count + alsoMissing;
    }

    private int giveBack(final int firstLink, final int count, final int[] buckets) {
        final Region memory = region;
        final int most = inline;
        final int[] giving = list;
        int some = 0;
        for (int i = 0; i < count; i++) {
            giving[some] = i;
            some += ~buckets[i] >>> Integer.SIZE - 1;
        }
        int left = 0;
        for (int k = 0; k < some; k++) {
            final int i = giving[k];
            final long at = Region.offset(firstLink + i, stride);
            final int before = memory.getInt(at, COUNT);
            final long found = search(at, buckets[i] + 1);
            if (found != 0 && before <= most) {
                final long place = place(at, Long.numberOfTrailingZeros(found));
                final long last = at + ENTRIES + Region.offset(before - 1, Integer.BYTES);
                memory.setInt(place, memory.getInt(last));
                memory.setInt(last, 0);
                memory.setInt(at, COUNT, before - 1);
            } else {
                rest[left++] = i;
            }
        }
        int missing = -1;
        for (int k = 0; k < left; k++) {
            missing = giveBack(firstLink + rest[k], buckets[rest[k]]) ? missing : rest[k];
        }
        return missing;
    }

    /** Tokens of a bucket outstanding on a link. */
    int out(final int link, final int bucket) {
        final long at = at(link);
        final int found = Long.bitCount(search(at, bucket + 1));
        return region.getInt(at, COUNT) > inline ? found + spilled.count(at, bucket + 1) : found;
    }

    /** Spends a token. */
    void spend(final int link, final int bucket) {
        final long at = at(link);
        final int count = region.getInt(at, COUNT);
        if (count < inline) {
            region.setInt(at + ENTRIES + Region.offset(count, Integer.BYTES), bucket + 1);
        } else {
            spilled.add(at, bucket + 1, count == inline);
        }
        region.setInt(at, COUNT, count + 1);
    }

    /**
     * Takes a token back.
     *
     * @return false if none of this bucket was outstanding; nothing changes then.
     */
    boolean giveBack(final int link, final int bucket) {
        final long at = at(link);
        final int count = region.getInt(at, COUNT);
        final long found = search(at, bucket + 1);
        if (found == 0) {
            if (count <= inline || !spilled.remove(at, bucket + 1)) {
                return false;
            }
            region.setInt(at, COUNT, count - 1);
            return true;
        }
        final int bit = Long.numberOfTrailingZeros(found);
        final long place = place(at, bit);
        if (count > inline) {
            region.setInt(place, spilled.take(at));
        } else {
            final long last = at + ENTRIES + Region.offset(count - 1, Integer.BYTES);
            region.setInt(place, region.getInt(last));
            region.setInt(last, 0);
        }
        region.setInt(at, COUNT, count - 1);
        return true;
    }

    /** Forgets what is outstanding on a link. */
    void clear(final int link) {
        final long at = at(link);
        if (region.getInt(at, COUNT) > inline) {
            spilled.clear(at);
        }
        for (int word = 0; word < words; word++) {
            region.setLong(at + ENTRIES + Region.offset(word, Long.BYTES), 0);
        }
        region.setInt(at, COUNT, 0);
    }

    /** Tokens of all buckets outstanding on a link. */
    int total(final int link) {
        return region.getInt(at(link), COUNT);
    }

    /** Shows every outstanding bucket of a link once, for audits. */
    void forEach(final int link, final Visitor visitor) {
        final int[] entries = entries(at(link));
        Arrays.sort(entries);
        int first = 0;
        for (int i = 1; i <= entries.length; i++) {
            if (i == entries.length || entries[i] != entries[first]) {
                visitor.outstanding(entries[first] - 1, i - first);
                first = i;
            }
        }
    }

    private int[] entries(final long at) {
        final int count = region.getInt(at, COUNT);
        final int[] entries = new int[count];
        for (int i = 0; i < Math.min(count, inline); i++) {
            entries[i] = region.getInt(at + ENTRIES + Region.offset(i, Integer.BYTES));
        }
        if (count > inline) {
            spilled.copy(at, entries, inline);
        }
        return entries;
    }

    private long at(final int link) {
        return Region.offset(link, stride);
    }

    /** Sees outstanding tokens. */
    @FunctionalInterface
    interface Visitor {
        void outstanding(int bucket, int tokens);
    }

    /**
     * The inline entries that are a key: bit 31 - word is set for a match in the low lane of a word, bit 63 - word for
     * one in the high lane. A lane that differs from the key is not zero and below 2^31; adding the largest 31-bit
     * number then sets its top bit.
     */
    private long search(final long at, final int key) {
        final long pattern = key * LANES;
        // The words of the shortest record, written out: there is nothing to predict, and all are under way together.
        final long found = match(region.getLong(at, 1), pattern)
            | match(region.getLong(at, 2), pattern) >>> 1
            | match(region.getLong(at, FIRST_WORDS), pattern) >>> 2;
        return words == FIRST_WORDS ? found : found | searchMore(at, pattern);
    }

    /** The words after those, written out where they fill a cache line. */
    private long searchMore(final long at, final long pattern) {
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
