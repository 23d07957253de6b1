package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.QueueMaxima;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.fabric.PlaceMessages;
import dev.skerry.nic.fabric.SlotNotes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.CongestionControl.ControlFactory.BankState;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongHashMap;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What an engine asks Shale for.
 *
 * @param fabric the fabric.
 * @param byLink whether the longest queue of every link is counted, not only that of every node.
 */
public record ShaleParts(Shale fabric, boolean byLink) implements FabricParts {
    /** Counts the longest queue of every node. */
    public ShaleParts(final Shale fabric) {
        this(fabric, false);
    }

    @Override
    public void check(final Traffic traffic) {
        if (traffic.flows().classes() > 1) {
            throw new IllegalArgumentException("only Shoal has traffic classes: classes="
                + traffic.flows().classes());
        }
        if (traffic.edges() != null && fabric.mechanisms().order().readsFlows()) {
            throw new IllegalArgumentException("priority needs the lengths of flows, and packets do not tell them: "
                + "mechanisms=" + fabric.mechanisms());
        }
        fabric.mechanisms().control().check(fabric, traffic);
        if (endToEnd() != null && traffic.flows().isOpen()) {
            throw new IllegalArgumentException("flows that come while a model runs do not go with "
                + fabric.mechanisms());
        }
        if (endToEnd() != null) {
            endToEnd().check(traffic);
        }
    }

    @Override
    public void checkNode() {
        if (meetsInEverySlot()) {
            throw new IllegalArgumentException("a node alone cannot know at once what flows all others send, which "
                + fabric.mechanisms() + " needs");
        }
        if (endToEnd() != null) {
            throw new IllegalArgumentException("a node alone has only cells, and " + fabric.mechanisms()
                + " needs what travels beside them");
        }
    }

    private EndToEndFactory endToEnd() {
        return fabric.mechanisms().endToEnd();
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return false;
    }

    @Override
    public boolean meetsInEverySlot() {
        return endToEnd() != null && endToEnd().isInstant();
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return ShaleBank.bytes(fabric, fabric.nodes(), traffic.flows().size())
            + ArrivalFlags.bytes(fabric.nodes(), window)
            + (traffic.mayFail() ? LinkFailures.bytes(fabric, fabric.nodes()) : 0)
            + (endToEnd() == null ? 0 : endToEnd().bytes(fabric, traffic.flows().size(), window));
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        final ShaleBank.Shared shared = ShaleBank.Shared.of(arena, fabric, traffic.flows(), window);
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                return new ShaleBank(arena, range, fabric, traffic.faults(), ends,
                    ShaleBank.Books.of(range, fabric, ends, maxima(range.size())), shared,
                    FewNodes.of(range.size()));
            }

            @Override
            public PlaceMessages messages() {
                return shared.run() == null ? null : shared.run().messages();
            }

            @Override
            public SlotNotes notes() {
                return shared.run() == null ? null : shared.run().notes();
            }

