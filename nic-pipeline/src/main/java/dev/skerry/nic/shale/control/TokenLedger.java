package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import org.agrona.collections.IntIntConsumer;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Tokens spent and not yet returned, for every link of every node and every bucket at its other end: {@code out[b]} of
 * docs/spec/shale.md §5.1. {@link Table} counts in small fabrics, {@link Lists} in all others. Links are numbered
 * within the bank. One thread at a time.
 */
abstract sealed class TokenLedger {
    private TokenLedger() {
    }

    /**
     * Creates a ledger for the links of a bank with nothing outstanding.
     *
     * @param links links of all nodes of the bank.
     * @param pool  overflow of the bank.
     */
    static TokenLedger of(final Arena arena, final Shale shale, final int links, final SpillPool pool) {
        return Table.fits(shale) ? new Table(arena, links, shale.nodes(), shale.schedule().phases())
            : new Lists(arena, links, shale.outstandingTokens(), pool);
    }

    /** Returns the bytes of one link of a node, without overflow. */
    static int linkBytes(final Shale shale) {
        return Table.fits(shale) ? shale.bucketNumbers() : Lists.linkBytes(shale.outstandingTokens());
    }

    /**
     * Spends a token on each of some links whose bucket has one left.
     *
     * @param firstLink the first of consecutive links.
     * @param asking    links that ask, counted from the first; the columns stay by link.
     * @param some      number of links that ask, at most {@link CellBatch#CELLS}.
     * @param keys      the bucket of each plus 1, or {@link Route#NO_TOKEN}; may be 0 with a limit of 0.
     * @param limits    tokens of the bucket, 0 where nothing is asked for.
     * @param spent     gets 1 where a token was left or none is needed; else 0.
     */
    abstract void spend(int firstLink, int[] asking, int some, int[] keys, int[] limits, int[] spent);

    /**
     * Takes back a token on each of some links. A token that was not outstanding is ignored, and its bucket is set to
     * -1.
     *
     * @param firstLink the first of consecutive links.
     * @param giving    links that get a token, counted from the first; the buckets stay by link.
     * @param some      number of links that get a token, at most {@link CellBatch#CELLS}.
     * @param buckets   the bucket of each.
     * @return the number of tokens ignored.
     */
    abstract int returnTokens(int firstLink, int[] giving, int some, int[] buckets);

    /** Reads the state of listed links in a loop that does nothing else, so that cache misses overlap. */
    abstract void fetch(int firstLink, int[] which, int some);

    /** Returns the tokens of a bucket outstanding on a link. */
    abstract int out(int link, int bucket);

    /** Spends a token. */
    abstract void spend(int link, int bucket);

    /**
     * Takes a token back.
     *
     * @return false if none of this bucket was outstanding; nothing changes then.
     */
    abstract boolean returnToken(int link, int bucket);

    /** Removes everything outstanding on a link. */
    abstract void clear(int link);

    /** Returns the tokens of all buckets outstanding on a link. */
    abstract int total(int link);

    /** Shows every bucket with outstanding tokens of a link once, in ascending order, with the number of tokens. */
    abstract void forEach(int link, IntIntConsumer visitor);

    /**
     * Outstanding tokens of a small fabric: one byte for each bucket of each link, which holds their number. A bucket
     * is found by its index without a search, so another try for a waiting cell is cheap.
     *
     * <pre>
     *   link 0                            link 1
     *   +------+------+------+------+---- +------+--
     *   | d=0  | d=0  | d=1  | d=1  | ... | d=0  | ...    h = 2: n = 0 and 1 of each destination d; h = 3: n = 0 to 3
     *   | n=0  | n=1  | n=0  | n=1  |     | n=0  |
     *   +------+------+------+------+---- +------+--
     * </pre>
     */
    static final class Table extends TokenLedger {
        /**
         * Largest size in bytes at which the tables of a fabric are faster than lists of one cache line, and than
         * longer lists (bench/results).
         */
        private static final long MOST_BYTES = 1 << 17;
        private static final long MOST_BYTES_FOR_LONG_LISTS = 1 << 22;
        private static final int LINE_BYTES = 64;

        private final Region region;
        /** Bytes of a link, and bits of the number of spraying hops in the number of a bucket. */
        private final int stride;
        private final int bits;

        /**
         * Creates tables with nothing outstanding.
         *
         * @param links        links of all nodes of the bank.
         * @param destinations nodes that a bucket can name.
         * @param phases       h: a bucket has fewer spraying hops left.
         */
        Table(final Arena arena, final int links, final int destinations, final int phases) {
            this.bits = Route.sprayBits(phases);
            this.stride = destinations << bits;
            this.region = Region.allocate(arena, (long) links * stride);
        }

