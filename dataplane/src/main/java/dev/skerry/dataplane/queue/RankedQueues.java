package dev.skerry.dataplane.queue;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of queues whose first eligible entry in rank order leaves first (docs/spec/shale.md §7). A {@link Ranking}
 * either ranks every entry, which is PIEO (§6), or assigns entries to groups that are FIFOs, of which only the oldest
 * entry is ranked.
 *
 * <p>The entries of a queue are stored in the order in which they would leave if no more entries joined and all were
 * eligible. A new entry is inserted after the last entry of its group, and before the first later entry that ranks
 * after it: at that point it becomes the first candidate. The oldest entries of groups are therefore in rank order;
 * other entries may rank before entries in front of them.
 *
 * <pre>
 *   0                      unsorted                  length
 *   +-------------------------+------------------------+
 *   | ranks in any order      | none ranks before one  |    a search from the end may stop at an entry
 *   |                         | in front of it         |    that does not rank after the new one
 *   +-------------------------+------------------------+
 * </pre>
 *
 * If ranks mostly rise, a new entry is compared with one or two others, otherwise with up to all entries of its queue;
 * the entries on the shorter side of its place move. Memory grows with the entries held. One thread at a time.
 */
public final class RankedQueues extends CellQueues {
    /** Size of a queue in bytes, without its block. */
    public static final int QUEUE_BYTES = 96;

    private final int queues;
    private final RankedEntries entries;
    private final Ranking ranking;
    /** Ranks of the cells of a batch. */
    private final long[] ranks;
    /** Whether no entry before the place found last ranks after the new entry. */
    private boolean isSorted;
    private long now;

    /**
     * Creates a bank of empty queues at time 0.
     *
     * @param arena   owner of the memory.
     * @param queues  number of queues, at least 1.
     * @param ranking ranks of their entries.
     */
    public RankedQueues(final Arena arena, final int queues, final Ranking ranking) {
        this.queues = queues;
        this.entries = new RankedEntries(arena, queues);
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
        join(queue, word, with, ranking.rank(now, word, with));
        held++;
        return length(queue);
    }

    @Override
    public void enqueue(final CellBatch batch) {
        for (int i = 0; i < batch.count; i++) {
            ranks[i] = ranking.rank(now, batch.word[i], batch.cell[i]);
        }
        final int rest = entries.append(batch, ranks);
        for (int k = 0; k < rest; k++) {
            final int i = entries.remaining(k);
            join(batch.queue[i], batch.word[i], batch.cell[i], ranks[i]);
            batch.length[i] = length(batch.queue[i]);
        }
        held += batch.count;
    }

    @Override
    public boolean dequeue(final int queue, final Eligibility rule) {
        final int length = length(queue);
        for (int place = 0; place < length; place++) {
            if (isRanked(queue, place)) {
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
        entries.removeFirst(from, into);
        held -= taken;
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
                join(queue, one[0], one[1], one[2]);
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
                if (!isInOrder(queue, place)) {
                    return queue;
                }
            }
            if (!isLastRight(queue)) {
                return queue;
            }
        }
        return -1;
    }

    /** Removes an entry that is the first of its group. */
    private void takeOut(final int queue, final int place) {
        entries.seek(queue, place);
        entry = entries.word();
        payload = entries.payload();
        takeAway(queue, place);
        if (place > 0 && ranking.group(entry) != Ranking.ALONE) {
            moveUp(queue, place, ranking.group(entry));
        }
        held--;
    }

    /** Adds an entry to a queue. */
    private void join(final int queue, final long word, final long with, final long rank) {
        final int length = entries.length(queue);
        if (length == 0 || length > entries.unsorted(queue) && entries.lastRank(queue) < rank) {
            entries.insert(queue, length, word, with, rank);
        } else {
            final int group = ranking.group(word);
            insert(queue, place(queue, group, rank), word, with, rank);
        }
    }

