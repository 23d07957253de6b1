package dev.skerry.tools.score;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.CellText;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FailureFabricFollower;
import dev.skerry.nic.follow.FailureFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.follow.Law;
import dev.skerry.nic.follow.NodeFollower;
import dev.skerry.nic.follow.ShoalFabricFollower;
import dev.skerry.nic.follow.ShoalFollower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalSlotPlan;

import java.util.Arrays;
import java.util.stream.IntStream;

/** A fabric whose nodes are all followed, as a trace is played to it. One thread. */
abstract class FollowedFabric {
    /** No link: nobody is connected there. */
    static final int NONE = -1;

    final CircuitFabric followed;
    final CellNames names;

    private FollowedFabric(final CircuitFabric followed, final CellNames names) {
        this.followed = followed;
        this.names = names;
    }

    /** Begins in mid-run, before the first step, where what nodes hold is not known. */
    abstract void beginAt(long first);

    /** Follows one slot. */
    abstract void step(TraceSlot slot);

    /** Registers compared so far. */
    long registers() {
        return 0;
    }

    abstract Follower follower(int node);

    /** Cells held for others by all nodes. */
    final int held() {
        return IntStream.range(0, followed.nodes()).map(node -> follower(node).held()).sum();
    }

    /** Most cells whose link was unknown at a node at a time. */
    int mostOpen() {
        return 0;
    }

    /** The link on which a node sends, as findings number it; {@link #NONE} if it does not. */
    abstract int link(int node, int channel, long slot);

    /** The neighbour that it sends to. */
    abstract int peer(int node, int channel, long slot);

    /** What a channel holds, for readers. */
    abstract String text(NodeCells cells, int channel);

    /** What all followed fabrics of Shale have in common. One thread. */
    private abstract static class FollowedPhases extends FollowedFabric {
        final Shale shale;

        FollowedPhases(final Shale shale, final CellNames names) {
            super(shale, names);
            this.shale = shale;
        }

        @Override
        final int link(final int node, final int channel, final long slot) {
            return shale.schedule().slotInEpoch(slot);
        }

        @Override
        final int peer(final int node, final int channel, final long slot) {
            return shale.schedule().peerOf(node, slot);
        }

        @Override
        final String text(final NodeCells cells, final int channel) {
            return CellText.slot(names, cells.route(channel), cells.cell(channel))
                + (cells.feedback(channel) == -1 ? "" : ", tokens " + CellText.tokens(cells.feedback(channel)));
        }
    }

    /** Nodes of Shale, with their registers if they are recorded. One thread. */
    static final class FollowedShale extends FollowedPhases {
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
        Follower follower(final int node) {
            return fabric.node(node);
        }

        @Override
        void beginAt(final long first) {
            fabric.beginAt(first);
        }

        @Override
        void step(final TraceSlot slot) {
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
        long registers() {
            return registers == null ? 0 : registers.compared();
        }

        @Override
        int mostOpen() {
            int open = 0;
            for (int node = 0; node < shale.nodes(); node++) {
                open = Math.max(open, fabric.node(node).mostOpen());
            }
            return open;
        }
    }

    /** Nodes of Shoal. One thread. */
    static final class FollowedShoal extends FollowedFabric {
        private final Shoal shoal;
        private final ShoalSlotPlan plan;
        private final ShoalFabricFollower fabric;

        FollowedShoal(final Shoal shoal, final CellNames names, final FollowRules rules, final FindingLog log) {
            super(shoal, names);
            this.shoal = shoal;
            this.plan = new ShoalSlotPlan(shoal);
            this.fabric = new ShoalFabricFollower(shoal, names, rules, log);
        }

        @Override
        Follower follower(final int node) {
            return fabric.node(node);
        }

        @Override
        void beginAt(final long first) {
            throw new IllegalArgumentException("nodes of Shoal are followed from slot 0 on: first=" + first);
        }

        @Override
        void step(final TraceSlot slot) {
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
        int link(final int node, final int channel, final long slot) {
            final int place = plan.place(channel, (int) (slot % plan.epochSlots()));
            return node >= plan.firstSender(place) && node < plan.endSender(place) ? plan.link(place) : NONE;
        }

        @Override
        int peer(final int node, final int channel, final long slot) {
            final int link = link(node, channel, slot);
            return link == NONE ? NONE : plan.peer(node, link);
        }

        @Override
        String text(final NodeCells cells, final int channel) {
            return CellText.ofShoal(names, cells, channel);
        }
    }

    /** Nodes of Shale amid failures. One thread. */
    static final class FollowedFailures extends FollowedPhases {
        private final FailureFabricFollower fabric;

        FollowedFailures(final Shale shale, final CellNames names, final Faults faults, final FindingLog log) {
            super(shale, names);
            this.fabric = new FailureFabricFollower(shale, names, faults, log);
        }

        @Override
        Follower follower(final int node) {
            return fabric.node(node);
        }

        @Override
        void beginAt(final long first) {
            throw new IllegalArgumentException("nodes amid failures are followed from slot 0 on: first=" + first);
        }

        @Override
        void step(final TraceSlot slot) {
            fabric.turnTo(slot.slot);
            for (int node = 0; node < shale.nodes(); node++) {
                final FailureFollower follower = fabric.node(node);
                final int peer = peer(node, 0, slot.slot);
                if (slot.peer[node] != TraceSlot.UNKNOWN && slot.peer[node] != peer) {
                    follower.refuse(Law.SCHEDULE, "to send to node " + peer, "node " + slot.peer[node]);
                }
                slot.refuse(node, follower::refuse);
            }
            fabric.step(slot.sent, slot.received);
        }
    }
}
