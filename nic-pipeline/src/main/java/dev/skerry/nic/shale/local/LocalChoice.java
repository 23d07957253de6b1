package dev.skerry.nic.shale.local;

/**
 * Chooses which local flow a link asks next, where no queued cell may leave (docs/spec/shale.md §5.3 step 4). One bank,
 * one thread.
 */
@FunctionalInterface
public interface LocalChoice {
    /** In place of a flow: nothing local leaves in this slot. */
    int NONE = -1;

    /**
     * Chooses. A flow whose cell may not leave on this link is taken off the list, and the choice is asked again.
     *
     * @param id    the node's id.
     * @param node  its number in the bank.
     * @param link  position in the epoch.
     * @param flows at least one; read during this call only.
     * @return an index of {@code flows}, or {@link #NONE}.
     */
    int next(int id, int node, int link, LocalFlows flows);

    /** The destination at which the search of a node begins, -1 if destinations have no turn. */
    default int turn(final int node) {
        return -1;
    }

    /**
     * Sets it, from a register of a device.
     *
     * @throws IllegalArgumentException if destinations have no turn.
     */
    default void setTurn(final int node, final int destination) {
        throw new IllegalArgumentException("destinations have no turn with this rule: destination=" + destination);
    }

    /** A cell towards a destination, of the flow chosen last, leaves. */
    default void onSent(final int id, final int node, final int link, final int destination) {
    }
}
