package dev.skerry.tools.score;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.follow.NodeFollower;
import dev.skerry.nic.shale.Shale;

import java.util.Arrays;

/** Nodes of Shale, with their registers if they are recorded. One thread. */
final class FollowedShale extends FollowedPhases {
    private final FabricFollower fabric;
    private final RegisterTrace registers;
    private final int[] joined;
    private boolean known;

    /** @param registers of the nodes, null for none. */
    FollowedShale(final Shale shale, final CellNames names, final FollowRules rules, final FindingLog log,
        final RegisterTrace registers) {
        super(shale, names);
        this.fabric = new FabricFollower(shale, names, rules, log);
        this.registers = registers;
        this.joined = new int[shale.nodes()];
        this.known = registers != null;
    }

    @Override
    public void beginAt(final long first) {
        fabric.beginAt(first);
    }

    @Override
    public void step(final TraceSlot slot) {
        Arrays.fill(joined, NodeFollower.UNTOLD);
        known = known && registers.turnTo(slot.slot);
        if (known) {
            registers.joined(slot, joined);
        }
        expect(slot);
        fabric.step(slot.sent, slot.received, joined);
        if (known) {
            registers.compare(fabric);
        }
    }

    /** What the words of a slot do not say: where cells went, and what dummies carried. */
    private void expect(final TraceSlot slot) {
        final int phase = shale.schedule().slotInEpoch(slot.slot) / shale.schedule().linksPerPhase();
        for (int node = 0; node < shale.nodes(); node++) {
            final NodeFollower follower = fabric.node(node);
            if (slot.peer[node] != TraceSlot.UNKNOWN) {
                follower.expectPeer(slot.peer[node]);
            }
            if (slot.phase[node] != TraceSlot.UNKNOWN && slot.phase[node] != phase) {
                follower.refuse(Law.SCHEDULE, "phase " + phase, "phase " + slot.phase[node]);
            }
            slot.refuse(node, follower::refuse);
        }
    }

    @Override
    public long registers() {
        return registers == null ? 0 : registers.compared();
    }

    @Override
    public int held() {
        int held = 0;
        for (int node = 0; node < shale.nodes(); node++) {
            held += fabric.node(node).held();
        }
        return held;
    }

    @Override
    public int mostOpen() {
        int open = 0;
        for (int node = 0; node < shale.nodes(); node++) {
            open = Math.max(open, fabric.node(node).mostOpen());
        }
        return open;
    }
}
