package dev.skerry.tools.score;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.CellText;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.follow.ShoalFabricFollower;
import dev.skerry.nic.follow.ShoalFollower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalSlotPlan;

/** Nodes of Shoal. One thread. */
final class FollowedShoal implements FollowedFabric {
    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final CellNames names;
    private final ShoalFabricFollower fabric;

    FollowedShoal(final Shoal shoal, final CellNames names, final FollowRules rules, final FindingLog log) {
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.names = names;
        this.fabric = new ShoalFabricFollower(shoal, names, rules, log);
    }

    @Override
    public int nodes() {
        return shoal.nodes();
    }

    @Override
    public int channels() {
        return shoal.channels();
    }

    @Override
    public CellNames names() {
        return names;
    }

    @Override
    public void beginAt(final long first) {
        throw new IllegalArgumentException("nodes of Shoal are followed from slot 0 on: first=" + first);
    }

    @Override
    public void step(final TraceSlot slot) {
        for (int node = 0; node < shoal.nodes(); node++) {
            final ShoalFollower follower = fabric.node(node);
            for (int channel = 0; channel < shoal.channels(); channel++) {
                final int by = channel;
                final int at = slot.at(node, channel);
                final int peer = peer(node, channel, slot.slot);
                if (slot.peer[at] != TraceSlot.UNKNOWN && peer != NONE && slot.peer[at] != peer) {
                    follower.refuse(by, Law.SCHEDULE, "to send to node " + peer, "node " + slot.peer[at]);
                }
                slot.refuse(at, (law, expected, seen) -> follower.refuse(by, law, expected, seen));
            }
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
        for (int node = 0; node < shoal.nodes(); node++) {
            held += fabric.node(node).held();
        }
        return held;
    }

    @Override
    public int mostOpen() {
        return 0;
    }

    @Override
    public int link(final int node, final int channel, final long slot) {
        final int place = plan.place(channel, (int) (slot % plan.epochSlots()));
        return node >= plan.firstSender(place) && node < plan.endSender(place) ? plan.link(place) : NONE;
    }

    @Override
    public int peer(final int node, final int channel, final long slot) {
        final int link = link(node, channel, slot);
        return link == NONE ? NONE : plan.peer(node, link);
    }

    @Override
    public String text(final NodeCells cells, final int channel) {
        return CellText.ofShoal(names, cells, channel);
    }
}
