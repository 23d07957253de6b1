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
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.ControlFactory.BankState;
import dev.skerry.nic.shale.EndToEndFactory;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

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
        final FabricLaws ofPaths = ((ShaleBank) banks[0]).paths(fabric, link);
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
}
