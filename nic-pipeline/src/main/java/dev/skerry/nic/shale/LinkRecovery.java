package dev.skerry.nic.shale;

/**
 * What failures of links ask of a congestion control (docs/spec/shale.md §8.3, §8.5). The defaults suit a mechanism
 * that keeps no record of its cells. Called for single cells, and only after a failure. One bank, one thread.
 */
public interface LinkRecovery {
    /** Whether a cell to a destination that is not the peer may start on a queue; nothing is spent. */
    default boolean canStart(final int queue, final int destination) {
        return true;
    }

    /** A cell leaves its queue without being sent. */
    default void onRemove(final int node, final long entry) {
    }

    /** Takes out the oldest notice of a queue alone, or {@link Admission#NO_NOTICE}: a failure needs the other half. */
    default int takeNotice(final int queue) {
        return Admission.NO_NOTICE;
    }

    /**
     * A notice that rode with a cell that arrived, handled alone.
     *
     * @param queue the receiver's queue towards the sender.
     */
    default void onNotice(final int queue, final int node, final int notice) {
    }

    /** A cell that went into a bucket at the next node was lost on its way. */
    default void onCellLost(final int queue, final int node, final int bucket) {
    }

    /** A notice was lost on its way: it has to leave once more. */
    default void onNoticeLost(final int queue, final int notice) {
    }

    /** A link has failed: what is outstanding and owed on it is void. */
    default void onLinkDown(final int queue, final int node) {
    }
}
