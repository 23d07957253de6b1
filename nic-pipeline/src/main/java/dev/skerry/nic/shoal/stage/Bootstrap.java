package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.ShoalSlotPlan;

/**
 * The connections of a Shoal fabric at its start. Nodes have found each other before the first slot (docs/spec/shoal.md
 * §7): a connection that works then is up, any other is down, and both ends know. One that is down comes up later like
 * any other.
 *
 * @param reached row of each node: a bit for every node it is connected with.
 */
record Bootstrap(long[][] reached) {
    /** The start of a fabric with the faults of its first slot. */
    static Bootstrap of(final Faults faults, final int nodes, final long slot) {
        final FaultState state = faults.state(nodes);
        state.turnTo(slot);
        final long[][] reached = new long[nodes][nodes + Long.SIZE - 1 >>> 6];
        for (int id = 0; id < nodes; id++) {
            for (int other = 0; other < nodes; other++) {
                if (id != other && !state.isLost(id, other) && !state.isLost(other, id)) {
                    reached[id][other >>> 6] |= 1L << other;
                }
            }
        }
        return new Bootstrap(reached);
    }

    /** Sets the nodes of a bank. */
    void apply(final NodeRange range, final ShoalFailures.State state) {
        final int nodes = reached.length;
        for (int node = 0; node < range.size(); node++) {
            final int id = range.first() + node;
            for (int link = 0; link < nodes - 1; link++) {
                final int peer = ShoalSlotPlan.peer(id, link, nodes);
                if ((reached[id][peer >>> 6] >>> peer & 1) != 0) {
                    state.reachability().tell(node, link, reached[peer]);
                    state.reachability().up(node, link, peer);
                } else {
                    state.neighbours().reset(state.neighbours().line(link, node), NeighbourTable.DOWN);
                }
            }
        }
    }
}
