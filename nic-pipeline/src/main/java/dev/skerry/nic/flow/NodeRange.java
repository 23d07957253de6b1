package dev.skerry.nic.flow;

/**
 * The nodes {@code [first, end)} of a bank.
 *
 * @param first first node.
 * @param end   one past the last.
 */
public record NodeRange(int first, int end) {
    /** Refuses an empty or inverted range. */
    public NodeRange {
        if (first < 0 || end <= first) {
            throw new IllegalArgumentException("not a range: first=" + first + " end=" + end);
        }
    }

    /** Number of nodes. */
    public int size() {
        return end - first;
    }

    /** Whether a node is one of them. */
    public boolean contains(final int node) {
        return node >= first && node < end;
    }

    /**
     * Divides {@code nodes} nodes into contiguous ranges, one per bank, whose sizes differ by at most one; returns the
     * range of {@code bank}.
     */
    public static NodeRange share(final int nodes, final int bank, final int banks) {
        return new NodeRange((int) ((long) nodes * bank / banks), (int) ((long) nodes * (bank + 1) / banks));
    }
}
