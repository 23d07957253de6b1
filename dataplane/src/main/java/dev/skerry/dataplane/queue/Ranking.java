package dev.skerry.dataplane.queue;

/** What the entries of {@link RankedQueues} leave by. Either all entries stand in groups, or none does. */
public interface Ranking {
    /** The group of an entry that is ranked by itself. */
    int ALONE = -1;

    /**
     * The rank of an entry that joins a queue: the lowest leaves first.
     *
     * @param now     the time, see {@link CellQueues#turnTo}.
     * @param word    of the entry.
     * @param payload word of the entry.
     */
    long rank(long now, long word, long payload);

    /**
     * The group of an entry, 0 or more, or {@link #ALONE}. The entries of a group leave a queue in the order they came,
     * whatever their ranks; among the oldest of each group the lowest rank leaves first, and of equal ranks the largest
     * group. Of entries that stand alone, equal ranks leave in the order they came.
     */
    int group(long word);
}
