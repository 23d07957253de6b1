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
 * Follows all nodes of a fabric and the links between them: what a node receives is what its neighbour sent one
 * propagation delay earlier. In each slot the sent cells are checked first, then the links, then the received cells, so
 * that a cause is reported before its symptoms. Devices that receive first are checked in the order links, received,
 * sent. A finding about a link names the receiver. Not thread-safe.
 */
public abstract class FabricFollower implements AutoCloseable {
    /** Link number if no node is connected. */
    public static final int NONE = -1;

    /** Interpretation of cell words. */
    protected final CellNames names;
    private final CircuitFabric fabric;
    private final FindingLog log;
    private final List<? extends Follower> nodes;
    private final FollowedLinks links;
    private long slot;
    private long begin;

    /**
     * Creates followers of all nodes before slot 0.
     *
     * @param header extracts the part of a cell's route word that must arrive unchanged.
     * @param nodes  followers of the nodes, by id.
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

    /** Interpretation of cell words. */
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
     * Starts at a slot other than 0, before the first step, with unknown contents of the nodes.
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
     * @param sent     what each node sent, by id.
     * @param received what each node received, by id; ignored before the first propagation delay has passed.
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

    /** Possible outcomes for what a node sends. */
    protected enum Fate {
        /** It arrives. */
        ARRIVES,
        /** It arrives or is lost. */
        MAY_BE_LOST,
        /** It is lost. */
        LOST
    }

    /** Possible outcome for what a node sent to another one in a recent slot. */
    protected Fate fate(final long sentIn, final int sender, final int receiver) {
        return Fate.ARRIVES;
    }

    /** Link that the cell arriving at a node joins; see {@link Follower#step}. */
    protected int joined(final int node) {
        return Follower.UNTOLD;
    }

    /** Number of cells of other nodes that all nodes hold. */
    public final int held() {
        return nodes.stream().mapToInt(Follower::held).sum();
    }

    /** Maximum number of cells at one node whose link was unknown at the same time. */
    public final int mostOpen() {
        return nodes.stream().mapToInt(Follower::mostOpen).max().orElse(0);
    }

    /** Number of registers compared so far. */
    public long registers() {
        return 0;
    }

    /** Link on which a node sends, numbered as in findings; {@link #NONE} if the node does not send. */
    public abstract int link(int node, int channel, long at);

    /** Number of the link back to the sender, at a node that receives what was sent in a slot. */
    protected int linkBack(final int node, final int channel, final long sentIn) {
        return link(node, channel, sentIn);
    }

    /** Neighbour that a node sends to; {@link #NONE} if there is no circuit. */
    public final int peer(final int node, final int channel, final long at) {
        return link(node, channel, at) == NONE ? NONE
            : fabric.schedule().peerAt(node, channel, fabric.schedule().slotInEpoch(at));
    }

    /** Phase of a slot; {@link #NONE} if the schedule has no phases. */
    public int phase(final long at) {
        return NONE;
    }

    /**
     * Followers of the devices as described, then of variants that differ in one setting. Empty if there are no
     * variants.
     */
    public Stream<Other> others() {
        return Stream.empty();
    }

    /** Describes the content of a channel. */
    public abstract String text(NodeCells cells, int channel);

    @Override
    public void close() {
    }

    /** Cells in flight on the links of a followed fabric, which must arrive as they were sent. Not thread-safe. */
    static final class FollowedLinks {
        /** What was sent, by slot modulo the propagation delay plus one, then node. */
        private final NodeCells[][] flying;
        private final LongUnaryOperator header;

        /**
         * Creates links without cells in flight.
         *
         * @param header extracts the part of a cell's route word that must arrive unchanged.
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

        /** Records what a node sends in a slot. */
        void send(final long slot, final int node, final NodeCells cells) {
            flying[(int) (slot % flying.length)][node].set(cells);
        }

        /** Returns what a node sent in a recent slot. */
        NodeCells sent(final long slot, final int node) {
            return flying[(int) (slot % flying.length)][node];
        }

        /**
         * Returns the law that is violated if the content of a channel differs from what was sent; null if it does not
         * differ.
         */
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
