package dev.skerry.nic.stardust.element;

import java.util.Arrays;

/**
 * Which links are paused, by slot: a pause reaches the other end of its link one propagation delay later
 * (docs/spec/stardust.md §4). A bank lists the ports by which its devices take nothing in a slot; neighbours read the
 * list the delay later.
 *
 * <pre>
 *   slot mod window, bank:   port | port | ...     those by which a device takes nothing; counts: how many
 * </pre>
 */
public final class Pauses {
    private static final int FIRST_CAPACITY = 16;

    private final int[][][] lists;
    private final int[][] counts;
    private final int[][] neighbours;

    /**
     * Nobody pauses.
     *
     * @param neighbours by bank, the banks that its links lead to.
     * @param window     slots that are kept.
     */
    public Pauses(final int[][] neighbours, final int window) {
        this.lists = new int[window][neighbours.length][0];
        this.counts = new int[window][neighbours.length];
        this.neighbours = neighbours;
    }

    /** The banks that the links of a bank lead to, perhaps itself. */
    public int[] neighbours(final int bank) {
        return neighbours[bank];
    }

    /** Begins what a bank says in a slot. */
    public void begin(final long slot, final int bank) {
        final int[] row = counts[(int) (slot % counts.length)];
        if (row[bank] > 0) {
            // Written only on a change, as neighbours read the same cache line.
            row[bank] = 0;
        }
    }

    /** A device takes nothing by a port. */
    public void add(final long slot, final int bank, final int port) {
        final int row = (int) (slot % counts.length);
        final int count = counts[row][bank];
        if (count == lists[row][bank].length) {
            lists[row][bank] = Arrays.copyOf(lists[row][bank], Math.max(FIRST_CAPACITY, 2 * count));
        }
        lists[row][bank][count] = port;
        counts[row][bank] = count + 1;
    }

    /** Ports that a bank has listed in a slot. */
    public int count(final long slot, final int bank) {
        return counts[(int) (slot % counts.length)][bank];
    }

    /** The ports, {@link #count} of them. */
    public int[] list(final long slot, final int bank) {
        return lists[(int) (slot % counts.length)][bank];
    }
}
