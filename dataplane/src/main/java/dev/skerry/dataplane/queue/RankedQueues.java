package dev.skerry.dataplane.queue;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;
import java.util.function.LongUnaryOperator;

/**
 * A bank of queues whose first eligible entry in order of rank leaves first (docs/spec/shale.md §7). A {@link Ranking}
 * either ranks every entry, which is PIEO (§6), or puts entries into groups that are FIFOs, of which only the oldest
 * entry is ranked.
 *
 * <p>The entries of a queue lie in the order in which they would leave ({@link RankedOrder}).
 * Where ranks mostly rise, an entry that joins is compared with one or two; else with up to all of its queue, and the
 * entries on the shorter side of its place move. Memory grows with the entries held. One thread at a time.
 *
 * <p>Of the entries of a queue, the first three lie in a cache line, their ranks in half a
 * line, the others side by side in a ring, each in 32 bytes of one line, in a block as large as it needs.
 *
 * <pre>
 *   0        4       8       12        16        32        48        64       entry: 8 B word, 8 B payload word
 *   +--------+-------+-------+---------+---------+---------+---------+
 *   | length | block | start | unsorted| entry 0 | entry 1 | entry 2 |
 *   +--------+-------+-------+---------+---------+---------+---------+
 *   0        8        16       24          32       in the ring: 8 B word, 8 B payload word, 8 B rank
 *   +--------+--------+--------+-----------+
 *   | rank 0 | rank 1 | rank 2 | last rank |
 *   +--------+--------+--------+-----------+
 * </pre>
 *
 * Start is the place of entry 3 in the ring of the block; both are undefined for up to three entries, as is the
 * last rank without any. The ends of rings lie far apart, and reading one is a cache miss that writing to it is
 * not: so the rank of the last entry is noted. Unsorted is a number of entries.
 */
public final class RankedQueues implements CellQueues {
    /** Bytes of a queue, its block not counted. */
    public static final int QUEUE_BYTES = 96;
    /** Bytes of an entry in a ring. */
    static final int RING_ENTRY_BYTES = 32;
    /** Entries beside the fields of a queue. */
    static final int INLINE = 3;

    static final int LINE_BYTES = 64;
    static final int RANKS_BYTES = 32;

    /** Fields of a queue, in ints. */
    static final int LENGTH = 0;
    static final int BLOCK = 1;
    static final int START = 2;
    static final int UNSORTED = 3;
    /** Fields of an entry, in longs; the rank only in a ring. */
    static final int PAYLOAD = 1;
    static final int RANK = 2;
    /** The rank of the last entry, in longs. */
    static final int LAST = INLINE;

    private static final int ENTRY_BYTES = 16;
    private static final int ENTRIES_OFFSET = 16;

    /** Where the first and the last entry of a line begin, in longs. */
    static final int FIRST = ENTRIES_OFFSET / Long.BYTES;
    static final int THIRD = FIRST + 4;

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

    /**
     * The order of the entries of {@link RankedQueues}: that in which they would leave if none joined and all might go.
     * An entry that joins comes after the last one of its group, and before the first behind that which ranks after it:
     * that is when it will be the first. So the oldest entries of groups stand in order of rank; other entries may rank
     * before ones in front of them.
     *
     * <pre>
     *   0                      unsorted                  length
     *   +-------------------------+------------------------+
     *   | ranks in any order      | none ranks before one  |    a search from the end may stop at an entry
     *   |                         | in front of it         |    that does not rank after the one it is for
     *   +-------------------------+------------------------+
     * </pre>
     *
     * One thread at a time.
     */
    private static final class RankedOrder {
        private final RankedEntries entries;
        private final Ranking ranking;
        /** Whether no entry in front of the place found last ranks after the one it is for. */
        private boolean isSorted;

        RankedOrder(final RankedEntries entries, final Ranking ranking) {
            this.entries = entries;
            this.ranking = ranking;
        }

