package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Route;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Tokens that wait to be returned to the neighbour at the other end of a link, for every link of every node: the return
 * FIFO of docs/spec/shale.md §5.1. Two leave with every cell (Shale §3.3.2).
 *
 * <pre>
 *   one link, a quarter of a cache line
 *   0         4         8         12           16
 *   +---------+---------+---------+------------+
 *   | token 0 | token 1 | token 2 | spill head |    token: bucket, -1: none; spill head: record, -1: none
 *   +---------+---------+---------+------------+
 * </pre>
 *
 * <p>The oldest tokens are inline. The two that leave form one long, which is the feedback word of the cell; the other
 * long moves up. More than three tokens are rare; the rest wait in the {@link SpillPool}, as a chain of records. One
 * thread at a time.
 */
final class OwedTokens {
    static final int LINK_BYTES = 16;
    /** Half of a feedback word without a token. */
    static final int NO_TOKEN = -1;

    private static final int SPILL_HEAD = 3;
    private static final int INLINE = 3;

    private final Region region;
    private final SpillPool pool;
    /** Set for every link on which tokens wait. */
    private final QueueBits waiting;
    /** Tokens owed on all links; 0 avoids the search. */
    private long held;
    private int fetched;
    /** Links left for a second loop; an extra entry absorbs the last branchless write. */
    private final int[] list;

