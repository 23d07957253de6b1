package dev.skerry.tools.figure.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;

import java.util.Arrays;
import java.util.List;

/**
 * A link between an adapter and its element is cut at many phases of the messages, while all others send to that
 * adapter: when the last cell is lost (Stardust §5.9, Appendix E; docs/spec/stardust.md §6, §10 row 18). Cells of 256
 * bytes at 25 Gb/s in the network of Figure 9, of 512 at 10 Gb/s in that of Figure 10.
 */
public final class StardustHealing {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-healing", "Section 5.9, Appendix E",
        "losses after a link is cut, until all go around it", 6, 0.3, StardustHealing::measure);

    private static final double PERIOD_NS = 10_000;
    private static final int WARM_UP = 600;
    private static final int QUIET_SLOTS = 400;
    private static final double LOAD = 0.9;

    /**
     * A fabric and what is expected of it.
     *
     * @param hops      over which the news goes.
     * @param mostUs    until all have acted on it.
     * @param fullTurns periods in which a device tells all it knows, M.
     */
    private record Case(String name, FoldedClosConfig network, int payloadBytes, double slotNs, int linkSlots, int hops,
        double mostUs, int fullTurns) {
        private Stardust fabric(final long seed) {
            final double bytes = LOAD * network.faLinks() * payloadBytes;
            return new Stardust(Deployment.full(new FoldedClos(network)), linkSlots, HostSide.of(1, 1, 2 * bytes),
                new CellCut(8 * payloadBytes, payloadBytes, false, Packing.CONTINUOUS),
                Credits.paced(bytes).of(8 * payloadBytes).regulated(1), LinkRules.USUAL, true, seed);
        }
    }

    /** Slots from the cut to the last loss, and cells lost once it was mended. */
    private record Cut(int lastLoss, long lostByMending) {
    }

    private static final Case N62 = new Case("256 adapters, one hop", FoldedClosConfig.N62, 256, 87.04, 6, 1, 63, 2);
    private static final Case N432 = new Case("72 adapters, three hops", FoldedClosConfig.N432, 496, 409.6, 3, 3, 99,
        1);

    private StardustHealing() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = new Plot("losses", "Last loss after a link is cut", "time since the cut (us)",
            "share of cuts");
        measure(found, plot, N432, effort.either(30, 1000), effort.part(0, 0.8));
        measure(found, plot, N62, effort.either(4, 40), effort.part(0.8, 1));
        return found.add(plot);
    }

    private static void measure(final Findings found, final Plot plot, final Case of, final int cuts,
        final Effort effort) {
        final double[] us = new double[cuts];
        long byMending = 0;
        for (int i = 0; i < cuts; i++) {
            effort.done((double) i / cuts);
            final Cut cut = cut(of, i, cuts, effort);
            us[i] = cut.lastLoss * of.slotNs / 1e3;
            byMending += cut.lostByMending;
        }
        Arrays.sort(us);
        found.atMost(of.name + ", " + cuts + " phases: last loss after the cut, longest, us",
            "at most " + Check.text(of.mostUs), of.mostUs, us[cuts - 1])
            .reported("  mean", "", Arrays.stream(us).average().orElseThrow())
            .exactly("  cells lost when it is mended", 0, byMending);
        plot.addShares(of.name, us);
        plot.add(of.name + ": at most " + Check.text(of.mostUs) + " us", Plot.Style.BOUND,
            new double[] {of.mostUs, of.mostUs}, new double[] {0, 1});
    }

    private static Cut cut(final Case of, final int number, final int cuts, final Effort effort) {
        final Stardust fabric = of.fabric(effort.seed() + number);
        final FoldedClos clos = fabric.clos();
        final int adapter = number % clos.fas();
        final int element = clos.deviceOf(clos.peer(clos.firstPort(adapter) + number % of.network.faLinks()));
        final ReachTiming healing = ReachTiming.every(PERIOD_NS, of.slotNs);
        final long turn = (long) healing.periodSlots() * of.fullTurns;
        final long cutAt = WARM_UP + number * turn / cuts;
        final long mendAt = cutAt + (long) (of.mostUs * 1e3 / of.slotNs) + QUIET_SLOTS;
        final Faults faults = new Faults(new FaultPlan(List.of(
            new Fault.Link(cutAt, element, adapter, false), new Fault.Link(cutAt, adapter, element, false),
            new Fault.Link(mendAt, element, adapter, true), new Fault.Link(mendAt, adapter, element, true))),
            effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, toOne(clos.fas(), adapter), faults, healing,
            effort.threads(), false)) {
            engine.advance(cutAt);
            int last = 0;
            for (long slot = cutAt, lost = 0; slot < mendAt; slot++) {
                engine.advance(1);
                final long now = cells(engine);
                last = now > lost ? (int) (slot - cutAt) : last;
                lost = now;
            }
            final long before = cells(engine);
            // 32 good messages and three reports later all use it again.
            engine.advance(of.hops * 3 * turn + 40L * healing.periodSlots());
            engine.checkConserved();
            return new Cut(last, cells(engine) - before);
        }
    }

    private static long cells(final StardustEngine engine) {
        return engine.count(NicCounter.DROPPED_ON_WAY)
            + engine.count(NicCounter.DROPPED_NO_ROUTE);
    }

    private static FlowSet toOne(final int adapters, final int to) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < adapters; from++) {
            if (from != to) {
                CircuitRuns.endless(flows, from, to);
            }
        }
        return flows;
    }
}
