package dev.skerry.nic.follow;

import dev.skerry.codec.header.SlotState;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FirstSlots.Other;
import dev.skerry.nic.model.NodeCells;

import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * Follows all nodes of a fabric at once, and the links between them: what a node receives is what its neighbour sent
 * one propagation delay earlier. In each slot what nodes send is checked first, then links, then what nodes receive, so
 * that a cause is found before its symptoms. A link's finding stands at its receiver. One thread.
 */
public abstract class FabricFollower implements AutoCloseable {
    /** No link: no node is connected there. */
    public static final int NONE = -1;

    /** What cell words say. */
    protected final CellNames names;
    private final CircuitFabric fabric;
    private final FindingLog log;
    private final List<? extends Follower> nodes;
    private final FollowedLinks links;
    private long slot;
    private long begin;

    /**
     * Followers of all nodes before slot 0.
     *
     * @param header the part of a cell's route word that must arrive as it was sent.
     * @param nodes  by id.
     */
    protected FabricFollower(final CircuitFabric fabric, final CellNames names, final FindingLog log,
        final LongUnaryOperator header, final List<? extends Follower> nodes) {
        this.fabric = fabric;
        this.names = names;
        this.log = log;
        this.nodes = nodes;
        this.links = new FollowedLinks(fabric.propagationSlots(), fabric.nodes(), fabric.channels(), header);
    }

    /** The fabric. */
    public final CircuitFabric fabric() {
        return fabric;
    }

    /** What cell words say. */
    public final CellNames names() {
        return names;
    }

    /** The follower of a node. */
    public Follower node(final int node) {
        return nodes.get(node);
    }

    /** The next slot. */
    public final long slot() {
        return slot;
    }

    /**
     * Begins in mid-run, before the first step, where what nodes hold is not known.
     *
     * @throws IllegalArgumentException if such nodes must be followed from slot 0 on.
     */
    public final void beginAt(final long first) {
        nodes.forEach(node -> node.beginAt(first));
        slot = first;
        begin = first;
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
        }
        final boolean receivesFirst = nodes.getFirst().receivesFirst();
        if (!receivesFirst) {
            send(sent);
        }
        final long sentIn = slot - fabric.propagationSlots();
        for (int channel = 0; channel < fabric.channels() && sentIn >= begin; channel++) {
            for (int node = 0; node < sent.length; node++) {
                checkLink(sentIn, channel, node, received[node]);
            }
        }
        for (int node = 0; node < sent.length; node++) {
            nodes.get(node).receive(received[node], joined(node));
        }
        if (receivesFirst) {
            send(sent);
        }
        slot++;
    }

    private void send(final NodeCells[] sent) {
        for (int node = 0; node < sent.length; node++) {
            nodes.get(node).send(slot, sent[node]);
        }
    }

    private void checkLink(final long sentIn, final int channel, final int node, final NodeCells seen) {
        final int sender = fabric.schedule().senderAt(node, channel, fabric.schedule().slotInEpoch(sentIn));
        if (sender == NONE) {
            return;
        }
        final NodeCells sent = links.sent(sentIn, sender);
        final Fate fate = fate(sentIn, sender, node);
        final boolean isGone = seen.state(channel) == SlotState.NOTHING;
        final Law law = fate == Fate.LOST ? isGone ? null : Law.CONSERVATION
            : fate == Fate.MAY_BE_LOST && isGone ? null : links.broken(sent, seen, channel);
        if (law != null) {
            log.add(new Finding(law, slot, node, linkBack(node, channel, sentIn), null, fate == Fate.LOST
                ? "nothing, as the link or a node is down" : "what node " + sender + " sent in slot " + sentIn
                + " to arrive: " + text(sent, channel), text(seen, channel)));
        }
    }

    /** What may become of what a node sends. */
    protected enum Fate {
        /** It arrives. */
        ARRIVES,
        /** Either. */
        MAY_BE_LOST,
        /** Nothing arrives. */
        LOST
    }

    /** What may become of what a node sent in a slot, of the last ones, to another. */
    protected Fate fate(final long sentIn, final int sender, final int receiver) {
        return Fate.ARRIVES;
    }

    /** The link that an arriving cell joins, if it is known; see {@link Follower#step}. */
    protected int joined(final int node) {
        return Follower.UNTOLD;
    }

    /** Cells held for others by all nodes. */
    public final int held() {
        return nodes.stream().mapToInt(Follower::held).sum();
    }

    /** Most cells whose link was unknown at a node at a time. */
    public final int mostOpen() {
        return nodes.stream().mapToInt(Follower::mostOpen).max().orElse(0);
    }

    /** Registers compared so far. */
    public long registers() {
        return 0;
    }

    /** The link on which a node sends, as findings number it; {@link #NONE} if it does not. */
    public abstract int link(int node, int channel, long at);

    /** The number of the link back, at a node that receives what was sent in a slot. */
    protected int linkBack(final int node, final int channel, final long sentIn) {
        return link(node, channel, sentIn);
    }

    /** The neighbour that a node sends to; {@link #NONE} if there is none. */
    public final int peer(final int node, final int channel, final long at) {
        return link(node, channel, at) == NONE ? NONE
            : fabric.schedule().peerAt(node, channel, fabric.schedule().slotInEpoch(at));
    }

    /** The phase of a slot; {@link #NONE} where there are no phases. */
    public int phase(final long at) {
        return NONE;
    }

    /** The devices described as they are, then with other values of one setting; none if nobody can tell. */
    public Stream<Other> others() {
        return Stream.empty();
    }

    /** What a channel holds, for readers. */
    public abstract String text(NodeCells cells, int channel);

    @Override
    public void close() {
    }

    /** What flies on the links of a followed fabric, and whether it arrives as it was sent. One thread. */
    static final class FollowedLinks {
        /** By slot modulo the propagation delay and one more, then node: what was sent. */
        private final NodeCells[][] flying;
        private final LongUnaryOperator header;

        /**
         * Links on which nothing flies yet.
         *
         * @param header of a cell's route word, what must arrive as it was sent.
         */
        FollowedLinks(final int propagationSlots, final int nodes, final int channels, final LongUnaryOperator header) {
            this.header = header;
            this.flying = new NodeCells[propagationSlots + 1][nodes];
            for (final NodeCells[] row : flying) {
                for (int node = 0; node < nodes; node++) {
                    row[node] = new NodeCells(channels);
                }
            }
        }

        /** What a node sends in a slot. */
        void send(final long slot, final int node, final NodeCells cells) {
            flying[(int) (slot % flying.length)][node].set(cells);
        }

        /** What a node sent in one of the last slots. */
        NodeCells sent(final long slot, final int node) {
            return flying[(int) (slot % flying.length)][node];
        }

        /** The law that is broken where a channel does not arrive as it was sent; null for none. */
        Law broken(final NodeCells sent, final NodeCells seen, final int channel) {
            final boolean isCell = InFlightCells.isCell(sent.route(channel));
            if (isCell != InFlightCells.isCell(seen.route(channel))
                || !isCell && sent.route(channel) != seen.route(channel)) {
                return Law.CONSERVATION;
            }
            if (isCell && (header.applyAsLong(sent.route(channel)) != header.applyAsLong(seen.route(channel))
                || sent.cell(channel) != seen.cell(channel))) {
                return Law.PAYLOAD;
            }
            return sent.feedback(channel) == seen.feedback(channel) ? null : Law.TOKEN;
        }
    }
}
