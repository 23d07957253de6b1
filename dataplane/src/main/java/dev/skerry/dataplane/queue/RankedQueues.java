package dev.skerry.dataplane.queue;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of queues whose first eligible entry in order of rank leaves first (docs/spec/shale.md §7). A {@link Ranking}
 * either ranks every entry, which is PIEO (§6), or puts entries into groups that are FIFOs, of which only the oldest
 * entry is ranked.
 *
 * <p>The entries of a queue lie in the order in which they would leave ({@link RankedOrder}, {@link RankedLayout}).
 * Where ranks mostly rise, an entry that joins is compared with one or two; else with up to all of its queue, and the
 * entries on the shorter side of its place move. Memory grows with the entries held. One thread at a time.
 */
public final class RankedQueues implements CellQueues {
    /** Bytes of one queue with up to three entries. */
    public static final int QUEUE_BYTES = RankedLayout.QUEUE_BYTES;

    private final int queues;
    private final RankedEntries entries;
    private final RankedBatches batches;
    private final RankedOrder order;
    private final Ranking ranking;
    /** Of the cells of a batch. */
    private final long[] ranks;
    private long now;
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
        this.entries = new RankedEntries(arena, queues);
        this.batches = new RankedBatches(entries, queues);
        this.order = new RankedOrder(entries, ranking);
        this.ranking = ranking;
        this.ranks = new long[CellBatch.block(queues)];
    }

    @Override
    public int length(final int queue) {
        return entries.length(queue);
    }

    @Override
    public long first(final int queue) {
        return entries.first(queue);
    }

    /** The rank of the first entry; 0 for an empty queue. */
    public long firstRank(final int queue) {
        entries.seek(queue, 0);
        return length(queue) == 0 ? 0 : entries.rank();
    }

    @Override
    public void turnTo(final long time) {
        now = time;
    }

    @Override
    public int enqueue(final int queue, final long word, final long with) {
        order.join(queue, word, with, ranking.rank(now, word, with));
        held++;
        return length(queue);
    }

    @Override
    public void enqueue(final CellBatch batch) {
        for (int i = 0; i < batch.count; i++) {
            ranks[i] = ranking.rank(now, batch.word[i], batch.cell[i]);
        }
        final int rest = batches.append(batch, ranks);
        for (int k = 0; k < rest; k++) {
            final int i = batches.rest(k);
            order.join(batch.queue[i], batch.word[i], batch.cell[i], ranks[i]);
            batch.length[i] = length(batch.queue[i]);
        }
        held += batch.count;
    }

    @Override
    public boolean dequeue(final int queue, final Eligibility rule) {
        final int length = length(queue);
        for (int place = 0; place < length; place++) {
            if (order.isRanked(queue, place)) {
                entries.seek(queue, place);
                if (rule.eligible(queue, entries.word())) {
                    takeOut(queue, place);
                    return true;
                }
            }
        }
        return false;
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
        final int from = into.count;
        for (int k = 0; k < taken; k++) {
            into.queue[from + k] = first + which[k];
            into.node[from + k] = firstNode + which[k];
        }
        into.count = from + taken;
        batches.removeFirst(from, into);
        held -= taken;
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
        final long[][] all = new long[length(queue)][];
        for (int i = 0; i < all.length; i++) {
            entries.seek(queue, 0);
            all[i] = new long[] {entries.word(), entries.payload(), entries.rank()};
            takeOut(queue, 0);
        }
        for (final long[] one : all) {
            if (stays.eligible(queue, one[0])) {
                order.join(queue, one[0], one[1], one[2]);
                held++;
            } else {
                away.entry(one[0], one[1]);
            }
        }
    }

    @Override
    public void rewrite(final int queue, final LongUnaryOperator change) {
        for (int place = 0; place < length(queue); place++) {
            entries.seek(queue, place);
            entries.setWord(change.applyAsLong(entries.word()));
        }
    }

    @Override
    public void forEach(final int queue, final Visitor visitor) {
        for (int place = 0; place < length(queue); place++) {
            entries.seek(queue, place);
            visitor.entry(entries.word(), entries.payload());
        }
    }

    @Override
    public int disordered() {
        for (int queue = 0; queue < queues; queue++) {
            for (int place = 1; place < length(queue); place++) {
                if (!order.isInOrder(queue, place)) {
                    return queue;
                }
            }
            if (!order.isLastRight(queue)) {
                return queue;
            }
        }
        return -1;
    }

    private void takeOut(final int queue, final int place) {
        entries.seek(queue, place);
        entry = entries.word();
        payload = entries.payload();
        order.remove(queue, place);
        held--;
    }
}
