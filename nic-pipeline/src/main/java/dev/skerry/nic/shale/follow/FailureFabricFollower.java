package dev.skerry.nic.shale.follow;

import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;

import java.util.stream.IntStream;

/**
 * Follows all nodes of a fabric of Shale amid failures. The script says when nodes are down, which links lose all they
 * carry, and where a cell may be lost. One thread.
 */
public final class FailureFabricFollower extends ShaleFabricFollower {
    private final FaultState script;
    private final boolean[] down;
    /** By slot modulo the propagation delay and one more, then sender. */
    private final Fate[][] fates;

    /** Followers of all nodes before slot 0, see {@link FailureFollower}. */
    public FailureFabricFollower(final Shale shale, final CellNames names, final Faults faults, final FindingLog log) {
        super(shale, names, log, IntStream.range(0, shale.nodes())
            .mapToObj(node -> new FailureFollower(shale, names, node, log)).toList());
        this.script = faults.state(shale.nodes());
        this.down = new boolean[shale.nodes()];
        this.fates = new Fate[shale.propagationSlots() + 1][shale.nodes()];
    }

    @Override
    public void step(final NodeCells[] sent, final NodeCells[] received) {
        script.turnTo(slot());
        final Fate[] fate = fates[(int) (slot() % fates.length)];
        for (int node = 0; node < down.length; node++) {
            if (script.isDown(node) != down[node]) {
                down[node] = !down[node];
                node(node).setDown(down[node]);
            }
            final int peer = shale.schedule().peerOf(node, slot());
            fate[node] = script.isLost(node, peer) ? Fate.LOST
                : script.mayDamage(node, peer) ? Fate.MAY_BE_LOST : Fate.ARRIVES;
        }
        super.step(sent, received);
    }

    @Override
    protected Fate fate(final long sentIn, final int sender, final int receiver) {
        return fates[(int) (sentIn % fates.length)][sender];
    }
}
