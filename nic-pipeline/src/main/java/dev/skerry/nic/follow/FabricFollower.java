package dev.skerry.nic.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayList;
import java.util.List;

/**
 * Follows all nodes of a fabric at once, and the links between them: what a node receives is what its neighbour sent
 * one propagation delay earlier. In each slot what nodes send is checked first, then links, then what nodes receive, so
 * that a cause is found before its symptoms. One thread.
 */
public final class FabricFollower {
    private final Shale shale;
    private final CellNames names;
    private final FindingLog log;
    private final List<NodeFollower> nodes = new ArrayList<>();
    private final FollowedLinks links;
    private long slot;
    private long begin;

    /** Followers of all nodes before slot 0, see {@link NodeFollower}. */
    public FabricFollower(final Shale shale, final CellNames names, final FollowRules rules, final FindingLog log) {
        this.shale = shale;
        this.names = names;
        this.log = log;
        this.links = new FollowedLinks(shale.propagationSlots(), shale.nodes(), 1, Route::bucket);
        for (int node = 0; node < shale.nodes(); node++) {
            nodes.add(new NodeFollower(shale, names, node, rules, log));
        }
    }

    /** Begins in mid-run, before the first step, see {@link NodeFollower#beginAt}. */
    public void beginAt(final long first) {
        slot = first;
        begin = first;
        nodes.forEach(node -> node.beginAt(first));
    }

    /** The follower of a node. */
    public NodeFollower node(final int node) {
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
     * @param joined   by node, the link that an arriving cell joins or {@link NodeFollower#UNTOLD}.
     */
    public void step(final NodeCells[] sent, final NodeCells[] received, final int[] joined) {
        for (int node = 0; node < sent.length; node++) {
            links.send(slot, node, sent[node]);
            nodes.get(node).send(slot, sent[node].route(0), sent[node].cell(0), sent[node].feedback(0));
        }
        final long sentIn = slot - shale.propagationSlots();
        for (int node = 0; node < sent.length && sentIn >= begin; node++) {
            checkLink(sentIn, node, received[node]);
        }
        for (int node = 0; node < sent.length; node++) {
            nodes.get(node).receive(received[node].route(0), received[node].cell(0), received[node].feedback(0),
                joined[node]);
        }
        slot++;
    }

    private void checkLink(final long sentIn, final int node, final NodeCells seen) {
        final int sender = shale.schedule().senderTo(node, sentIn);
        final NodeCells sent = links.sent(sentIn, sender);
        final Law law = links.broken(sent, seen, 0);
        if (law != null) {
            log.add(new Finding(law, slot, node, shale.schedule().slotInEpoch(sentIn), Finding.NO_BUCKET, "what node "
                + sender + " sent in slot " + sentIn + " to arrive: " + text(sent), text(seen)));
        }
    }

    private String text(final NodeCells words) {
        final String text = CellText.slot(names, words.route(0), words.cell(0));
        return words.feedback(0) == InFlightCells.NO_FEEDBACK ? text
            : text + " with tokens " + CellText.tokens(words.feedback(0));
    }
}
