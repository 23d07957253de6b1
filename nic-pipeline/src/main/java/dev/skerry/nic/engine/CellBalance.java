package dev.skerry.nic.engine;

/**
 * Where the cells of some nodes are, for the law of conservation: cells in = cells out + cells held + named drops. A
 * resent cell counts as in again, a cell returned to its flow, or cut, as out.
 *
 * @param injected  cells that flows have sent.
 * @param resent    cells sent again.
 * @param returned  cells returned to their flows, or cut.
 * @param delivered cells at their destinations.
 * @param dropped   cells lost, over all drop counters.
 * @param held      cells in queues and in flight, counted one by one.
 */
public record CellBalance(long injected, long resent, long returned, long delivered, long dropped, long held) {
    /** Nothing anywhere. */
    public static final CellBalance NOTHING = new CellBalance(0, 0, 0, 0, 0, 0);

    /** The cells of all nodes of both. */
    public CellBalance plus(final CellBalance other) {
        return new CellBalance(injected + other.injected, resent + other.resent, returned + other.returned,
            delivered + other.delivered, dropped + other.dropped, held + other.held);
    }

    /**
     * Checks the law, for all nodes of a fabric.
     *
     * @return cells held.
     * @throws IllegalStateException if it is broken.
     */
    public long conserved() {
        if (injected + resent != delivered + held + dropped + returned) {
            throw new IllegalStateException("cells are not conserved: injected=" + injected + " resent=" + resent
                + " delivered=" + delivered + " held=" + held + " dropped=" + dropped + " returned=" + returned);
        }
        return held;
    }
}
