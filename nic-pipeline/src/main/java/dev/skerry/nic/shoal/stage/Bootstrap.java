package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.NeighbourTable;

/**
 * Who is there when a Shoal fabric starts: the nodes have found each other before the first slot (docs/spec/shoal.md
 * §7), so every connection that works then is up and known to be, and the others are down and known to be. Those come
 * up as any that was down does.
 *
 * @param reached row of each node: a bit for every node it is connected with.
 */
record Bootstrap(long[][] reached) {
    /** The start of a fabric in which some things are out of order in slot 0 already. */
    static Bootstrap of(final Faults faults, final int nodes) {
        final FaultState state = faults.state(nodes);
        state.turnTo(0);
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
    void apply(final NodeRange range, final GuardedBank.Parts parts) {
        final int nodes = reached.length;
        for (int node = 0; node < range.size(); node++) {
            final int id = range.first() + node;
            for (int link = 0; link < nodes - 1; link++) {
                final int peer = (id + link + 1) % nodes;
                if ((reached[id][peer >>> 6] >>> peer & 1) != 0) {
                    parts.reachability().tell(node, link, reached[peer]);
                    parts.reachability().up(node, link, peer);
                } else {
                    parts.pairs().reset(parts.pairs().line(link, node), NeighbourTable.DOWN);
                }
            }
        }
    }
}
