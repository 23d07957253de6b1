package dev.skerry.dataplane.queue;

/**
 * The order of the entries of {@link RankedQueues}: that in which they would leave if none joined and all might go. An
 * entry that joins comes after the last one of its group, and before the first behind that which ranks after it: that
 * is when it will be the first. So the oldest entries of groups stand in order of rank; other entries may rank before
 * ones in front of them.
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
final class RankedOrder {
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

    /** Whether no entry in front of one, or of the sorted ones, ranks after it, back to the last one of its group. */
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

    /** The oldest entry of a group has left before its turn, so that others of the group may stand too far behind. */
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
