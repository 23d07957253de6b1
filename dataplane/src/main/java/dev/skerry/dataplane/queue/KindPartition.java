package dev.skerry.dataplane.queue;

import dev.skerry.schedule.check.Bounds;

/**
 * Sorts items by kind, 0 to 3, in ascending order within a kind. If kinds are unpredictable, this turns the work of
 * each kind into a branch-free loop over one range of the order.
 *
 * <pre>
 *   next place of each kind
 *   63      48 47      32 31      16 15       0
 *   +---------+----------+----------+----------+
 *   | kind 3  |  kind 2  |  kind 1  |  kind 0  |
 *   +---------+----------+----------+----------+
 * </pre>
 *
 * Nothing allocates after construction. One thread.
 */
public final class KindPartition {
    /** Maximum number of items. */
    public static final int MAX_CAPACITY = 1 << 16;

    private static final int COUNT_SHIFT = 4;
    private static final int COUNT_MASK = MAX_CAPACITY - 1;

    private final int[] kind;
    private final int[] order;
    private final int[] end = new int[4];

    /**
     * Creates an empty order.
     *
     * @param capacity maximum number of items, 1 to {@link #MAX_CAPACITY}.
     * @throws IllegalArgumentException if it is out of range.
     */
    public KindPartition(final int capacity) {
        Bounds.require("capacity", capacity, 1, MAX_CAPACITY);
        this.kind = new int[capacity];
        this.order = new int[capacity];
    }

    /** Kind of each item, 0 to 3; the caller writes it before {@link #sort}. */
    public int[] kind() {
        return kind;
    }

    /** The items in order of kind, from index 0 on. */
    public int[] order() {
        return order;
    }

    /** The end of a kind's range in {@link #order}, where the next kind begins. */
    public int end(final int ofKind) {
        return end[ofKind];
    }

    /**
     * Sorts the items in [first, last).
     *
     * @throws IndexOutOfBoundsException if the range is outside the capacity.
     */
    public void sort(final int first, final int last) {
        count(first, last);
        final int[] kind = this.kind;
        final int[] order = this.order;
        long next = nextPlaces();
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

    private long nextPlaces() {
        return (long) end[2] << 48 | (long) end[1] << 32 | (long) end[0] << 16;
    }
}
