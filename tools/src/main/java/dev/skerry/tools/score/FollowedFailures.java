package dev.skerry.tools.score;

import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FailureFabricFollower;
import dev.skerry.nic.follow.FailureFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.shale.Shale;

/** Nodes of Shale amid failures. One thread. */
final class FollowedFailures extends FollowedPhases {
    private final FailureFabricFollower fabric;

    FollowedFailures(final Shale shale, final CellNames names, final Faults faults, final FindingLog log) {
        super(shale, names);
        this.fabric = new FailureFabricFollower(shale, names, faults, log);
    }

    @Override
    public void beginAt(final long first) {
        throw new IllegalArgumentException("nodes amid failures are followed from slot 0 on: first=" + first);
    }

    @Override
    public void step(final TraceSlot slot) {
        fabric.turnTo(slot.slot);
        for (int node = 0; node < nodes(); node++) {
            final FailureFollower follower = fabric.node(node);
            final int peer = peer(node, 0, slot.slot);
            if (slot.peer[node] != TraceSlot.UNKNOWN && slot.peer[node] != peer) {
                follower.refuse(Law.SCHEDULE, "to send to node " + peer, "node " + slot.peer[node]);
            }
            slot.refuse(node, follower::refuse);
        }
        fabric.step(slot.sent, slot.received);
    }

    @Override
    public long registers() {
        return 0;
    }

    @Override
    public int held() {
        int held = 0;
        for (int node = 0; node < nodes(); node++) {
            held += fabric.node(node).held();
        }
        return held;
    }

    @Override
    public int mostOpen() {
        return 0;
    }
}
