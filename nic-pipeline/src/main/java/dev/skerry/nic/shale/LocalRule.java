package dev.skerry.nic.shale;

/**
 * Which local flow a node serves next (docs/spec/shale.md §5.3 step 4): makes the choice of each bank. The authors'
 * simulator has a pointer for each link; their hardware has one for each node, over destinations. A rule of a device's
 * own is a lambda that gives its {@link LocalChoice}. Immutable; any thread may call.
 */
@FunctionalInterface
public interface LocalRule {
    /** Round robin over the node's flows, with a pointer for each link. */
    LocalRule LINK = new Pointers(true);

    /** Round robin over the node's flows, with one pointer for all links. */
    LocalRule NODE = new Pointers(false);

    /** Round robin over destinations in ascending order, one pointer a node; flows to one destination in order. */
    LocalRule DESTINATION = DestinationTurn::new;

    /**
     * Makes the choice of a bank.
     *
     * @param nodes       of the fabric.
     * @param nodesOfBank how many of them the bank has.
     * @return null if the pointers of the flow lists choose, as with {@link #LINK} and {@link #NODE}.
     */
    LocalChoice choice(int nodes, int nodesOfBank);

    /** The pointers of the flow lists choose, one for each link or one for all. */
    record Pointers(boolean byLink) implements LocalRule {
        @Override
        public LocalChoice choice(final int nodes, final int nodesOfBank) {
            return null;
        }
    }

    /** The destination at which each node begins its search. */
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
     * The local flows of a node that have not been asked yet in a slot, in the order they became active. One thread.
     */
    interface LocalFlows {
        int count();

        /** Index of a flow in the {@code FlowSet}. */
        int flow(int i);

        /** Destination node of a flow. */
        int destination(int i);
    }

    /**
     * Chooses which local flow a link asks next, where no queued cell may leave (docs/spec/shale.md §5.3 step 4). One
     * bank, one thread.
     */
    @FunctionalInterface
    interface LocalChoice {
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
}