        /** Tells whether the tables of all nodes of a fabric are small enough. */
        static boolean fits(final Shale shale) {
            final long bytes = (long) shale.nodes() * shale.schedule().epochSlots() * shale.bucketNumbers();
            return bytes <= (Lists.linkBytes(shale.outstandingTokens()) > LINE_BYTES
                ? MOST_BYTES_FOR_LONG_LISTS : MOST_BYTES);
        }

        @Override
        void spend(final int firstLink, final int[] asking, final int some, final int[] keys, final int[] limits,
            final int[] spent) {
            final Region memory = region;
            for (int k = 0; k < some; k++) {
                final int i = asking[k];
                // A cell that needs no token, or a link that asks for nothing, reads some bucket and writes back what
                // it read.
                final int needs = -keys[i] >> Integer.SIZE - 1 & ~(keys[i] + 1 >> Integer.SIZE - 1);
                final long at = at(firstLink + i, keys[i] - 1 & needs);
                final int out = memory.getByte(at);
                final int may = Branchless.ifPositive(limits[i] - (out & needs));
                memory.setByte(at, out + (may & needs));
                spent[i] = may;
            }
        }

        @Override
        int returnTokens(final int firstLink, final int[] giving, final int some, final int[] buckets) {
            int ignored = 0;
            for (int k = 0; k < some; k++) {
                final int i = giving[k];
                if (!returnToken(firstLink + i, buckets[i])) {
                    buckets[i] = -1;
                    ignored++;
                }
            }
            return ignored;
        }

        /** Does nothing: tables of small fabrics stay in the cache. */
        @Override
        void fetch(final int firstLink, final int[] which, final int some) {
        }

        @Override
        int out(final int link, final int bucket) {
            return region.getByte(at(link, bucket));
        }

        @Override
        void spend(final int link, final int bucket) {
            final int out = out(link, bucket);
            assert out < Shale.MAX_TOKENS : "link=" + link + " bucket=" + bucket;
            region.setByte(at(link, bucket), out + 1);
        }

        @Override
        boolean returnToken(final int link, final int bucket) {
            final int out = out(link, bucket);
            if (out == 0) {
                return false;
            }
            region.setByte(at(link, bucket), out - 1);
            return true;
        }

        @Override
        void clear(final int link) {
            for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
                region.setByte(Region.offset(link, stride) + byteOfLink, 0);
            }
        }

