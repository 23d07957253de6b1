package dev.skerry.dataplane.queue;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of queues whose first eligible entry in order of rank leaves first (docs/spec/shale.md §7). A {@link Ranking}
 * either ranks every entry, which is PIEO (§6), or puts entries into groups that are FIFOs, of which only the oldest
 * entry is ranked.
 *
 * <p>The entries of a queue lie in the order in which they would leave if none joined and all might go. An entry that
 * joins comes after the last one of its group, and before the first behind that which ranks after it: that is when it
 * will be the first. So the oldest entries of groups stand in order of rank; other entries may rank before ones in
 * front of them.
 *
 * <pre>
 *   0                      unsorted                  length
 *   +-------------------------+------------------------+
 *   | ranks in any order      | none ranks before one  |    a search from the end may stop at an entry
 *   |                         | in front of it         |    that does not rank after the one it is for
 *   +-------------------------+------------------------+
 * </pre>
 *
 * Where ranks mostly rise, an entry that joins is compared with one or two; else with up to all of its queue, and the
 * entries on the shorter side of its place move. Memory grows with the entries held. One thread at a time.
 */
public final class RankedQueues extends CellQueues {
    /** Bytes of a queue, its block not counted. */
    public static final int QUEUE_BYTES = 96;

    private final int queues;
    private final RankedEntries entries;
    private final Ranking ranking;
    /** Of the cells of a batch. */
    private final long[] ranks;
    /** Whether no entry in front of the place found last ranks after the one it is for. */
    private boolean isSorted;
    private long now;

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
            final int i = entries.rest(k);
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

    /** Takes out an entry of which no other of its group stands in front. */
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

    /** An entry joins a queue. */
    private void join(final int queue, final long word, final long with, final long rank) {
        final int length = entries.length(queue);
        if (length == 0 || length > entries.unsorted(queue) && entries.lastRank(queue) < rank) {
            entries.insert(queue, length, word, with, rank);
        } else {
            final int group = ranking.group(word);
            insert(queue, place(queue, group, rank), word, with, rank);
        }
    }

    /** Whether the rank that is noted of the last entry of a queue is the one it has. */
    private boolean isLastRight(final int queue) {
        final int length = entries.length(queue);
        if (length == 0) {
            return true;
        }
        entries.seek(queue, length - 1);
        return entries.lastRank(queue) == entries.rank();
    }

    /** Whether no other entry of its group stands before an entry. */
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
     * Whether no entry in front of one, or of the sorted ones, ranks after it, back to the last one of its group.
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

    /** Whether the entry that was looked for last ranks after another one that came later. */
    private boolean isAfter(final long rank, final int group) {
        final long of = entries.rank();
        return of > rank || of == rank && ranking.group(entries.word()) < group;
    }

    /** Whether the entry that was looked for last is of a group. */
    private boolean isOf(final int group) {
        return group != Ranking.ALONE && ranking.group(entries.word()) == group;
    }

    /** The place where an entry that joins belongs. */
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
     * The oldest entry of a group has left before its turn, so that others of the group may stand too far behind.
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

    /** Moves an entry to the first place from one on where it is the next to leave; returns the place. */
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
