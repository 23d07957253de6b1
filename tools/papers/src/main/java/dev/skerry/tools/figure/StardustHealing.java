package dev.skerry.tools.figure;

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
import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reachability: losses after a link is cut, and fabrics whose devices know nobody at first (docs/spec/stardust.md §6,
 * §10 row 18).
 */
public final class StardustHealing {
    /**
     * A link between an adapter and its element is cut at many phases of the messages, while all others send to that
     * adapter: when the last cell is lost (Stardust §5.9, Appendix E; docs/spec/stardust.md §6, §10 row 18). Cells of
     * 256 bytes at 25 Gb/s in the network of Figure 9, of 512 at 10 Gb/s in that of Figure 10.
     */
    public static final Figure HEALING = new Figure("stardust-healing", "Section 5.9, Appendix E",
        "losses after a link is cut, until all go around it", 6, 0.3, StardustHealing::healing);
    /**
     * Fabrics whose devices know nobody at first: when all know all, against the formula of Appendix E; and the network
     * of Figure 9 while it grows from 32 to 64 adapters under traffic (Stardust §5.9, docs/spec/stardust.md §6).
     */
    public static final Figure BRING_UP = new Figure("stardust-bring-up", "Section 5.9, Appendix E",
        "reachability from nothing, and adapters that join under traffic", 2, 1.4, StardustHealing::bringUp);

    private static final double PERIOD_NS = 10_000;
    private static final double LOAD = 0.9;
    private static final Case N62 = new Case("256 adapters, one hop", FoldedClosConfig.N62, 256, 87.04, 6, 1, 63, 2);
    private static final Case N432 = new Case("72 adapters, three hops", FoldedClosConfig.N432, 496, 409.6, 3, 3, 99,
        1);
    private static final double SLOT_NS = 87.04;
    private static final int LINK_SLOTS = 7;
    private static final int CELL = 256;
    private static final ReachTiming TIMING = ReachTiming.every(PERIOD_NS, SLOT_NS);
    /** Messages after which a link that was down is used. */
    private static final int VALID = 32;
    private static final int JOIN = 1000;
    private static final int WATCHED = 1000;
    private static final int SEEDS = 5;
    /** One tier, the network of Figure 9, and three tiers of 432 adapters. */
    private static final List<FoldedClosConfig> NETWORKS = List.of(FoldedClosConfig.N612, FoldedClosConfig.N62,
        FoldedClosConfig.largest(12, 6, 3));

    /**
     * A fabric and what is expected of it.
     *
     * @param hops      over which the news goes.
     * @param mostUs    until all have acted on it.
     * @param fullTurns periods in which a device tells all it knows, M.
     */
    private record Case(String name, FoldedClosConfig network, int payloadBytes, double slotNs, int linkSlots, int hops,
        double mostUs, int fullTurns) {
    }

    /** Slots from the cut to the last loss, and cells lost once it was mended. */
    private record Cut(int lastLoss, long lostByMending) {
    }

    /** From the slot in which adapters join: when all know all, what was lost, and what the least of them gets. */
    private record Growth(double knownUs, long dropped, long lost, double share) {
    }

    private StardustHealing() {
    }

    private static Findings healing(final Effort effort) {
        final Findings found = new Findings();
        final Plot plot = new Plot("losses", "Last loss after a link is cut", "time since the cut (us)",
            "share of cuts");
        measureHealing(found, plot, N432, effort.either(30, 1000), effort.part(0, 0.8));
        measureHealing(found, plot, N62, effort.either(4, 40), effort.part(0.8, 1));
        return found.add(plot);
    }

    private static void measureHealing(final Findings found, final Plot plot, final Case of, final int cuts,
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
        final FoldedClos clos = new FoldedClos(of.network);
        final Stardust fabric = fabric(clos, of.payloadBytes, of.linkSlots, effort.seed() + number);
        final int adapter = number % clos.fas();
        final int element = clos.deviceOf(clos.peer(clos.firstPort(adapter) + number % of.network.faLinks()));
        final ReachTiming healing = ReachTiming.every(PERIOD_NS, of.slotNs);
        final long turn = (long) healing.periodSlots() * of.fullTurns;
        final long cutAt = 600 + number * turn / cuts;
        final long mendAt = cutAt + (long) (of.mostUs * 1e3 / of.slotNs) + 400;
        final Faults faults = new Faults(new FaultPlan(List.of(
            new Fault.Link(cutAt, element, adapter, false), new Fault.Link(cutAt, adapter, element, false),
            new Fault.Link(mendAt, element, adapter, true), new Fault.Link(mendAt, adapter, element, true))),
            effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, CircuitRuns.endless(clos.fas(), 1,
            (from, to) -> to == adapter), faults, healing,
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
        return engine.count(NicCounter.DROPPED_ON_WAY) + engine.count(NicCounter.DROPPED_NO_ROUTE);
    }

    private static Findings bringUp(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < NETWORKS.size(); i++) {
            bringUp(found, NETWORKS.get(i), effort.part(0.1 * i, 0.1 * (i + 1)));
        }
        final double[] whole = new double[SEEDS];
        final double[] served = new double[SEEDS];
        long dropped = 0;
        long lost = 0;
        for (int i = 0; i < SEEDS; i++) {
            final Growth growth = grow(effort.seed() + i, effort.part(0.3 + 0.7 * i / SEEDS,
                0.3 + 0.7 * (i + 1) / SEEDS));
            whole[i] = growth.knownUs;
            served[i] = growth.share;
            dropped += growth.dropped;
            lost += growth.lost;
        }
        final double formula = us(VALID * TIMING.period(LINK_SLOTS)
            + TIMING.bringUpSlots(new FoldedClos(FoldedClosConfig.N62), LINK_SLOTS));
        return found.exactly("32 adapters of 256 are there, 32 more join: cells lost", 0, dropped)
            .exactly("  packets lost", 0, lost)
            .atMost("  all know all, us after they join, on average", "32 messages and the formula", formula,
                new Sample(whole).mean())
            .spread("all know all, us", new Sample(whole))
            .atLeast("  then the 64 get what they are sent, the least of them", "1", 0.97, new Sample(served).least());
    }

