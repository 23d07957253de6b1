package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayList;
import java.util.List;

/**
 * Follows all nodes of a fabric of Shale amid failures, and the links between them, as {@link FabricFollower} does. The
 * script says when nodes are down, which links lose all they carry, and where a cell may be lost. One thread.
 */
public final class FailureFabricFollower {
    private final Shale shale;
    private final CellNames names;
    private final FindingLog log;
    private final FaultState script;
    private final List<FailureFollower> nodes = new ArrayList<>();
    private final boolean[] down;
    private final FollowedLinks links;
    /** By slot modulo the propagation delay and one more, then sender: what may become of a cell. */
    private final Fate[][] fates;
    private long slot;

    private enum Fate {
        ARRIVES, MAY_BE_LOST, LOST
    }

    /** Followers of all nodes before slot 0, see {@link FailureFollower}. */
    public FailureFabricFollower(final Shale shale, final CellNames names, final Faults faults, final FindingLog log) {
        this.shale = shale;
        this.names = names;
        this.log = log;
        this.script = faults.state(shale.nodes());
        this.down = new boolean[shale.nodes()];
        this.links = new FollowedLinks(shale.propagationSlots(), shale.nodes(), 1, Route::bucket);
        this.fates = new Fate[shale.propagationSlots() + 1][shale.nodes()];
        for (int node = 0; node < shale.nodes(); node++) {
            nodes.add(new FailureFollower(shale, names, node, log));
        }
    }

    /** The follower of a node. */
    public FailureFollower node(final int node) {
        return nodes.get(node);
    }

    /** Before a slot is followed: what fails in it. */
    public void turnTo(final long now) {
        script.turnTo(now);
        for (int node = 0; node < down.length; node++) {
            if (script.isDown(node) != down[node]) {
                down[node] = !down[node];
                nodes.get(node).setDown(down[node]);
            }
        }
    }

    /**
     * Follows the slot of {@link #turnTo}.
     *
     * @param sent     by node, what it sent.
     * @param received by node, what it received; ignored before the first propagation delay has passed.
     */
    public void step(final NodeCells[] sent, final NodeCells[] received) {
        final Fate[] fate = fates[(int) (slot % fates.length)];
        for (int node = 0; node < sent.length; node++) {
            final int peer = shale.schedule().peerOf(node, slot);
            links.send(slot, node, sent[node]);
            fate[node] = script.isLost(node, peer) ? Fate.LOST
                : script.mayDamage(node, peer) ? Fate.MAY_BE_LOST : Fate.ARRIVES;
            nodes.get(node).send(slot, sent[node].route(0), sent[node].cell(0), sent[node].feedback(0));
        }
        final long sentIn = slot - shale.propagationSlots();
        for (int node = 0; node < sent.length && sentIn >= 0; node++) {
            checkLink(sentIn, node, received[node]);
        }
        for (int node = 0; node < sent.length; node++) {
            nodes.get(node).receive(received[node].route(0), received[node].cell(0), received[node].feedback(0));
        }
        slot++;
    }

    private void checkLink(final long sentIn, final int node, final NodeCells seen) {
        final int sender = shale.schedule().senderTo(node, sentIn);
        final Fate fate = fates[(int) (sentIn % fates.length)][sender];
        final NodeCells sent = links.sent(sentIn, sender);
        final boolean isNothing = seen.route(0) == InFlightCells.SILENCE;
        final Law law = fate == Fate.LOST ? isNothing ? null : Law.CONSERVATION
            : fate == Fate.MAY_BE_LOST && isNothing ? null : links.broken(sent, seen, 0);
        if (law != null) {
            log.add(new Finding(law, slot, node, shale.schedule().slotInEpoch(sentIn), Finding.NO_BUCKET,
                fate == Fate.LOST ? "nothing, as the link or a node is down" : "what node " + sender + " sent in slot "
                + sentIn + " to arrive: " + CellText.slot(names, sent.route(0), sent.cell(0)),
                CellText.slot(names, seen.route(0), seen.cell(0))));
        }
    }
}
