package dev.skerry.nic.shale.control;

/**
 * Whether lately most slots of a block were of all its nodes, or of few. It changes only after many slots of the other
 * kind, as a {@link BucketLog} then counts what it has noted, which takes as long as some slots. One thread.
 */
final class Crowding {
    /** Slots of all nodes that are rare: their reasons are noted one by one, too. */
    private static final int RARE_SLOTS = 16;
    /** As many slots of few nodes more than of all, and the block counts as empty. */
    private static final int MOST = 64;

    private final int[] crowded;

    /** All blocks are empty. */
    Crowding(final int blocks) {
        this.crowded = new int[blocks];
    }

    /** A slot of all nodes of a block, or of few of them. */
    void add(final int block, final boolean isOfAll) {
        crowded[block] = isOfAll ? Math.min(crowded[block] + 1, MOST) : Math.max(crowded[block] - 1, 0);
    }

    /** Whether slots of all nodes are more than rare. */
    boolean isCrowded(final int block) {
        return crowded[block] >= RARE_SLOTS;
    }

    /** Whether they have stopped. */
    boolean isEmpty(final int block) {
        return crowded[block] == 0;
    }
}