    private static double us(final long slots) {
        return slots * SLOT_NS / 1e3;
    }

    private static void bringUp(final Findings found, final FoldedClosConfig network, final Effort effort) {
        final double[] us = new double[SEEDS];
        final FoldedClos clos = new FoldedClos(network);
        final int formula = TIMING.bringUpSlots(clos, LINK_SLOTS);
        for (int i = 0; i < SEEDS; i++) {
            effort.done((double) i / SEEDS);
            try (StardustEngine engine = new StardustEngine(fabric(clos, CELL, LINK_SLOTS, effort.seed() + i),
                new FlowSet(), Faults.NONE, TIMING.fromNothing(), effort.threads(), false)) {
                engine.advance(2L * formula);
                us[i] = us(engine.count(NicCounter.REACH_LAST_CHANGED));
            }
        }
        final Sample sample = new Sample(us);
        final String of = network.fas() + " adapters, " + network.tiers() + (network.tiers() == 1 ? " tier"
            : " tiers");
        found.between(of + ": all know all, us, on average", "the formula, " + Math.round(us(formula)),
            us(formula) * 2 / 3, us(formula), sample.mean()).spread(of, sample);
    }

    private static Stardust fabric(final FoldedClos clos, final int payloadBytes, final int linkSlots,
        final long seed) {
        final double bytes = LOAD * clos.ports(0) * payloadBytes;
        return new Stardust(Deployment.full(clos), linkSlots, HostSide.of(1, 1, 2 * bytes),
            new CellCut(8 * payloadBytes, payloadBytes, false, Packing.CONTINUOUS),
            Credits.paced(bytes).of(8 * payloadBytes).regulated(1), LinkRules.USUAL, true, seed);
    }

    private static Growth grow(final long seed, final Effort effort) {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N62);
        final int each = clos.fas() / 4;
        final List<Fault> joins = new ArrayList<>();
        for (int adapter = 0; adapter < clos.fas(); adapter++) {
            if (adapter % each >= 8) {
                joins.add(new Fault.Node(0, adapter, false));
            }
        }
        for (int adapter = 0; adapter < clos.fas(); adapter++) {
            if (adapter % each / 8 == 1) {
                joins.add(new Fault.Node(JOIN, adapter, true));
            }
        }
        final FlowSet flows = CircuitRuns.endless(clos.fas(), 1, (from, to) -> from % each < 16 && to % each < 16
            && from % each / 8 == to % each / 8);
        final int settle = VALID * TIMING.period(LINK_SLOTS) + 2 * TIMING.bringUpSlots(clos, LINK_SLOTS);
        try (StardustEngine engine = new StardustEngine(fabric(clos, CELL, LINK_SLOTS, seed), flows,
            new Faults(new FaultPlan(joins), seed), TIMING, effort.threads(), false)) {
            engine.advance(JOIN);
            effort.done(0.1);
            engine.advance(settle);
            effort.done(0.9);
            final long[] before = IntStream.range(0, clos.fas()).mapToLong(engine::bytesTo).toArray();
            engine.advance(WATCHED);
            double least = 1;
            for (int adapter = 0; adapter < clos.fas(); adapter++) {
                if (adapter % each < 16) {
                    least = Math.min(least, (engine.bytesTo(adapter) - before[adapter])
                        / (LOAD * clos.ports(0) * CELL * WATCHED));
                }
            }
            engine.checkConserved();
            return new Growth(us(engine.count(NicCounter.REACH_LAST_CHANGED) - JOIN), engine.outcome().dropped(),
                engine.count(NicCounter.PACKETS_LOST), least);
        }
    }
}