    OwedTokens(final Arena arena, final int links, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) links * LINK_BYTES);
        this.pool = pool;
        this.waiting = new QueueBits(links);
        this.list = new int[CellBatch.block(links) + 1];
        assert SpillPool.NONE == NO_TOKEN && InFlightCells.NO_FEEDBACK == -1 : "an empty link is all ones";
        region.fill((byte) -1);
    }

    /** Appends a token. */
    void owe(final int link, final int bucket) {
        final long at = Region.offset(link, LINK_BYTES);
        final int length = inline(at);
        held++;
        waiting.set(link);
        if (length == INLINE) {
            spill(at, bucket);
        } else {
            region.setInt(at + Region.offset(length, Integer.BYTES), bucket);
        }
    }

    /**
     * Appends the tokens owed for cells that are sent on.
     *
     * @param sent  the cells.
     * @param nodes nodes of the bank.
     */
    void owe(final CellBatch sent, final int nodes) {
        final Region memory = region;
        final int count = sent.count();
        final int[] node = sent.node();
        final long[] word = sent.word();
        int full = 0;
        held += count;
        fetch(sent, nodes);
        for (int i = 0; i < count; i++) {
            final int link = Route.owedLink(word[i]) * nodes + node[i];
            final long at = Region.offset(link, LINK_BYTES);
            final long two = memory.getLong(at, 0);
            waiting.set(link);
            final int third = memory.getInt(at, 2);
            if (third < 0) {
                // The token goes behind those present: a token is not negative, a free place is.
                final int length = 2 + ((int) two >> 31) + (int) (two >> 63);
                memory.setInt(at + Region.offset(length, Integer.BYTES), Route.owedBucket(word[i]));
            } else {
                list[full++] = i;
            }
        }
        for (int k = 0; k < full; k++) {
            final int i = list[k];
            spill(Region.offset(Route.owedLink(word[i]) * nodes + node[i], LINK_BYTES), Route.owedBucket(word[i]));
        }
    }

    /** Reads the lines of listed links together. */
    void fetch(final int firstLink, final int[] which, final int some) {
        fetched += region.fetch(firstLink, which, 0, some, LINK_BYTES);
    }

    /** Reads the lines that will receive tokens, in a loop that does nothing else. */
    private void fetch(final CellBatch sent, final int nodes) {
        final Region memory = region;
        final int count = sent.count();
        final int[] node = sent.node();
        final long[] word = sent.word();
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += memory.getInt(Region.offset(Route.owedLink(word[i]) * nodes + node[i], LINK_BYTES));
        }
        // The sum is kept, else the compiler would remove the reads.
        fetched += read;
    }

    /**
     * Takes the two oldest tokens of each of some links, as {@link #takeTwo(int)}.
     *
     * @param firstLink the first of consecutive links.
     * @param count     number of links, at most {@link CellBatch#CELLS}.
     * @param into      gets a word for each.
     */
    void takeTwo(final int firstLink, final int count, final long[] into) {
        if (held == 0) {
            Arrays.fill(into, 0, count, InFlightCells.NO_FEEDBACK);
            return;
        }
        final Region memory = region;
        waiting.clear(firstLink, count);
        int more = 0;
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(firstLink + i, LINK_BYTES);
            final long rest = memory.getLong(at, 1);
            into[i] = memory.getLong(at, 0);
            memory.setLong(at, 0, rest);
            memory.setLong(at, 1, InFlightCells.NO_FEEDBACK);
            list[more] = i;
            more += ~(int) rest >>> Integer.SIZE - 1;
        }
        for (int k = 0; k < more; k++) {
            // The third token became the first.
            waiting.set(firstLink + list[k]);
            final long at = Region.offset(firstLink + list[k], LINK_BYTES);
            refill(at, memory.getInt(at, 1));
        }
        long taken = 0;
        for (int i = 0; i < count; i++) {
            taken += tokens(into[i]);
        }
        held -= taken;
    }

    /** Returns the number of tokens of a feedback word, 0 to 2. */
    private static long tokens(final long two) {
        return (~two >>> 63) + (~two >>> 31 & 1);
    }

    /**
     * Takes the two oldest tokens.
     *
     * @return the first token in the low half, the second in the high half, {@link #NO_TOKEN} where there is none;
     *     {@code InFlightCells.NO_FEEDBACK} if nothing is owed.
     */
    long takeTwo(final int link) {
        final long at = Region.offset(link, LINK_BYTES);
        final long two = region.getLong(at, 0);
        final long rest = region.getLong(at, 1);
        region.setLong(at, 0, rest);
        region.setLong(at, 1, InFlightCells.NO_FEEDBACK);
        held -= tokens(two);
        if ((int) rest == NO_TOKEN) {
            waiting.clear(link);
        }
        if ((int) (rest >>> 32) != SpillPool.NONE) {
            refill(at, (int) (rest >>> 32));
        }
        return two;
    }

    /**
     * Takes the oldest token, if the other half of the word is used otherwise; {@link #NO_TOKEN} if nothing is owed.
     */
    int takeOne(final int link) {
        final long at = Region.offset(link, LINK_BYTES);
        final int token = region.getInt(at, 0);
        held -= token == NO_TOKEN ? 0 : 1;
        region.setInt(at, 0, region.getInt(at, 1));
        region.setInt(at, 1, region.getInt(at, 2));
        final int record = region.getInt(at, SPILL_HEAD);
        if (record == SpillPool.NONE) {
            region.setInt(at, 2, NO_TOKEN);
        } else {
            region.setInt(at, 2, (int) pool.first(record));
            region.setInt(at, SPILL_HEAD, pool.next(record));
            pool.release(record);
        }
        if (region.getInt(at, 0) == NO_TOKEN) {
            waiting.clear(link);
        }
        return token;
    }

    /** Removes all tokens that wait on a link. */
    void clear(final int link) {
        while (takeTwo(link) != InFlightCells.NO_FEEDBACK) {
            continue;
        }
    }

    /** Returns one bit for each of 64 consecutive links, set where tokens wait. */
    long from(final int firstLink) {
        return waiting.from(firstLink);
    }

    /** Returns the oldest token that waits on a link, or {@link #NO_TOKEN}. */
    int first(final int link) {
        return region.getInt(Region.offset(link, LINK_BYTES), 0);
    }

    /** Returns the number of tokens that wait on all links. */
    long held() {
        return held;
    }

    /** Returns the number of tokens that wait on a link. */
    int length(final int link) {
        final long at = Region.offset(link, LINK_BYTES);
        int length = inline(at);
        for (int record = region.getInt(at, SPILL_HEAD); record != SpillPool.NONE; record = pool.next(record)) {
            length++;
        }
        return length;
    }

    /** Returns the tokens that wait on a link, oldest first. */
    int[] buckets(final int link) {
        final long at = Region.offset(link, LINK_BYTES);
        final int[] buckets = new int[length(link)];
        region.getInts(at, buckets, 0, inline(at));
        int next = inline(at);
        for (int record = region.getInt(at, SPILL_HEAD); record != SpillPool.NONE; record = pool.next(record)) {
            buckets[next++] = (int) pool.first(record);
        }
        return buckets;
    }

    /** Returns the number of inline tokens. They have no gaps; a token is not negative, a free place is. */
    private int inline(final long at) {
        return INLINE + (region.getInt(at, 0) >> 31) + (region.getInt(at, 1) >> 31) + (region.getInt(at, 2) >> 31);
    }

    private void spill(final long at, final int bucket) {
        final int record = pool.take(bucket, 0);
        int last = region.getInt(at, SPILL_HEAD);
        if (last == SpillPool.NONE) {
            region.setInt(at, SPILL_HEAD, record);
            return;
        }
        while (pool.next(last) != SpillPool.NONE) {
            last = pool.next(last);
        }
        pool.setNext(last, record);
    }

    /**
     * Fills the inline places of a link with spilled tokens after two left: the third token and the spill head have
     * moved to the first places.
     */
    private void refill(final long at, final int head) {
        int record = head;
        for (int i = 1; i < INLINE && record != SpillPool.NONE; i++) {
            final int next = pool.next(record);
            region.setInt(at, i, (int) pool.first(record));
            pool.release(record);
            record = next;
        }
        region.setInt(at, SPILL_HEAD, record);
    }

    /** Returns the first token of a feedback word, which always has one. */
    static int firstOf(final long feedback) {
        return (int) feedback;
    }

    /** Returns the second token of a feedback word, or {@link #NO_TOKEN}. */
    static int secondOf(final long feedback) {
        return (int) (feedback >>> 32);
    }
}
