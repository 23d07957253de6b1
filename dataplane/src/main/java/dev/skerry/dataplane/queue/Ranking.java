package dev.skerry.dataplane.queue;

/** Order in which entries leave {@link RankedQueues}. Either all entries belong to groups, or no entry does. */
public interface Ranking {
    /** Group of an entry that is ranked individually. */
    int ALONE = -1;

    /**
     * The rank of a new entry of a queue: the lowest rank leaves first.
     *
     * @param now     the time, see {@link CellQueues#turnTo}.
     * @param word    word of the entry.
     * @param payload payload word of the entry.
     */
    long rank(long now, long word, long payload);

    /**
     * The group of an entry, 0 or more, or {@link #ALONE}. The entries of a group leave a queue in order of arrival,
     * whatever their ranks. Among the oldest of each group the lowest rank leaves first; among equal ranks, the largest
     * group. Entries without a group leave in order of arrival if their ranks are equal.
     */
    int group(long word);
}
