package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * A bank of PIEO queues whose rank is the order of arrival: of the entries that may leave now, the one that came first
 * goes (spec/shale §5.2, §6). Eligibility is asked for when an entry would leave, so nothing needs to be put in again
 * when a token returns; {@link Pieo} is the exact model it is tested against.
 *
 * <pre>
 *   one queue, one cache line
 *   0       4            8            12    16       32       48       64
 *   +-------+------------+------------+-----+--------+--------+--------+
 *   | length| spill head | spill tail | pad | entry 0| entry 1| entry 2|    entry: 8 B word, 8 B payload word
 *   +-------+------------+------------+-----+--------+--------+--------+
 * </pre>
 *
 * The three oldest entries are inline and close up when one leaves, which costs less than a ring's arithmetic; the
 * fourth and later ones wait in the {@link SpillPool}. Enqueue is O(1); dequeue asks the rule once for each entry
 * before the first eligible one. Both also work on a {@link CellBatch}, one entry for each of many queues. One thread
 * at a time.
 */
public final class EligibilityQueues {
    /** Bytes of one queue, the pool not counted. */
    public static final int QUEUE_BYTES = 64;

    private static final int LENGTH = 0;
    private static final int SPILL_HEAD = 1;
    private static final int SPILL_TAIL = 2;
    private static final int ENTRIES = 16;
    private static final int ENTRY_BYTES = 16;
    private static final int INLINE = (QUEUE_BYTES - ENTRIES) / ENTRY_BYTES;
    /** Where the first and the last inline entry begin, in longs. */
    private static final int FIRST_WORD = ENTRIES / Long.BYTES;
    private static final int LAST_WORD = FIRST_WORD + (INLINE - 1) * 2;

    private final Region region;
    private final SpillPool pool;
    /** Cells of a batch that a loop leaves to the next one; a place more than cells, to be written in vain. */
    private final int[] list;
    private long held;
    private long entry;
    private long payload;
    private int fetched;

