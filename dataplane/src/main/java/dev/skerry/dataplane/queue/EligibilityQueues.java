package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of PIEO queues whose rank is the order of arrival: the oldest eligible entry leaves first (docs/spec/shale.md
 * §5.2, §6). Eligibility is checked at dequeue, so a returning token reorders nothing. It is tested against {@link
 * dev.skerry.dataplane.pieo.PieoList}.
 *
 * <p>A queue is one cache line with its three oldest entries inline. When an entry leaves, the later ones move up,
 * which costs less than the arithmetic of a ring. Further entries wait in the {@link SpillPool}. Enqueue is O(1);
 * dequeue evaluates the rule once for each entry up to the first eligible one. Both also work on a {@link CellBatch},
 * with one entry for each of many queues. One thread at a time. Queues are numbered from 0; a number outside the bank
 * is caught by an assertion only.
 *
 * <p>The words of a queue, one cache line:
 *
 * <pre>
 *   0       4            8            12    16       32       48       64
 *   +-------+------------+------------+-----+--------+--------+--------+
 *   | length| spill head | spill tail | pad | entry 0| entry 1| entry 2|    entry: 8 B word, 8 B payload word
 *   +-------+------------+------------+-----+--------+--------+--------+
 * </pre>
 *
 * Entry 0 is the oldest. Spill head and tail are records of the {@link SpillPool}: the oldest and the newest entry
 * that is not inline; undefined while there is none.
 */
public final class EligibilityQueues extends CellQueues {
    /** Size of a queue in bytes, without the pool. */
    public static final int QUEUE_BYTES = 64;
    /** Bytes of an inline entry. */
    private static final int ENTRY_BYTES = 16;

    /** Fields of a queue, in ints. */
    private static final int LENGTH = 0;
    private static final int SPILL_HEAD = 1;
    private static final int SPILL_TAIL = 2;
    /** Offset of spill head and tail, in bytes. */
    private static final long SPILLED = SPILL_HEAD * Integer.BYTES;

    private static final int ENTRIES_OFFSET = 16;

    /** Number of inline entries. */
    private static final int INLINE = (QUEUE_BYTES - ENTRIES_OFFSET) / ENTRY_BYTES;
    /** Offsets of the first and the last inline entry, in longs. */
    private static final int FIRST_WORD = ENTRIES_OFFSET / Long.BYTES;
    private static final int LAST_WORD = FIRST_WORD + (INLINE - 1) * 2;

    private final Region region;
    private final SpillPool pool;
    /** Cells of a batch that one loop leaves to the next. */
    private final int[] list;
    private int fetched;

    /**
     * Creates a bank of empty queues.
     *
     * @param arena  owner of the memory.
     * @param queues number of queues, at least 1.
     * @param pool   holds the entries that do not fit inline; used by the same thread.
     */
    public EligibilityQueues(final Arena arena, final int queues, final SpillPool pool) {
        this.region = Region.allocate(arena, (long) queues * QUEUE_BYTES);
        this.pool = pool;
        this.list = new int[CellBatch.block(queues)];
    }

    @Override
    public int length(final int queue) {
        return region.getInt(Region.offset(queue, QUEUE_BYTES), LENGTH);
    }

