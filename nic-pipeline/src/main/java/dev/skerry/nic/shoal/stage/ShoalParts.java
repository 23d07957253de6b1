package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.nic.shoal.PairStreams;
import dev.skerry.nic.shoal.ParkedCells;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;

import java.lang.foreign.Arena;
import java.util.function.BiFunction;

/**
 * What an engine asks Shoal for. Where something can fail or flows have traffic classes, banks guard against both.
 *
 * @param fabric       the fabric.
 * @param countsParked whether cells that wait for others before them are counted, where nothing can fail and there is
 *                     room for it ({@link PairStreams#fits}).
 */
public record ShoalParts(Shoal fabric, boolean countsParked) implements FabricParts {
    /** Without a count of the cells that wait for others. */
    public ShoalParts(final Shoal fabric) {
        this(fabric, false);
    }

    private boolean countsParked(final Traffic traffic) {
        return countsParked && !resends(traffic) && !traffic.flows().isOnDemand()
            && !traffic.flows().isOpen() && PairStreams.fits(traffic.flows(), fabric.nodes());
    }

    @Override
    public void check(final Traffic traffic) {
        if (resends(traffic) && !fabric.rule().isGuarded()) {
            throw new IllegalArgumentException("this rule goes with neither faults nor traffic classes: rule="
                + fabric.rule().label());
        }
        checkFlows(traffic);
    }

    private void checkFlows(final Traffic traffic) {
        final FlowSet flows = traffic.flows();
        if (fabric.flowOrder() == FlowOrder.SHORTEST && flows.isOnDemand()) {
            throw new IllegalArgumentException("flows on demand do not tell their length: flowOrder="
                + fabric.flowOrder().label());
        }
        if (fabric.failedNodes() > 0 && resends(traffic)) {
            throw new IllegalArgumentException("nodes that fail from the start go neither with faults nor with traffic "
                + "classes: failedNodes=" + fabric.failedNodes());
        }
        for (int flow = 0; flow < flows.size(); flow++) {
            if (Math.min(flows.source(flow), flows.destination(flow)) < fabric.failedNodes()) {
                throw new IllegalArgumentException("a flow has a failed node at one end: flow=" + flows.id(flow)
                    + " source=" + flows.source(flow) + " destination=" + flows.destination(flow) + " failedNodes="
                    + fabric.failedNodes());
            }
        }
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return traffic.mayFail() || traffic.flows().classes() > 1;
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return ShoalBank.bytes(fabric, traffic.flows()) + (resends(traffic)
            ? ShoalFailures.bytes(fabric, traffic.flows(), fabric.cellsInSlot() * window) : 0)
            + (countsParked(traffic) ? PairStreams.bytes(traffic.flows(), fabric.nodes()) : 0);
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        if (countsParked(traffic)) {
            final PairStreams streams = new PairStreams(arena, traffic.flows(), fabric.nodes());
            return named(traffic, (range, ends) -> new ShoalBank(arena, range, fabric, new Bank.Ends(ends.flows(),
                ends.flowTable(), ends.link(), ends.circuits(), new ParkedCells(ends.store(), streams))));
        }
        if (!resends(traffic)) {
            return named(traffic, (range, ends) -> new ShoalBank(arena, range, fabric, ends));
        }
        final ShoalFailures.Shared shared = new ShoalFailures.Shared(traffic.faults(),
            Bootstrap.of(traffic.faults(), fabric.nodes(), fabric.firstSlot()),
            new ControlCells(arena, fabric.nodes(), fabric.cellsInSlot() * window, link));
        return named(traffic, (range, ends) -> new ShoalBank(arena, range, fabric, ends, shared));
    }

    private Banks named(final Traffic traffic, final BiFunction<NodeRange, Bank.Ends, Bank> banks) {
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                return banks.apply(range, ends);
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                final int source = ClassedCell.source(route);
                final int number = ClassedCell.trafficClass(route);
                return source < fabric.nodes() && ShoalCell.destination(route) < fabric.nodes()
                    && number < traffic.flows().classes()
                    && (int) route == (int) ClassedCell.of(source, ShoalCell.destination(route), number);
            }

            /** A report, or two of the rule that has two. */
            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return (feedback & ~(ReportWord.HEADER_BITS << Integer.SIZE | ReportWord.HEADER_BITS)) == 0;
            }
        };
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return new RoundRobinArrivals(fabric.schedule(), link);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        return ((ShoalBank) banks[0]).failures() != null ? new ShoalFailureLaws(fabric, banks, link)
            : new ShoalLaws(fabric, banks, link);
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new ShoalNodeProbes((ShoalBank) bank, fabric, node);
    }

    @Override
    public NodeRegisters registers(final Bank bank, final int node) {
        return new ShoalNodeRegisters(fabric, (ShoalBank) bank, node);
    }

    @Override
    public long readIfDamaged() {
        return ReportWord.HEADER_BITS;
    }
}