        @Override
        int total(final int link) {
            int total = 0;
            for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
                total += region.getByte(Region.offset(link, stride) + byteOfLink);
            }
            return total;
        }

        @Override
        void forEach(final int link, final IntIntConsumer visitor) {
            for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
                final int bucket = Route.bucket(byteOfLink >>> bits, byteOfLink & (1 << bits) - 1);
                if (out(link, bucket) > 0) {
                    visitor.accept(bucket, out(link, bucket));
                }
            }
        }

        private long at(final int link, final int bucket) {
            return Region.offset(link, stride) + Route.number(bucket, bits);
        }
    }

    /**
     * Outstanding tokens if a link has far more buckets than tokens outstanding: one entry for each token. A bucket is
     * found by a search of all entries of its link.
     *
     * <pre>
     *   0         4            8        12       16            32
     *   +---------+------------+--------+--------+-----+--------+
     *   | tokens  | spill head | entry 0| entry 1| ... | entry 5|    entry: bucket + 1; 0: free
     *   +---------+------------+--------+--------+-----+--------+
     * </pre>
     *
     * <p>The record of a link is one or more halves of a cache line. Entries beyond the inline ones are rare: they form
     * a chain of records of the pool, newest first, for each link that has any. One thread at a time; little-endian, as
     * {@link Region} is.
     */
    static final class Lists extends TokenLedger {
        /** Indices of ints in a record: tokens outstanding, and the head of the spilled entries, if any. */
        private static final int COUNT = 0;
        private static final int SPILL_HEAD = 1;
        /** Offset of the entries in bytes. */
        private static final int ENTRIES = 8;
        /** Bytes of the shortest record. */
        private static final int SHORTEST = 32;
        /** Words of entries in the shortest record. */
        private static final int FIRST_WORDS = (SHORTEST - ENTRIES) / Long.BYTES;
        /** Words of entries in a record of one cache line. */
        private static final int LINE_WORDS = (2 * SHORTEST - ENTRIES) / Long.BYTES;
        /** Largest number of words: the search collects one bit for each lane of each word. */
        private static final int MAX_WORDS = 31;

        private static final long LANES = 0x0000_0001_0000_0001L;
        private static final long LOW_BITS = 0x7FFF_FFFF_7FFF_FFFFL;
        private static final long HIGH_BITS = 0x8000_0000_8000_0000L;

        private final int stride;
        private final int words;
        private final int inline;
        private final Region region;
        private final SpillPool pool;
        /** Links of a batch with spilled entries. */
        private final int[] rest;
        private int fetched;

        /**
         * Creates lists with nothing outstanding.
         *
         * @param links  links of all nodes of the bank.
         * @param tokens tokens that a link rarely exceeds.
         */
        Lists(final Arena arena, final int links, final int tokens, final SpillPool pool) {
            this.stride = linkBytes(tokens);
            this.words = (stride - ENTRIES) / Long.BYTES;
            this.inline = words * 2;
            this.region = Region.allocate(arena, (long) links * stride);
            this.pool = pool;
            this.rest = new int[CellBatch.block(links)];
        }

        @Override
        void spend(final int firstLink, final int[] asking, final int some, final int[] keys, final int[] limits,
            final int[] spent) {
            final Region memory = region;
            final int most = inline;
            int left = 0;
            for (int k = 0; k < some; k++) {
                final int i = asking[k];
                final long at = Region.offset(firstLink + i, stride);
                final int before = memory.getInt(at, COUNT);
                final int out = Long.bitCount(search(memory, at, words, keys[i]));
                if (before < most) {
                    // A cell that may not go, or costs nothing, writes a zero over a zero.
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

        @Override
        int returnTokens(final int firstLink, final int[] giving, final int some, final int[] buckets) {
            final Region memory = region;
            final int most = inline;
            int left = 0;
            for (int k = 0; k < some; k++) {
                final int i = giving[k];
                final long at = Region.offset(firstLink + i, stride);
                final int before = memory.getInt(at, COUNT);
                final long found = search(memory, at, words, buckets[i] + 1);
                if (found != 0 && before <= most) {
                    closeUp(memory, at, before, found);
                } else {
                    rest[left++] = i;
                }
            }
            int ignored = 0;
            for (int k = 0; k < left; k++) {
                if (!returnToken(firstLink + rest[k], buckets[rest[k]])) {
                    buckets[rest[k]] = -1;
                    ignored++;
                }
            }
            return ignored;
        }

        @Override
        void fetch(final int firstLink, final int[] which, final int some) {
            fetched += region.fetch(firstLink, which, 0, some, stride);
        }

        @Override
        int out(final int link, final int bucket) {
            final long at = at(link);
            final int found = Long.bitCount(search(region, at, words, bucket + 1));
            return region.getInt(at, COUNT) > inline ? found + countSpilled(at, bucket + 1) : found;
        }

        @Override
        void spend(final int link, final int bucket) {
            final long at = at(link);
            final int count = region.getInt(at, COUNT);
            if (count < inline) {
                region.setInt(at + ENTRIES + Region.offset(count, Integer.BYTES), bucket + 1);
            } else {
                spill(at, bucket + 1, count == inline);
            }
            region.setInt(at, COUNT, count + 1);
        }

        @Override
        boolean returnToken(final int link, final int bucket) {
            final long at = at(link);
            final int count = region.getInt(at, COUNT);
            final long found = search(region, at, words, bucket + 1);
            if (found == 0) {
                if (count <= inline || !removeSpilled(at, bucket + 1)) {
                    return false;
                }
                region.setInt(at, COUNT, count - 1);
                return true;
            }
            if (count > inline) {
                region.setInt(place(at, found), takeSpilled(at));
                region.setInt(at, COUNT, count - 1);
            } else {
                closeUp(region, at, count, found);
            }
            return true;
        }

        /** Removes an entry found among the inline ones: the last entry takes its place. */
        private static void closeUp(final Region memory, final long at, final int count, final long found) {
            final long last = at + ENTRIES + Region.offset(count - 1, Integer.BYTES);
            memory.setInt(place(at, found), memory.getInt(last));
            memory.setInt(last, 0);
            memory.setInt(at, COUNT, count - 1);
        }

        @Override
        void clear(final int link) {
            final long at = at(link);
            for (int count = region.getInt(at, COUNT); count > inline; count--) {
                takeSpilled(at);
            }
            for (int word = 0; word < words; word++) {
                region.setLong(at + ENTRIES + Region.offset(word, Long.BYTES), 0);
            }
            region.setInt(at, COUNT, 0);
        }

        @Override
        int total(final int link) {
            return region.getInt(at(link), COUNT);
        }

        @Override
        void forEach(final int link, final IntIntConsumer visitor) {
            final long at = at(link);
            final int count = region.getInt(at, COUNT);
            final int[] entries = new int[count];
            for (int i = 0; i < Math.min(count, inline); i++) {
                entries[i] = region.getInt(at + ENTRIES + Region.offset(i, Integer.BYTES));
            }
            int record = count > inline ? region.getInt(at, SPILL_HEAD) : SpillPool.NONE;
            for (int i = inline; record != SpillPool.NONE; i++) {
                entries[i] = (int) pool.first(record);
                record = pool.next(record);
            }
            Arrays.sort(entries);
            int first = 0;
            for (int i = 1; i <= entries.length; i++) {
                if (i == entries.length || entries[i] != entries[first]) {
                    visitor.accept(entries[first] - 1, i - first);
                    first = i;
                }
            }
        }

        private long at(final int link) {
            return Region.offset(link, stride);
        }

        /** Adds an entry to the chain of the link at an offset. */
        private void spill(final long at, final int key, final boolean isFirst) {
            final int record = pool.take(key, 0);
            pool.setNext(record, isFirst ? SpillPool.NONE : region.getInt(at, SPILL_HEAD));
            region.setInt(at, SPILL_HEAD, record);
        }

        /** Removes the newest spilled entry of a link that has one. */
        private int takeSpilled(final long at) {
            final int record = region.getInt(at, SPILL_HEAD);
            final int key = (int) pool.first(record);
            region.setInt(at, SPILL_HEAD, pool.next(record));
            pool.release(record);
            return key;
        }

        /** Returns the number of spilled entries of a link that equal a key. */
        private int countSpilled(final long at, final int key) {
            int found = 0;
            for (int record = region.getInt(at, SPILL_HEAD); record != SpillPool.NONE; record = pool.next(record)) {
                found += pool.first(record) == key ? 1 : 0;
            }
            return found;
        }

        /** Removes a spilled entry; returns false if there is none. */
        private boolean removeSpilled(final long at, final int key) {
            int before = SpillPool.NONE;
            int record = region.getInt(at, SPILL_HEAD);
            while (record != SpillPool.NONE && pool.first(record) != key) {
                before = record;
                record = pool.next(record);
            }
            if (record == SpillPool.NONE) {
                return false;
            }
            if (before == SpillPool.NONE) {
                region.setInt(at, SPILL_HEAD, pool.next(record));
            } else {
                pool.setNext(before, pool.next(record));
            }
            pool.release(record);
            return true;
        }

        /**
         * Returns the bytes of one link of a node that keeps about this many tokens inline: whole halves of a cache
         * line.
         */
        static int linkBytes(final int tokens) {
            return Math.min((ENTRIES + tokens * Integer.BYTES + SHORTEST - 1) / SHORTEST * SHORTEST,
                ENTRIES + MAX_WORDS * Long.BYTES);
        }

        /** Returns the offset of the entry for which the lowest bit of a search result stands. */
        private static long place(final long at, final long found) {
            final int bit = Long.numberOfTrailingZeros(found);
            return at + ENTRIES + Region.offset(31 - (bit & 31), Long.BYTES) + Region.offset(bit >>> 5, Integer.BYTES);
        }

        /**
         * Finds the inline entries of a record that equal a key. Compares all of them, two in a long, without a branch
         * that depends on the position of the key: a misprediction would cost more than reading the whole record.
         *
         * @return bit 31 - word for a match in the low lane of a word, bit 63 - word for one in the high lane. A lane
         *     that differs from the key is not zero and below 2^31; adding the largest 31-bit number then sets its top
         *     bit.
         */
        private static long search(final Region region, final long at, final int words, final int key) {
            final long pattern = key * LANES;
            // The words of the shortest record are written out: nothing is predicted, and all loads overlap.
            final long found = match(region.getLong(at, 1), pattern)
                | match(region.getLong(at, 2), pattern) >>> 1
                | match(region.getLong(at, FIRST_WORDS), pattern) >>> 2;
            return words == FIRST_WORDS ? found : found | searchMore(region, at, words, pattern);
        }

        /** Searches the remaining words, written out if they fill a cache line. */
        private static long searchMore(final Region region, final long at, final int words, final long pattern) {
            if (words == LINE_WORDS) {
                return match(region.getLong(at, 4), pattern) >>> 3
                    | match(region.getLong(at, 5), pattern) >>> 4
                    | match(region.getLong(at, 6), pattern) >>> 5
                    | match(region.getLong(at, LINE_WORDS), pattern) >>> 6;
            }
            // Entries have no gaps: all places behind the last entry are free.
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
}
