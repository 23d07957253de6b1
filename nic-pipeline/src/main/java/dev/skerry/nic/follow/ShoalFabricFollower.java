package dev.skerry.nic.follow;

import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.ArrayList;
import java.util.List;

/**
 * Follows all nodes of a fabric of Shoal at once, and the links between them: as {@link FabricFollower}. A link's
 * finding stands at its receiver, by the number of the link back to the sender. One thread.
 */
public final class ShoalFabricFollower {
    private final Shoal shoal;
    private final ShoalSlotPlan plan;
    private final CellNames names;
    private final FindingLog log;
    private final List<ShoalFollower> nodes = new ArrayList<>();
    private final FollowedLinks links;
    private long slot;

    /** Followers of all nodes before slot 0, see {@link ShoalFollower}. */
    public ShoalFabricFollower(final Shoal shoal, final CellNames names, final FollowRules rules,
        final FindingLog log) {
        this.shoal = shoal;
        this.plan = new ShoalSlotPlan(shoal);
        this.names = names;
        this.log = log;
        this.links = new FollowedLinks(shoal.propagationSlots(), shoal.nodes(), shoal.channels(),
            route -> route & ShoalCell.ENDS);
        for (int node = 0; node < shoal.nodes(); node++) {
            nodes.add(new ShoalFollower(shoal, names, node, rules, log));
        }
    }

    /** The follower of a node. */
    public ShoalFollower node(final int node) {
        return nodes.get(node);
    }

    /** The next slot. */
    public long slot() {
        return slot;
    }

    /**
     * Follows one slot.
     *
     * @param sent     by node, what it sent.
     * @param received by node, what it received; ignored before the first propagation delay has passed.
     */
    public void step(final NodeCells[] sent, final NodeCells[] received) {
        for (int node = 0; node < sent.length; node++) {
            links.send(slot, node, sent[node]);
            nodes.get(node).send(slot, sent[node]);
        }
        final long sentIn = slot - shoal.propagationSlots();
        for (int channel = 0; channel < shoal.channels() && sentIn >= 0; channel++) {
            checkLinks(sentIn, channel, received);
        }
        for (int node = 0; node < sent.length; node++) {
            nodes.get(node).receive(received[node]);
        }
        slot++;
    }

    private void checkLinks(final long sentIn, final int channel, final NodeCells[] received) {
        final int place = plan.place(channel, (int) (sentIn % plan.epochSlots()));
        if (plan.link(place) == ShoalSlotPlan.IDLE) {
            return;
        }
        final int link = plan.linkBack(place);
        for (int node = plan.firstReceiver(place); node < plan.endReceiver(place); node++) {
            final int sender = plan.peer(node, link);
            final NodeCells sent = links.sent(sentIn, sender);
            final Law law = links.broken(sent, received[node], channel);
            if (law != null) {
                log.add(new Finding(law, slot, node, link, Finding.NO_BUCKET, "what node " + sender + " sent in slot "
                    + sentIn + " to arrive: " + CellText.ofShoal(names, sent, channel),
                    CellText.ofShoal(names, received[node], channel)));
            }
        }
    }
}
