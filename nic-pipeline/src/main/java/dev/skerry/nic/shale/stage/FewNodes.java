package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.queue.CellBatch;

/**
 * Up to how many nodes of a block, where so few have something to do, go through a slot otherwise than all together.
 *
 * @param listed most that are listed and go through each step together; below 0 for none.
 * @param single most of which one goes through the whole slot after the other, at most {@code listed}.
 */
record FewNodes(int listed, int single) {
    static final FewNodes NONE = new FewNodes(-1, -1);
    /** In banks up to this size all nodes are few. In others up to one in {@link #LISTED_PART} is. */
    private static final int SMALL_NODES = 48;
    private static final int LISTED_PART = 2;
    /** Loops over so few nodes end when they have begun. */
    private static final int SINGLE = 16;

    /** What is fastest for a bank. */
    static FewNodes of(final int nodes) {
        return nodes <= SMALL_NODES ? new FewNodes(nodes, nodes)
            : new FewNodes(CellBatch.block(nodes) / LISTED_PART, SINGLE);
    }

    /** Whether any may be listed. */
    boolean mayBe() {
        return listed >= 0;
    }

    /** Without single ones. */
    FewNodes onlyListed() {
        return new FewNodes(listed, -1);
    }
}