            @Override
            public void arrived(final long slot, final int node) {
                shared.flags().setFromElsewhere((int) (slot % window), node);
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                return ShaleParts.this.isRoute(route);
            }

            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return ShaleParts.this.isFeedback(feedback, traffic.mayFail());
            }
        };
    }

    boolean isRoute(final long route) {
        return fabric.isBucket(Route.bucket(route)) && Route.forwarded(route) == route;
    }

    /** Feedback is a token or two; with faults each half is none, a token or a notice about links. */
    boolean isFeedback(final long feedback, final boolean mayFail) {
        final int second = (int) (feedback >>> 32);
        return mayFail ? LinkFailures.isNotice(fabric, (int) feedback) && LinkFailures.isNotice(fabric, second)
            : fabric.isBucket((int) feedback) && (second == -1 || fabric.isBucket(second));
    }

    private NodeMaxima maxima(final int nodes) {
        return byLink ? new QueueMaxima(nodes, fabric.schedule().epochSlots() * nodes) : new NodeMaxima(nodes);
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return new PhasedArrivals(fabric, link, false);
    }

    @Override
    public ArrivalMap packed(final InFlightCells link) {
        return new PhasedArrivals(fabric, link, true);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        final List<BankState> states = new ArrayList<>();
        for (final Bank bank : banks) {
            final ShaleBank nics = (ShaleBank) bank;
            states.add(new BankState(nics.parts().control(), nics.parts().queues().queues(), nics.reach(),
                nics.range()));
        }
        final FabricLaws ofPaths = new PathAudit(fabric, link, (ShaleBank) banks[0]);
        final FabricLaws ofLinks = fabric.mechanisms().control().laws(fabric, states, link);
        final FabricLaws ofFlows = endToEnd() == null ? slot -> { } : ((ShaleBank) banks[0]).run().laws(
            Arrays.stream(banks).map(bank -> ((ShaleBank) bank).endToEnd()).toList());
        return slot -> {
            ofPaths.check(slot);
            ofLinks.check(slot);
            ofFlows.check(slot);
            states.forEach(state -> checkOrder(slot, state));
        };
    }

    private static void checkOrder(final long slot, final BankState bank) {
        final int queue = bank.queues().disordered();
        if (queue >= 0) {
            throw new IllegalStateException("a queue is out of order: slot=" + slot + " node="
                + (bank.range().first() + queue % bank.range().size()) + " link=" + queue / bank.range().size());
        }
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new ShaleNodeProbes(fabric, (ShaleBank) bank, node);
    }

    @Override
    public NodeRegisters registers(final Bank bank, final int node) {
        return new ShaleNodeRegisters(fabric, (ShaleBank) bank, node);
    }

    /**
     * Follows every cell on its way (docs/spec/shale.md §5.5 I5): it starts with h - 1 spraying hops to go, leaves the
     * node that it went to, has one spraying hop less after each, then comes closer to its destination with every hop,
     * and makes at most 2h hops. Where links fail, or cut cells are sent again, a cell may start anew. One thread,
     * between slots.
     *
     * <p>It looks at what was sent in a slot and is still on its way: without a propagation delay it sees nothing. A
     * slot that is left out makes it forget; it then takes in cells that started
     * earlier wherever it meets them.
     */
    private static final class PathAudit implements FabricLaws {
        private static final long UNSEEN = -1;
        private static final int HOPS_SHIFT = 32;
        private static final int SPRAYS_SHIFT = 40;

        private final Shale shale;
        private final Phased schedule;
        private final InFlightCells link;
        private final PayloadStore store;
        private final boolean mayStartAnew;
        /** By flow and sequence number: the node that a cell went to, the hops made, the spraying hops to go. */
        private final Long2LongHashMap paths = new Long2LongHashMap(UNSEEN);
        private long from;
        private long next;

        /** Nothing under way; one bank of the fabric tells cells apart, and whether any may start anew. */
        PathAudit(final Shale shale, final InFlightCells link, final ShaleBank bank) {
            this.shale = shale;
            this.schedule = shale.schedule();
            this.link = link;
            this.store = bank.endToEnd().ends().store();
            this.mayStartAnew = bank.reach() != null || bank.parts().endToEnd() != null;
        }

        @Override
        public void check(final long slot) {
            if (slot != next) {
                paths.clear();
                from = slot;
            }
            next = slot + 1;
            if (!shale.share().owns(slot) || shale.propagationSlots() == 0) {
                return;
            }
            final int inEpoch = shale.slotInEpoch(slot);
            for (int id = 0; id < schedule.nodes(); id++) {
                final long at = link.offset(slot) + (long) id * InFlightCells.PLACE_BYTES;
                final long route = link.route(at);
                if (Route.isCell(route)) {
                    follow(slot, id, schedule.peerAt(id, 0, inEpoch), route, store.identify(link.cell(at)));
                }
            }
        }

        private void follow(final long slot, final int id, final int peer, final long route, final long cell) {
            final int destination = Route.destination(route);
            final int sprays = Route.sprays(route);
            final boolean isFirst = sprays == schedule.phases() - 1;
            final long before = paths.get(cell);
            final boolean isKnown = before != UNSEEN;
            final boolean wentHere = isKnown && (int) before == id;
            int hops = schedule.phases() - sprays;
            if (wentHere && goesOn(before, sprays, id, peer, destination)) {
                hops = ((int) (before >>> HOPS_SHIFT) & 0xFF) + 1;
            } else if (isKnown) {
                require(mayStartAnew && isFirst, wentHere ? "does not come closer"
                    : "leaves a node that it did not go to", slot, id, peer, cell);
            } else {
                require(isFirst || slot - Route.age(route, slot) < from, "starts on its way", slot, id, peer, cell);
            }
            require(hops <= 2 * schedule.phases(), "makes too many hops", slot, id, peer, cell);
            if (peer == destination) {
                paths.remove(cell);
            } else {
                paths.put(cell, (long) sprays << SPRAYS_SHIFT | (long) hops << HOPS_SHIFT | peer);
            }
        }

        private boolean goesOn(final long before, final int sprays, final int id, final int peer,
            final int destination) {
            final int left = (int) (before >>> SPRAYS_SHIFT);
            return left > 0 ? sprays == left - 1
                : sprays == 0 && agreement(peer, destination) > agreement(id, destination);
        }

        private int agreement(final int node, final int destination) {
            int equal = 0;
            for (int phase = 0; phase < schedule.phases(); phase++) {
                equal += schedule.coordinates().digit(node, phase) == schedule.coordinates().digit(destination, phase)
                    ? 1 : 0;
            }
            return equal;
        }

        private static void require(final boolean holds, final String law, final long slot, final int from,
            final int to,
            final long cell) {
            if (!holds) {
                throw new IllegalStateException("path law (I5) broken, a cell " + law + ": slot=" + slot + " from="
                    + from
                    + " to=" + to + " flow=" + Cell.flow(cell) + " cell=" + Cell.sequence(cell));
            }
        }
    }

    /**
     * Shale's circuits in lock step: the receiver computes from the schedule who sent to it. Immutable.
     *
     * @param packs whether senders may put what they send side by side, as nobody looks for it at their own places.
     */
    record PhasedArrivals(Shale shale, InFlightCells link, boolean packs) implements ArrivalMap {
        @Override
        public void arrivals(final long sent, final int channel, final int firstId, final int count,
            final long[] places) {
            shale.schedule().senders(shale.slotInEpoch(sent), firstId, count, places);
            final long linkAt = link.offset(sent);
            for (int i = 0; i < count; i++) {
                places[i] = linkAt + places[i] * InFlightCells.PLACE_BYTES;
            }
        }
    }
}
