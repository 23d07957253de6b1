package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of queues whose first eligible entry in order of rank leaves first (docs/spec/shale.md §7). A {@link Ranking}
 * either ranks every entry, which is PIEO (§6), or puts entries into groups that are FIFOs, of which only the oldest
 * entry is ranked.
 *
 * <pre>
 *   queue   0        4      8         ranked entries                others of a group
 *           +--------+------+         +-----------+
 *           | length | top  | ------> | skew heap | --- next -----> FIFO, its newest from GroupTails
 *           +--------+------+         +-----------+
 * </pre>
 *
 * Adding an entry costs O(1) to O(log of the groups), amortised; taking one out O(log) and a question to the rule for
 * each ranked entry before it that may not leave. Memory grows with the entries held. One thread at a time.
 */
public final class RankedQueues implements CellQueues {
    /** Bytes of one queue, the entries not counted. */
    public static final int QUEUE_BYTES = 8;

    private static final int LENGTH = 0;
    /** The first entry; undefined for an empty queue. */
    private static final int TOP = 1;

    private final int queues;
    private final Region region;
    private final RankedEntries entries;
    private final GroupTails tails;
    private final Ranking ranking;
    private long now;
    /** Entries that ever joined alone. */
    private long joined;
    private long held;
    private long entry;
    private long payload;

    /**
     * A bank of empty queues at time 0.
     *
     * @param arena   owner of the memory.
     * @param queues  number of queues, at least 1.
     * @param ranking of their entries.
     */
    public RankedQueues(final Arena arena, final int queues, final Ranking ranking) {
        this.queues = queues;
        this.region = Region.allocate(arena, (long) queues * QUEUE_BYTES);
        this.entries = new RankedEntries(arena);
        this.tails = new GroupTails(arena);
        this.ranking = ranking;
    }

    @Override
    public int length(final int queue) {
        return region.getInt(Region.offset(queue, QUEUE_BYTES), LENGTH);
    }

    @Override
    public long first(final int queue) {
        return length(queue) == 0 ? 0 : entries.word(top(queue));
    }

    /** The rank of the first entry; 0 for an empty queue. */
    public long firstRank(final int queue) {
        return length(queue) == 0 ? 0 : entries.rank(top(queue));
    }

    /** Groups with entries, over all queues; 0 where entries stand alone. */
    public int groups() {
        return tails.size();
    }

    @Override
    public void turnTo(final long time) {
        now = time;
    }

    @Override
    public int enqueue(final int queue, final long word, final long with) {
        final int group = ranking.group(word);
        final long tie = group == Ranking.ALONE ? joined++ : -group;
        link(queue, group, entries.take(word, with, ranking.rank(now, word, with), tie));
        return length(queue);
    }

    @Override
    public void enqueue(final CellBatch batch) {
        for (int i = 0; i < batch.count; i++) {
            batch.length[i] = enqueue(batch.queue[i], batch.word[i], batch.cell[i]);
        }
    }

    @Override
    public boolean dequeue(final int queue, final Eligibility rule) {
        if (length(queue) == 0) {
            return false;
        }
        final int found = entries.find(top(queue), queue, rule);
        if (found == RankedEntries.NONE) {
            return false;
        }
        takeOut(queue, found, entries.above());
        return true;
    }

    @Override
    public void oldest(final int first, final int count, final int[] oldest, final int[] waiting) {
        for (int i = 0; i < count; i++) {
            waiting[i] = Branchless.ifPositive(length(first + i));
            oldest[i] = (int) first(first + i);
        }
    }

    @Override
    public void dequeueOldest(final int first, final int firstNode, final int[] which, final int taken,
        final CellBatch into) {
        for (int k = 0; k < taken; k++) {
            final int queue = first + which[k];
            takeOut(queue, top(queue), RankedEntries.NONE);
            into.add(firstNode + which[k], queue, length(queue), entry, payload);
        }
    }

    @Override
    public long held() {
        return held;
    }

    @Override
    public long entry() {
        return entry;
    }

    @Override
    public long payload() {
        return payload;
    }

    @Override
    public void remove(final int queue, final Eligibility stays, final Visitor away) {
        for (final int at : takeAll(queue)) {
            if (stays.eligible(queue, entries.word(at))) {
                putBack(queue, at);
            } else {
                away.entry(entries.word(at), entries.payload(at));
                entries.release(at);
            }
        }
    }

    @Override
    public void rewrite(final int queue, final LongUnaryOperator change) {
        for (final int at : takeAll(queue)) {
            entries.setWord(at, change.applyAsLong(entries.word(at)));
            putBack(queue, at);
        }
    }

    @Override
    public void forEach(final int queue, final Visitor visitor) {
        if (length(queue) > 0) {
            entries.forEach(top(queue), visitor);
        }
    }

    /** All entries of a queue in order, taken out with their ranks. */
    private int[] takeAll(final int queue) {
        final int[] all = new int[length(queue)];
        for (int i = 0; i < all.length; i++) {
            all[i] = top(queue);
            unlink(queue, all[i], RankedEntries.NONE);
        }
        return all;
    }

    private void putBack(final int queue, final int taken) {
        entries.clear(taken);
        link(queue, ranking.group(entries.word(taken)), taken);
    }

    @Override
    public int disordered() {
        final int[] shown = new int[1];
        for (int queue = 0; queue < queues; queue++) {
            shown[0] = 0;
            forEach(queue, (word, with) -> shown[0]++);
            if (shown[0] != length(queue) || shown[0] > 0 && !entries.isHeap(top(queue))) {
                return queue;
            }
        }
        return -1;
    }

    private int top(final int queue) {
        return region.getInt(Region.offset(queue, QUEUE_BYTES), TOP);
    }

    /** An entry joins a queue: behind the newest of its group, or else among the ranked ones. */
    private void link(final int queue, final int group, final int added) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        final int length = region.getInt(at, LENGTH);
        final int newest = group == Ranking.ALONE ? RankedEntries.NONE : tails.put(queue, group, added);
        if (newest != RankedEntries.NONE) {
            entries.setNext(newest, added);
        } else {
            region.setInt(at, TOP, length == 0 ? added : entries.join(region.getInt(at, TOP), added));
        }
        region.setInt(at, LENGTH, length + 1);
        held++;
    }

    private void takeOut(final int queue, final int taken, final int above) {
        entry = entries.word(taken);
        payload = entries.payload(taken);
        unlink(queue, taken, above);
        entries.release(taken);
    }

    /** A ranked entry leaves its queue, and the next of its group is ranked in its stead. */
    private void unlink(final int queue, final int taken, final int above) {
        final long at = Region.offset(queue, QUEUE_BYTES);
        int top = region.getInt(at, TOP);
        final int below = entries.joinBelow(taken);
        if (above == RankedEntries.NONE) {
            top = below;
        } else {
            entries.replace(above, taken, below);
        }
        final int next = entries.next(taken);
        if (next != RankedEntries.NONE) {
            top = entries.join(top, next);
        } else {
            final int group = ranking.group(entries.word(taken));
            if (group != Ranking.ALONE) {
                tails.remove(queue, group);
            }
        }
        region.setInt(at, TOP, top);
        region.setInt(at, LENGTH, region.getInt(at, LENGTH) - 1);
        held--;
    }
}