    /** Whether the stored rank of the last entry of a queue is correct. */
    private boolean isLastRight(final int queue) {
        final int length = entries.length(queue);
        if (length == 0) {
            return true;
        }
        entries.seek(queue, length - 1);
        return entries.lastRank(queue) == entries.rank();
    }

    /** Whether an entry is the first of its group. */
    private boolean isRanked(final int queue, final int place) {
        entries.seek(queue, place);
        final int group = ranking.group(entries.word());
        boolean isFirst = true;
        for (int i = 0; i < place && isFirst && group != Ranking.ALONE; i++) {
            entries.seek(queue, i);
            isFirst = !isOf(group);
        }
        return isFirst;
    }

    /**
     * Whether no earlier entry ranks after this one. Only entries back to the last one of its group are compared, or
     * only sorted ones.
     */
    private boolean isInOrder(final int queue, final int place) {
        entries.seek(queue, place);
        final long rank = entries.rank();
        final int group = ranking.group(entries.word());
        final int unsorted = entries.unsorted(queue);
        for (int i = place - 1; i >= 0; i--) {
            entries.seek(queue, i);
            if (place < unsorted && isOf(group)) {
                return true;
            }
            if (isAfter(rank, group)) {
                return false;
            }
            if (i >= unsorted) {
                return true;
            }
        }
        return true;
    }

    /** Whether the entry found last ranks after another entry that joined later. */
    private boolean isAfter(final long rank, final int group) {
        final long of = entries.rank();
        return of > rank || of == rank && ranking.group(entries.word()) < group;
    }

    /** Whether the entry found last belongs to a group. */
    private boolean isOf(final int group) {
        return group != Ranking.ALONE && ranking.group(entries.word()) == group;
    }

    /** The place of a new entry. */
    private int place(final int queue, final int group, final long rank) {
        final int unsorted = entries.unsorted(queue);
        int place = entries.length(queue);
        isSorted = true;
        for (int i = place - 1; i >= 0; i--) {
            entries.seek(queue, i);
            final boolean isAfter = isAfter(rank, group);
            if (isOf(group)) {
                isSorted = i >= unsorted && !isAfter;
                break;
            }
            if (isAfter) {
                place = i;
            } else if (i >= unsorted) {
                break;
            }
        }
        return place;
    }

    private void insert(final int queue, final int place, final long word, final long with, final long rank) {
        final int unsorted = entries.unsorted(queue);
        if (place < unsorted) {
            entries.setUnsorted(queue, unsorted + 1);
        } else if (!isSorted) {
            entries.setUnsorted(queue, place + 1);
        }
        entries.insert(queue, place, word, with, rank);
    }

    private void takeAway(final int queue, final int place) {
        final int unsorted = entries.unsorted(queue);
        entries.setUnsorted(queue, place < unsorted ? unsorted - 1 : unsorted);
        entries.remove(queue, place);
    }

    /**
     * Restores the order after the oldest entry of a group has left early: other entries of the group may be too far
     * back.
     */
    private void moveUp(final int queue, final int gone, final int group) {
        int from = 0;
        for (int place = gone; place < entries.length(queue); place++) {
            entries.seek(queue, place);
            if (isOf(group)) {
                final int to = moveUp(queue, from, place, group);
                if (to == place) {
                    return;
                }
                from = to + 1;
            }
        }
    }

    /**
     * Moves an entry to the first place, starting at {@code from}, at which it would be the next to leave; returns the
     * place.
     */
    private int moveUp(final int queue, final int from, final int place, final int group) {
        final long word = entries.word();
        final long with = entries.payload();
        final long rank = entries.rank();
        int to = from;
        while (to < place) {
            entries.seek(queue, to);
            if (isAfter(rank, group)) {
                takeAway(queue, place);
                isSorted = from == 0;
                insert(queue, to, word, with, rank);
                return to;
            }
            to++;
        }
        return place;
    }
}