    /**
     * A bank of empty queues.
     *
     * @param arena  owner of the memory.
     * @param queues number of queues.
     * @param pool   where long queues go on; of the same thread.
     */
    public EligibilityQueues(final Arena arena, final int queues, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) queues * QUEUE_BYTES);
        this.pool = pool;
        this.list = new int[CellBatch.block(queues) + 1];
    }

    /** Entries of a queue. */
    public int length(final int queue) {
        return region.getInt(Region.offset(queue, QUEUE_BYTES), LENGTH);
    }

    /** The word of the oldest entry of a queue that is not empty. */
    public long first(final int queue) {
        return region.getLong(Region.offset(queue, QUEUE_BYTES), FIRST_WORD);
    }

    /**
     * Appends an entry.
     *
     * @param word what the rule looks at.
     * @param with carried along.
     * @return the length of the queue afterwards.
     */
    public int enqueue(final int queue, final long word, final long with) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        if (length < INLINE) {
            final long slot = slot(at, length);
            region.setLong(slot, 0, word);
            region.setLong(slot, 1, with);
        } else {
            spill(at, length, word, with);
        }
        region.setInt(at, LENGTH, length + 1);
        held++;
        return length + 1;
    }

    /**
     * Takes out the first eligible entry; {@link #entry()} and {@link #payload()} then give its words.
     *
     * @return false if the queue is empty or no entry is eligible.
     */
    public boolean dequeue(final int queue, final Eligibility rule) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        if (length == 0) {
            return false;
        }
        entry = region.getLong(at, FIRST_WORD);
        payload = region.getLong(at, FIRST_WORD + 1);
        if (!rule.eligible(queue, entry)) {
            return length > 1 && dequeueLater(queue, at, length, rule);
        }
        region.setInt(at, LENGTH, length - 1);
        held--;
        for (int word = FIRST_WORD; word < LAST_WORD; word++) {
            region.setLong(at, word, region.getLong(at, word + 2));
        }
        if (length > INLINE) {
            unspill(at);
        }
        return true;
    }

    /**
     * Looks at the oldest entries of queues that follow each other.
     *
     * @param first   the first of them.
     * @param count   how many, at most {@link CellBatch#CELLS}.
     * @param oldest  gets the lower halves of their words, undefined for empty queues.
     * @param waiting gets 1 for a queue that is not empty, else 0.
     */
    public void oldest(final int first, final int count, final int[] oldest, final int[] waiting) {
        final Region memory = region;
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(first + i, QUEUE_BYTES);
            oldest[i] = (int) memory.getLong(at, FIRST_WORD);
            waiting[i] = Branchless.ifPositive(memory.getInt(at, LENGTH));
        }
    }

    /**
     * Takes out the oldest entries.
     *
     * @param first     the first of some queues that follow each other.
     * @param firstNode the node whose queue that is.
     * @param which     the queues to take from, counted from the first; none of them is empty.
     * @param taken     how many those are.
     * @param into      gets the entries in the order of the list; its hops are not set.
     */
    public void dequeueOldest(final int first, final int firstNode, final int[] which, final int taken,
        final CellBatch into) {
        final Region memory = region;
        final int[] node = into.node;
        final int[] queue = into.queue;
        final long[] word = into.word;
        final long[] cell = into.cell;
        final int[] length = into.length;
        final int from = into.count;
        for (int k = 0; k < taken; k++) {
            queue[from + k] = first + which[k];
            node[from + k] = firstNode + which[k];
        }
        int more = 0;
        final int[] spilled = list;
        final int end = from + taken;
        for (int k = from; k < end; k++) {
            final long at = Region.offset(queue[k], QUEUE_BYTES);
            final int left = memory.getInt(at, LENGTH) - 1;
            word[k] = memory.getLong(at, FIRST_WORD);
            cell[k] = memory.getLong(at, FIRST_WORD + 1);
            length[k] = left;
            memory.setInt(at, LENGTH, left);
            memory.setLong(at, FIRST_WORD, memory.getLong(at, FIRST_WORD + 2));
            memory.setLong(at, FIRST_WORD + 1, memory.getLong(at, FIRST_WORD + 3));
            memory.setLong(at, FIRST_WORD + 2, memory.getLong(at, FIRST_WORD + 4));
            memory.setLong(at, FIRST_WORD + 3, memory.getLong(at, FIRST_WORD + 5));
            spilled[more] = k;
            more += Branchless.ifPositive(left - INLINE + 1);
        }
        held -= taken;
        into.count = end;
        for (int k = 0; k < more; k++) {
            unspill(Region.offset(queue[spilled[k]], QUEUE_BYTES));
        }
    }

    /** Appends the cells of a batch to their queues and tells it how long those are then. */
    public void enqueue(final CellBatch batch) {
        final Region memory = region;
        final int count = batch.count;
        final int[] queue = batch.queue;
        final long[] word = batch.word;
        final long[] cell = batch.cell;
        final int[] length = batch.length;
        int full = 0;
        held += count;
        fetch(queue, count);
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(queue[i], QUEUE_BYTES);
            final int before = memory.getInt(at, LENGTH);
            memory.setInt(at, LENGTH, before + 1);
            length[i] = before + 1;
            if (before < INLINE) {
                final long slot = slot(at, before);
                memory.setLong(slot, 0, word[i]);
                memory.setLong(slot, 1, cell[i]);
            } else {
                list[full++] = i;
            }
        }
        for (int k = 0; k < full; k++) {
            final int i = list[k];
            spill(Region.offset(queue[i], QUEUE_BYTES), length[i] - 1, word[i], cell[i]);
        }
    }

    /** Reads the lines of queues in a loop that does nothing else, so that many misses are under way at once. */
    private void fetch(final int[] queue, final int count) {
        final Region memory = region;
        int read = 0;
        for (int i = 0; i < count; i++) {
            read += memory.getInt(Region.offset(queue[i], QUEUE_BYTES), LENGTH);
        }
        // Kept, or the compiler would drop the reads.
        fetched += read;
    }

    /** Entries in all queues. */
    public long held() {
        return held;
    }

    /** The word of the entry taken out last. */
    public long entry() {
        return entry;
    }

    /** The payload word of the entry taken out last. */
    public long payload() {
        return payload;
    }

    /**
     * Shows every entry of a queue in order, for audits.
     *
     * @param visitor sees word and payload word.
     */
    public void forEach(final int queue, final Visitor visitor) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        for (int i = 0; i < Math.min(length, INLINE); i++) {
            final long slot = slot(at, i);
            visitor.entry(region.getLong(slot, 0), region.getLong(slot, 1));
        }
        int record = length > INLINE ? region.getInt(at, SPILL_HEAD) : SpillPool.NONE;
        while (record != SpillPool.NONE) {
            visitor.entry(pool.first(record), pool.second(record));
            record = pool.next(record);
        }
    }

    /** Sees the entries of a queue. */
    @FunctionalInterface
    public interface Visitor {
        /** One entry. */
        void entry(long word, long payload);
    }

    /** Takes out the first eligible entry after the oldest, which is not. */
    private boolean dequeueLater(final int queue, final long at, final int length, final Eligibility rule) {
        final int inline = Math.min(length, INLINE);
        for (int i = 1; i < inline; i++) {
            final long slot = slot(at, i);
            if (rule.eligible(queue, region.getLong(slot, 0))) {
                entry = region.getLong(slot, 0);
                payload = region.getLong(slot, 1);
                region.setInt(at, LENGTH, length - 1);
                held--;
                for (long hole = slot; hole < slot(at, INLINE - 1); hole += ENTRY_BYTES) {
                    region.setLong(hole, 0, region.getLong(hole, 2));
                    region.setLong(hole, 1, region.getLong(hole, 3));
                }
                if (length > INLINE) {
                    unspill(at);
                }
                return true;
            }
        }
        return length > INLINE && dequeueSpilled(queue, at, length, rule);
    }

    /** The oldest spilled entry takes the last inline place. */
    private void unspill(final long at) {
        final int record = region.getInt(at, SPILL_HEAD);
        region.setLong(at, LAST_WORD, pool.first(record));
        region.setLong(at, LAST_WORD + 1, pool.second(record));
        region.setInt(at, SPILL_HEAD, pool.next(record));
        pool.release(record);
    }

    private static long slot(final long at, final int position) {
        return at + ENTRIES + Region.offset(position, ENTRY_BYTES);
    }

    private void spill(final long at, final int length, final long word, final long with) {
        final int record = pool.take(word, with);
        if (length == INLINE) {
            region.setInt(at, SPILL_HEAD, record);
        } else {
            pool.setNext(region.getInt(at, SPILL_TAIL), record);
        }
        region.setInt(at, SPILL_TAIL, record);
    }

    private boolean dequeueSpilled(final int queue, final long at, final int length, final Eligibility rule) {
        int before = SpillPool.NONE;
        int record = region.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE) {
            final int next = pool.next(record);
            final long word = pool.first(record);
            if (rule.eligible(queue, word)) {
                entry = word;
                payload = pool.second(record);
                if (before == SpillPool.NONE) {
                    region.setInt(at, SPILL_HEAD, next);
                } else {
                    pool.setNext(before, next);
                }
                if (next == SpillPool.NONE) {
                    region.setInt(at, SPILL_TAIL, before);
                }
                pool.release(record);
                region.setInt(at, LENGTH, length - 1);
                held--;
                return true;
            }
            before = record;
            record = next;
        }
        return false;
    }
}
