package dev.skerry.dataplane.queue;

/**
 * The order of things of four kinds: those of kind 0 first, of each kind in ascending order. Where nobody can predict
 * of which kind a thing is, each kind of work is then a loop over a run of the order, without a branch and without a
 * look at the others.
 *
 * <pre>
 *   where the next thing of each kind goes
 *   63      48 47      32 31      16 15       0
 *   +---------+----------+----------+----------+
 *   | kind 3  |  kind 2  |  kind 1  |  kind 0  |
 *   +---------+----------+----------+----------+
 * </pre>
 *
 * Nothing allocates once it is made. One thread.
 */
public final class KindPartition {
    /** Things that can be sorted. */
    public static final int MAX_CAPACITY = 1 << 16;

    private static final int COUNT_SHIFT = 4;
    private static final int COUNT_MASK = MAX_CAPACITY - 1;

    private final int[] kind;
    private final int[] order;
    private final int[] end = new int[4];

    /**
     * Room for things.
     *
     * @param capacity how many, 1 to {@link #MAX_CAPACITY}.
     * @throws IllegalArgumentException if it is outside that.
     */
    public KindPartition(final int capacity) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity must be 1 to " + MAX_CAPACITY + ": capacity=" + capacity);
        }
        this.kind = new int[capacity];
        this.order = new int[capacity];
    }

    /** Of which kind each thing is, 0 to 3; to be filled in before {@link #sort}. */
    public int[] kind() {
        return kind;
    }

    /** The things in the order of their kinds. */
    public int[] order() {
        return order;
    }

    /** One past the place in the order of the last thing of a kind; where the next kind begins. */
    public int end(final int ofKind) {
        return end[ofKind];
    }

    /**
     * Sorts the things from one to before another.
     *
     * @throws IndexOutOfBoundsException if there is no room for them.
     */
    public void sort(final int first, final int last) {
        count(first, last);
        final int[] kind = this.kind;
        final int[] order = this.order;
        long next = (long) end[2] << 48 | (long) end[1] << 32 | (long) end[0] << 16;
        for (int i = first; i < last; i++) {
            final int shift = kind[i] << COUNT_SHIFT;
            order[(int) (next >>> shift) & COUNT_MASK] = i;
            next += 1L << shift;
        }
    }

    private void count(final int first, final int last) {
        final int[] kind = this.kind;
        int odd = 0;
        int upper = 0;
        int threes = 0;
        for (int i = first; i < last; i++) {
            odd += kind[i] & 1;
            upper += kind[i] >>> 1;
            threes += kind[i] & kind[i] >>> 1;
        }
        end[0] = last - first - odd - upper + threes;
        end[1] = end[0] + odd - threes;
        end[2] = last - first - threes;
        end[3] = last - first;
    }
}
