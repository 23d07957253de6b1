package dev.skerry.nic.shoal;

import dev.skerry.dataplane.memory.Region;

import java.lang.foreign.Arena;

/**
 * A set of a bank's nodes for each of some rows, so that a slot finds the nodes that have work without reading the
 * others.
 *
 * <pre>
 *   row 0                        row 1
 *   +------------+------------+  +------------+--
 *   | nodes 0-63 | 64 to 127  |  | nodes 0-63 | ..     a bit for each node, 64 to a word
 *   +------------+------------+  +------------+--
 * </pre>
 *
 * <p>One thread.
 */
public final class NodeSets {
    /** Nodes of a word. */
    public static final int WORD_NODES = Long.SIZE;

    private static final int WORD_SHIFT = 6;
    /** If at least one node in this many belongs to a set, the whole row may be added to it. */
    private static final int MANY = 8;

    private final Region region;
    private final int rowWords;
    /** The word that {@link #isEmpty} reads first. */
    private int lookAt;

    /** Creates empty sets. */
    NodeSets(final Arena arena, final int rows, final int nodes) {
        this.rowWords = words(nodes);
        this.region = Region.allocate(arena, bytes(rows, nodes));
    }

    /** Returns the memory in bytes. */
    static long bytes(final int rows, final int nodes) {
        return (long) rows * words(nodes) * Long.BYTES;
    }

    /** Returns the number of words of a row of nodes. */
    private static int words(final int nodes) {
        return nodes + WORD_NODES - 1 >> WORD_SHIFT;
    }

    /** Returns the word of a node. */
    public static int wordOf(final int node) {
        return node >>> WORD_SHIFT;
    }

    /** Returns a mask of the nodes of [first, end) in a word. */
    public static long within(final int word, final int first, final int end) {
        final int from = first - (word << WORD_SHIFT);
        final int to = end - (word << WORD_SHIFT);
        return (from <= 0 ? -1L : from >= WORD_NODES ? 0 : -1L << from)
            & (to >= WORD_NODES ? -1L : to <= 0 ? 0 : (1L << to) - 1);
    }

    /** Returns one bit for each of the 64 nodes of a word of a row. */
    long word(final int row, final int word) {
        return region.getLong(at(row, word));
    }

    /**
     * Tells whether every row is empty. The search begins at the last word found to have a node: a set is queried often
     * while it empties, and its last nodes rarely move to another word.
     */
    boolean isEmpty() {
        final int words = (int) (region.bytes() / Long.BYTES);
        for (int seen = 0; seen < words; seen++) {
            if (region.getLong(Region.offset(lookAt, Long.BYTES)) != 0) {
                return false;
            }
            lookAt = lookAt + 1 < words ? lookAt + 1 : 0;
        }
        return true;
    }

    /** Adds or removes a node. */
    void put(final int row, final int node, final boolean isIn) {
        final long at = at(row, node >>> WORD_SHIFT);
        // The code has no branch: whether a queue becomes empty is unpredictable.
        region.setLong(at, region.getLong(at) & ~(1L << node) | (isIn ? 1L : 0) << node);
    }

    /** Adds a node. */
    void add(final int row, final int node) {
        final long at = at(row, node >>> WORD_SHIFT);
        region.setLong(at, region.getLong(at) | 1L << node);
    }

    /** Adds or removes the nodes of [first, end). */
    void putAll(final int row, final int first, final int end, final boolean areIn) {
        for (int word = wordOf(first); word << WORD_SHIFT < end; word++) {
            final long bits = within(word, first, end);
            final long at = at(row, word);
            region.setLong(at, areIn ? region.getLong(at) | bits : region.getLong(at) & ~bits);
        }
    }

    /**
     * Begins to rewrite the nodes of [first, end). If they are many, all nodes are added, which costs less than to add
     * each one: surplus nodes only cost time. If they are few or none, all are removed.
     *
     * @return whether the caller is to add each node.
     */
    boolean begin(final int row, final int first, final int end, final int count) {
        // A count of 0 is always few, even if the row has less than MANY nodes: a bank is known to be idle only if its
        // sets have no surplus nodes.
        final boolean few = count == 0 || count < (end - first) / MANY;
        putAll(row, first, end, !few);
        return few;
    }

    /** Sets the nodes of [first, end) to those whose value is not 0; values are by node. */
    void putNonZero(final int row, final int first, final int end, final int[] values) {
        int count = 0;
        for (int node = first; node < end; node++) {
            count += (values[node] | -values[node]) >>> Integer.SIZE - 1;
        }
        final boolean few = begin(row, first, end, count);
        for (int node = first; few && node < end; node++) {
            if (values[node] != 0) {
                add(row, node);
            }
        }
    }

    private long at(final int row, final int word) {
        return Region.offset(row * rowWords + word, Long.BYTES);
    }
}
