package dev.skerry.nic.shale;

/**
 * Order in which a node serves its local flows (docs/spec/shale.md §5.3 step 4); creates the choice of each bank. The
 * authors' simulator has a pointer per link; their hardware has one per node, over destinations. A device-specific rule
 * is a lambda that returns its {@link LocalChoice}. Immutable; any thread may call.
 */
@FunctionalInterface
public interface LocalRule {
    /** Round robin over the node's flows, with a pointer per link. */
    LocalRule LINK = new Pointers(true);

    /** Round robin over the node's flows, with one pointer for all links. */
    LocalRule NODE = new Pointers(false);

    /**
     * Round robin over destinations in ascending order, with one pointer per node; flows to one destination in order.
     */
    LocalRule DESTINATION = DestinationTurn::new;

    /**
     * Creates the choice of a bank.
     *
     * @param nodes       number of nodes of the fabric.
     * @param nodesOfBank number of nodes of the bank.
     * @return null if the pointers of the flow lists choose, as with {@link #LINK} and {@link #NODE}.
     */
    LocalChoice choice(int nodes, int nodesOfBank);

    /** The pointers of the flow lists choose: one per link, or one for all links. */
    record Pointers(boolean byLink) implements LocalRule {
        @Override
        public LocalChoice choice(final int nodes, final int nodesOfBank) {
            return null;
        }
    }

    /** The destination at which each node starts its search. */
    final class DestinationTurn implements LocalChoice {
        private final int[] turn;
        private final int nodes;

        private DestinationTurn(final int nodes, final int nodesOfBank) {
            this.nodes = nodes;
            this.turn = new int[nodesOfBank];
        }

        @Override
        public int next(final int id, final int node, final int link, final LocalFlows flows) {
            int nearest = 0;
            int least = nodes;
            for (int i = 0; i < flows.count(); i++) {
                final int ahead = Math.floorMod(flows.destination(i) - turn[node], nodes);
                if (ahead < least) {
                    nearest = i;
                    least = ahead;
                }
            }
            return nearest;
        }

        @Override
        public int turn(final int node) {
            return turn[node];
        }

        @Override
        public void setTurn(final int node, final int destination) {
            turn[node] = destination;
        }

        @Override
        public void onSent(final int id, final int node, final int link, final int destination) {
            turn[node] = destination + 1 == nodes ? 0 : destination + 1;
        }
    }

    /**
     * The local flows of a node that have not been tried yet in a slot, in the order in which they became active. One
     * thread.
     */
    interface LocalFlows {
        int count();

        /** Index of a flow in the {@code FlowSet}. */
        int flow(int i);

        /** Destination node of a flow. */
        int destination(int i);
    }

    /**
     * Chooses the local flow that a link tries next if no queued cell may be sent (docs/spec/shale.md §5.3 step 4). One
     * bank, one thread.
     */
    @FunctionalInterface
    interface LocalChoice {
        /** Value used instead of a flow: no local cell leaves in this slot. */
        int NONE = -1;

        /**
         * Chooses a flow. If its cell may not leave on this link, the flow is removed from the list and this method is
         * called again.
         *
         * @param id    the node's id.
         * @param node  its number in the bank.
         * @param link  position in the epoch.
         * @param flows at least one; valid during this call only.
         * @return an index of {@code flows}, or {@link #NONE}.
         */
        int next(int id, int node, int link, LocalFlows flows);

        /** The destination at which the search of a node starts, -1 if the rule has no such pointer. */
        default int turn(final int node) {
            return -1;
        }

        /**
         * Sets this destination, from a register of a device.
         *
         * @throws IllegalArgumentException if the rule has no such pointer.
         */
        default void setTurn(final int node, final int destination) {
            throw new IllegalArgumentException("destinations have no turn with this rule: destination=" + destination);
        }

        /** Called when a cell of the flow chosen last leaves, towards a destination. */
        default void onSent(final int id, final int node, final int link, final int destination) {
        }
    }
}
