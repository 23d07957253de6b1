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
import dev.skerry.tools.figure.Sample;

import java.util.ArrayList;
import java.util.List;

/**
 * Fabrics whose devices know nobody at first: when all know all, against the formula of Appendix E; and the network of
 * Figure 9 while it grows from 32 to 64 adapters under traffic (Stardust §5.9, docs/spec/stardust.md §6).
 */
public final class StardustBringUp {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-bring-up", "Section 5.9, Appendix E",
        "reachability from nothing, and adapters that join under traffic", 2, 1.4, StardustBringUp::measure);

    private static final double PERIOD_NS = 10_000;
    private static final double SLOT_NS = 87.04;
    private static final int LINK_SLOTS = 7;
    private static final double LOAD = 0.9;
    private static final int CELL = 256;
    private static final ReachTiming TIMING = ReachTiming.every(PERIOD_NS, SLOT_NS);
    /** Messages after which a link that was down is used. */
    private static final int VALID = 32;
    private static final int PODS = 4;
    private static final int JOIN = 1000;
    private static final int WATCHED = 1000;
    private static final int SEEDS = 5;
    /** One tier, the network of Figure 9, and three tiers of 432 adapters. */
    private static final List<FoldedClosConfig> NETWORKS = List.of(FoldedClosConfig.N612, FoldedClosConfig.N62,
        FoldedClosConfig.largest(12, 6, 3));

    private StardustBringUp() {
    }

    private static Findings measure(final Effort effort) {
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
            try (StardustEngine engine = new StardustEngine(fabric(clos, effort.seed() + i), new FlowSet(),
                Faults.NONE, TIMING.fromNothing(), effort.threads(), false)) {
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

    private static Stardust fabric(final FoldedClos clos, final long seed) {
        final double bytes = LOAD * clos.ports(0) * CELL;
        return new Stardust(Deployment.full(clos), LINK_SLOTS, HostSide.of(1, 1, 2 * bytes),
            new CellCut(8 * CELL, CELL, false, Packing.CONTINUOUS),
            Credits.paced(bytes).of(8 * CELL).regulated(1), LinkRules.USUAL, true, seed);
    }

    /** From the slot in which adapters join: when all know all, what was lost, and what the least of them gets. */
    private record Growth(double knownUs, long dropped, long lost, double share) {
    }

    private static Growth grow(final long seed, final Effort effort) {
        final FoldedClos clos = new FoldedClos(FoldedClosConfig.N62);
        final int each = clos.fas() / PODS;
        final List<Fault> joins = new ArrayList<>();
        final FlowSet flows = new FlowSet();
        for (int adapter = 0; adapter < clos.fas(); adapter++) {
            if (adapter % each >= 8) {
                joins.add(new Fault.Node(0, adapter, false));
            }
        }
        for (int from = 0; from < clos.fas(); from++) {
            for (int to = 0; from % each < 16 && to < clos.fas(); to++) {
                if (from != to && to % each < 16 && from % each / 8 == to % each / 8) {
                    CircuitRuns.endless(flows, from, to);
                }
            }
            if (from % each / 8 == 1) {
                joins.add(new Fault.Node(JOIN, from, true));
            }
        }
        final int settle = VALID * TIMING.period(LINK_SLOTS) + 2 * TIMING.bringUpSlots(clos, LINK_SLOTS);
        try (StardustEngine engine = new StardustEngine(fabric(clos, seed), flows,
            new Faults(new FaultPlan(joins), seed), TIMING, effort.threads(), false)) {
            engine.advance(JOIN);
            effort.done(0.1);
            engine.advance(settle);
            effort.done(0.9);
            final long[] before = bytes(engine, clos);
            engine.advance(WATCHED);
            final long[] after = bytes(engine, clos);
            double least = 1;
            for (int adapter = 0; adapter < clos.fas(); adapter++) {
                if (adapter % each < 16) {
                    least = Math.min(least, (after[adapter] - before[adapter])
                        / (LOAD * clos.ports(0) * CELL * WATCHED));
                }
            }
            engine.checkConserved();
            return new Growth(us(engine.count(NicCounter.REACH_LAST_CHANGED) - JOIN), engine.outcome().dropped(),
                engine.count(NicCounter.PACKETS_LOST), least);
        }
    }

    private static long[] bytes(final StardustEngine engine, final FoldedClos clos) {
        final long[] bytes = new long[clos.fas()];
        for (int adapter = 0; adapter < bytes.length; adapter++) {
            bytes[adapter] = engine.bytesTo(adapter);
        }
        return bytes;
    }
}
