package dev.skerry.nic.shoal;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.ShoalSlotPlan.Place;
import dev.skerry.schedule.check.Bounds;

/** Base class of the followers of Shoal nodes, which divides slots into the turns of links. Not thread-safe. */
abstract sealed class FollowedShoalNode implements Follower permits ShoalFollower, ShoalFailureFollower {
    final Shoal shoal;
    final ShoalSlotPlan plan;
    final CellNames names;
    final int node;
    final int epochSlots;
    /** Number of links of the node, one to each other node. */
    final int links;
    long slot;
    int held;
    /** Link and place of the channel that is being sent or received. */
    int link;
    Place place;
    private final FindingLog log;

    FollowedShoalNode(final Shoal shoal, final CellNames names, final int node, final FindingLog log) {
        Bounds.refuseIf(shoal.rule() != ReleaseRule.EXACT && shoal.rule() != ReleaseRule.PAPER_LITERAL
            || shoal.failedNodes() > 0 || shoal.firstSlot() > 0, "nodes of Shoal are followed with the rules exact and "
            + "paper-literal, from slot 0 on, where all are present: rule=", shoal.rule().label(), " failedNodes=",
            shoal.failedNodes());
        Bounds.refuseIf(node < 0 || node >= shoal.nodes(), "no such node: node=", node, " nodes=", shoal.nodes());
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.names = names;
        this.node = node;
        this.epochSlots = plan.epochSlots();
        this.links = shoal.nodes() - 1;
        this.log = log;
    }

    @Override
    public final long slot() {
        return slot;
    }

    @Override
    public final int held() {
        return held;
    }

    @Override
    public final void refuse(final int channel, final Law law, final String expected, final String seen) {
        turnTo(channel, slot);
        find(law, expected, seen);
    }

    final void find(final Law law, final String expected, final String seen) {
        log.add(new Finding(law, slot, node, link, null, expected, seen));
    }

    final String text(final long cell) {
        return names.text(cell);
    }

    final void turnTo(final int channel, final long ofSlot) {
        place = plan.place(channel, (int) (ofSlot % epochSlots));
        link = place.link;
    }

    private void check(final long now, final NodeCells cells) {
        if (now != slot || cells.channels() != shoal.channels()) {
            throw new IllegalArgumentException("slots must be consecutive, with " + shoal.channels()
                + " channels: slot=" + now + " next=" + slot + " channels=" + cells.channels());
        }
    }

    /** @throws IllegalArgumentException also if channels are missing. */
    @Override
    public final void send(final long now, final NodeCells observed) {
        check(now, observed);
        for (int channel = 0; channel < shoal.channels(); channel++) {
            turnTo(channel, slot);
            if (place.sends(node)) {
                sample(channel);
            }
        }
        for (int channel = 0; channel < shoal.channels(); channel++) {
            turnTo(channel, slot);
            if (place.sends(node)) {
                send(channel, observed);
            } else if (observed.isCell(channel)) {
                find(Law.SCHEDULE, "no cell where no circuit is", "route 0x"
                    + Long.toHexString(observed.route(channel)));
            }
        }
        endSend();
    }

    @Override
    public final void receive(final NodeCells received, final int joined) {
        check(slot, received);
        final long sentIn = slot - shoal.propagationSlots();
        for (int channel = 0; channel < shoal.channels() && sentIn >= 0; channel++) {
            turnTo(channel, sentIn);
            if (place.receives(node)) {
                link = place.linkBack();
                receive(channel, sentIn / epochSlots, received);
            }
        }
        slot++;
    }

    /** Records, before the node sends in a slot, what it may report on a channel. */
    abstract void sample(int channel);

    /** Checks what the node sends on a channel. */
    abstract void send(int channel, NodeCells observed);

    /** Called after the node has sent in a slot. */
    void endSend() {
    }

    /** Checks what arrives on a channel and was sent in an epoch. */
    abstract void receive(int channel, long epoch, NodeCells received);
}