    @Override
    public int lengths(final int first, final int step, final int count, final int[] into) {
        final Region memory = region;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            into[i] = memory.getInt(Region.offset(first + i * step, QUEUE_BYTES), LENGTH);
            least = Math.min(least, into[i]);
        }
        return least;
    }

    @Override
    public long first(final int queue) {
        return region.getLong(Region.offset(queue, QUEUE_BYTES), FIRST_WORD);
    }

    @Override
    public int enqueue(final int queue, final long word, final long with) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        if (length < INLINE) {
            final long slot = slot(at, length);
            region.setLong(slot, 0, word);
            region.setLong(slot, 1, with);
        } else {
            pool.append(region, at + SPILLED, length == INLINE, word, with);
        }
        region.setInt(at, LENGTH, length + 1);
        held++;
        return length + 1;
    }

    @Override
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
            refill(at);
        }
        return true;
    }

    @Override
    public void oldest(final int first, final int count, final int[] oldest, final int[] waiting) {
        final Region memory = region;
        for (int i = 0; i < count; i++) {
            final long at = Region.offset(first + i, QUEUE_BYTES);
            oldest[i] = (int) memory.getLong(at, FIRST_WORD);
            waiting[i] = Branchless.ifPositive(memory.getInt(at, LENGTH));
        }
    }

    @Override
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
            refill(Region.offset(queue[spilled[k]], QUEUE_BYTES));
        }
    }

    @Override
    public void enqueue(final CellBatch batch) {
        final Region memory = region;
        final int count = batch.count;
        final int[] queue = batch.queue;
        final long[] word = batch.word;
        final long[] cell = batch.cell;
        final int[] length = batch.length;
        int full = 0;
        held += count;
        fetch(0, queue, 0, count);
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
            final long spilled = Region.offset(queue[i], QUEUE_BYTES) + SPILLED;
            pool.append(memory, spilled, length[i] - 1 == INLINE, word[i], cell[i]);
        }
    }

    @Override
    public void fetch(final int first, final int[] which, final int from, final int end) {
        fetched += region.fetch(first, which, from, end, QUEUE_BYTES);
    }

    @Override
    public void forEach(final int queue, final Visitor visitor) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        for (int i = 0; i < Math.min(length, INLINE); i++) {
            final long slot = slot(at, i);
            visitor.entry(region.getLong(slot, 0), region.getLong(slot, 1));
        }
        if (length > INLINE) {
            pool.forEach(region.getInt(at, SPILL_HEAD), visitor);
        }
    }

    @Override
    public void remove(final int queue, final Eligibility stays, final Visitor away) {
        for (int left = length(queue); left > 0; left--) {
            dequeue(queue, Eligibility.ALWAYS);
            if (stays.eligible(queue, entry)) {
                enqueue(queue, entry, payload);
            } else {
                away.entry(entry, payload);
            }
        }
    }

    @Override
    public void rewrite(final int queue, final LongUnaryOperator change) {
        for (int left = length(queue); left > 0; left--) {
            dequeue(queue, Eligibility.ALWAYS);
            enqueue(queue, change.applyAsLong(entry), payload);
        }
    }

    /** Removes the first eligible entry after the oldest, which is not eligible. */
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
                    refill(at);
                }
                return true;
            }
        }
        return length > INLINE && dequeueSpilled(queue, at, length, rule);
    }

    private boolean dequeueSpilled(final int queue, final long at, final int length, final Eligibility rule) {
        int before = SpillPool.NONE;
        int record = region.getInt(at, SPILL_HEAD);
        while (record != SpillPool.NONE && !rule.eligible(queue, pool.first(record))) {
            before = record;
            record = pool.next(record);
        }
        if (record == SpillPool.NONE) {
            return false;
        }
        final int next = pool.next(record);
        if (before == SpillPool.NONE) {
            region.setInt(at, SPILL_HEAD, next);
        } else {
            pool.setNext(before, next);
        }
        if (next == SpillPool.NONE) {
            region.setInt(at, SPILL_TAIL, before);
        }
        entry = pool.first(record);
        payload = pool.second(record);
        pool.release(record);
        region.setInt(at, LENGTH, length - 1);
        held--;
        return true;
    }

    /** Moves the oldest spilled entry to the last inline position. */
    private void refill(final long at) {
        final int record = pool.poll(region, at + SPILLED);
        region.setLong(at, LAST_WORD, pool.first(record));
        region.setLong(at, LAST_WORD + 1, pool.second(record));
    }

    /** Byte offset of an inline entry, given the byte offset of its queue. */
    static long slot(final long at, final int position) {
        return at + ENTRIES_OFFSET + Region.offset(position, ENTRY_BYTES);
    }
}
