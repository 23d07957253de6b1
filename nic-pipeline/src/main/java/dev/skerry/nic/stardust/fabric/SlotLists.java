package dev.skerry.nic.stardust.fabric;

import java.util.Arrays;

/**
 * The messages of a bank to others in each slot of a window of slots, in order: control messages, or ports by which its
 * devices accept nothing. The bank writes the list of a slot in that slot; all banks may read it afterwards.
 */
public final class SlotLists {
    private static final int FIRST_CAPACITY = 16;

    private final long[][] lists;
    private final int[] counts;

    /**
     * Creates empty lists.
     *
     * @param window slots for which a list is kept.
     */
    public SlotLists(final int window) {
        this.lists = new long[window][0];
        this.counts = new int[window];
    }

    /** Makes room for a slot; slots come in order. */
    public void begin(final long slot) {
        final int at = (int) (slot % counts.length);
        if (counts[at] > 0) {
            // Written only on a change, as others read the same cache line.
            counts[at] = 0;
        }
    }

    /** Adds a word to a slot. */
    public void add(final long slot, final long word) {
        final int at = (int) (slot % counts.length);
        final int count = counts[at];
        if (count == lists[at].length) {
            lists[at] = Arrays.copyOf(lists[at], Math.max(FIRST_CAPACITY, 2 * count));
        }
        lists[at][count] = word;
        counts[at] = count + 1;
    }

    /** Returns the number of words of a slot. */
    public int count(final long slot) {
        return counts[(int) (slot % counts.length)];
    }

    /** Returns the words of a slot, {@link #count} of them. */
    public long[] list(final long slot) {
        return lists[(int) (slot % counts.length)];
    }
}