        /** An entry joins a queue. */
        void join(final int queue, final long word, final long with, final long rank) {
            final int length = entries.length(queue);
            if (length == 0 || length > entries.unsorted(queue) && entries.lastRank(queue) < rank) {
                entries.insert(queue, length, word, with, rank);
            } else {
                final int group = ranking.group(word);
                insert(queue, place(queue, group, rank), word, with, rank);
            }
        }

        /** Whether the rank that is noted of the last entry of a queue is the one it has. */
        boolean isLastRight(final int queue) {
            final int length = entries.length(queue);
            if (length == 0) {
                return true;
            }
            entries.seek(queue, length - 1);
            return entries.lastRank(queue) == entries.rank();
        }

        /** Takes out an entry of which no other of its group stands in front. */
        void remove(final int queue, final int place) {
            entries.seek(queue, place);
            final int group = ranking.group(entries.word());
            takeAway(queue, place);
            if (place > 0 && group != Ranking.ALONE) {
                moveUp(queue, place, group);
            }
        }

        /** Whether no other entry of its group stands before an entry. */
        boolean isRanked(final int queue, final int place) {
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
        boolean isInOrder(final int queue, final int place) {
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

    /**
     * Cells of a batch join and leave the queues of {@link RankedEntries} together, at most one for each queue, in
     * loops without branches that mispredict; rare cases are listed. One thread at a time.
     */
    private static final class RankedBatches {
        private final RankedEntries entries;
        /** Cells of a batch that a loop leaves to the next one. */
        private final int[] rest;
        /** The others. */
        private final int[] near;
        private int fetched;

        RankedBatches(final RankedEntries entries, final int count) {
            this.entries = entries;
            this.rest = new int[CellBatch.block(count) + 1];
            this.near = new int[CellBatch.block(count) + 1];
        }

        /**
         * Puts the cells of a batch behind the last entry of their queues where that is their place and lies beside the
         * fields, and writes the lengths into the batch.
         *
         * @param joiningRanks by cell of the batch.
         * @return number of cells left, which {@link #rest} lists.
         */
        int append(final CellBatch batch, final long[] joiningRanks) {
            final Region lines = entries.queues;
            final Region notes = entries.ranks;
            final int[] queue = batch.queue;
            int joining = 0;
            int left = 0;
            fetchQueues(queue, batch.count);
            for (int i = 0; i < batch.count; i++) {
                final long line = line(queue[i]);
                final int length = lines.getInt(line, LENGTH);
                final int isSorted = Branchless.ifPositive(length ^ lines.getInt(line, UNSORTED));
                final int isAfter = (int) (notes.getLong(ranks(queue[i]), LAST) - joiningRanks[i] >>> Long.SIZE - 1);
                final int isBehind = isSorted & isAfter | Branchless.ifZero(length);
                near[joining] = i;
                rest[left] = i;
                joining += isBehind & Branchless.ifPositive(INLINE - length);
                left = i + 1 - joining;
            }
            for (int k = 0; k < joining; k++) {
                final int i = near[k];
                final long line = line(queue[i]);
                final int length = lines.getInt(line, LENGTH);
                final long slot = slot(line, length);
                final long note = ranks(queue[i]);
                lines.setInt(line, LENGTH, length + 1);
                lines.setLong(slot, 0, batch.word[i]);
                lines.setLong(slot, PAYLOAD, batch.cell[i]);
                notes.setLong(note + Region.offset(length, Long.BYTES), joiningRanks[i]);
                notes.setLong(note, LAST, joiningRanks[i]);
                batch.length[i] = length + 1;
            }
            return left;
        }

        /** A cell of the last batch that did not join its queue. */
        int rest(final int k) {
            return rest[k];
        }

        /** Takes the first entry out of each queue of a batch, from one on, and completes the batch; none is empty. */
        void removeFirst(final int from, final CellBatch batch) {
            final Region lines = entries.queues;
            final Region notes = entries.ranks;
            final int[] queue = batch.queue;
            int more = 0;
            for (int k = from; k < batch.count; k++) {
                final long line = line(queue[k]);
                final long note = ranks(queue[k]);
                final int left = lines.getInt(line, LENGTH) - 1;
                batch.word[k] = lines.getLong(line, FIRST);
                batch.cell[k] = lines.getLong(line, FIRST + PAYLOAD);
                batch.length[k] = left;
                lines.setInt(line, LENGTH, left);
                lines.setInt(line, UNSORTED, Math.max(0, lines.getInt(line, UNSORTED) - 1));
                lines.setLong(line, FIRST, lines.getLong(line, FIRST + 2));
                lines.setLong(line, FIRST + 1, lines.getLong(line, FIRST + 3));
                lines.setLong(line, FIRST + 2, lines.getLong(line, THIRD));
                lines.setLong(line, FIRST + 3, lines.getLong(line, THIRD + PAYLOAD));
                notes.setLong(note, 0, notes.getLong(note, 1));
                notes.setLong(note, 1, notes.getLong(note, 2));
                rest[more] = k;
                more += Branchless.ifPositive(left - INLINE + 1);
            }
            refill(queue, more);
        }

        /** Moves the first entry of the ring of each queue listed beside its fields. */
        private void refill(final int[] queue, final int count) {
            final Region lines = entries.queues;
            fetchStarts(queue, count);
            for (int k = 0; k < count; k++) {
                final long line = line(queue[rest[k]]);
                final int block = lines.getInt(line, BLOCK);
                final int start = lines.getInt(line, START);
                final Region ring = entries.blocks.region(block);
                final long first = inRing(block, start, INLINE);
                lines.setLong(line, THIRD, ring.getLong(first, 0));
                lines.setLong(line, THIRD + PAYLOAD, ring.getLong(first, PAYLOAD));
                entries.ranks.setLong(ranks(queue[rest[k]]), INLINE - 1, ring.getLong(first, RANK));
                lines.setInt(line, START, start + 1);
                entries.giveBack(line, lines.getInt(line, LENGTH) - INLINE);
            }
        }

        /** Reads the lines of queues that a cell joins in a loop of its own, so that cache misses overlap. */
        private void fetchQueues(final int[] queue, final int count) {
            final Region lines = entries.queues;
            final Region notes = entries.ranks;
            int read = 0;
            for (int i = 0; i < count; i++) {
                read += lines.getInt(line(queue[i]), LENGTH) + notes.getInt(ranks(queue[i]), 0);
            }
            // Stored so that the compiler keeps the reads.
            fetched += read;
        }

        /** As {@link #fetchQueues}, for the starts of rings. */
        private void fetchStarts(final int[] queue, final int count) {
            final Region lines = entries.queues;
            int read = 0;
            for (int k = 0; k < count; k++) {
                final long line = line(queue[rest[k]]);
                final int block = lines.getInt(line, BLOCK);
                read += entries.blocks.region(block).getInt(inRing(block, lines.getInt(line, START), INLINE));
            }
            fetched += read;
        }
    }

    /** Byte offset of the line of a queue. */
    static long line(final int queue) {
        return Region.offset(queue, LINE_BYTES);
    }

    /** Byte offset of the ranks of a queue. */
    static long ranks(final int queue) {
        return Region.offset(queue, RANKS_BYTES);
    }

    /** Byte offset of an entry of the line at a byte offset. */
    static long slot(final long line, final int place) {
        return line + ENTRIES_OFFSET + Region.offset(place, ENTRY_BYTES);
    }

    /** Byte offset of an entry behind the inline ones in the region of its block. */
    static long inRing(final int block, final int start, final int place) {
        return RankedEntries.EntryBlocks.offset(block)
            + Region.offset(start + place - INLINE & RankedEntries.EntryBlocks.capacity(block) - 1, RING_ENTRY_BYTES);
    }
}
