package dev.skerry.tools.figure;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
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
import java.util.function.BiPredicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Control in Stardust. Credits: their effect on a port (Stardust §4.1, §5.4, §6.2, Figures 7 and 12;
 * docs/spec/stardust.md §7, §10 rows 3, 15 and 22). Reachability: losses after a link is cut, and fabrics whose devices
 * know no other device at first (docs/spec/stardust.md §6, §10 row 18).
 */
public final class StardustMechanisms {
    /**
     * Pushing compared with pulling, with three edge devices, two devices in the middle, hosts 0 and 2 sending to port
     * A and host 1 to port B: Stardust Figures 7 and 12 (docs/spec/stardust.md §7, §10 row 3).
     */
    public static final Figure FIG7 = Figure.of("stardust-fig7", StardustMechanisms::starvation);
    /**
     * Larger credits do not raise the throughput but fill the port that they are for: Stardust §4.1 and §6.2
     * (docs/spec/stardust.md §10 row 22). The network of Figure 9, packets of 1,024 bytes, all to all; credits at 95 %
     * and a port at 97 % of the rate of an adapter's links.
     */
    public static final Figure CREDIT_SIZE = Figure.of("stardust-credit-size", StardustMechanisms::creditSize);

    /**
     * A megabyte from each of 128 adapters at once to one port of 50 Gb/s: data that waits at its source is not lost,
     * data pushed to a buffer of 32 MB at the port is (Stardust §5.4, docs/spec/stardust.md §10 row 15). 64 elements of
     * 128 links in one tier; ports send the payload of cells at 50 Gb/s, links are faster by the share of the headers.
     */
    public static final Figure INCAST_BUFFER = Figure.of("stardust-incast-buffer", StardustMechanisms::absorption);

    /**
     * A link between an adapter and its element is cut at many phases of the messages, while all others send to that
     * adapter; measured is the time of the last lost cell (Stardust §5.9, Appendix E; docs/spec/stardust.md §6, §10 row
     * 18). Cells of 256 bytes at 25 Gb/s in the network of Figure 9, of 512 bytes at 10 Gb/s in that of Figure 10.
     */
    public static final Figure HEALING = Figure.of("stardust-healing", StardustMechanisms::healing);
    /**
     * Fabrics whose devices know no other device at first: the time until all know all, compared with the formula of
     * Appendix E, and the network of Figure 9 while it grows from 32 to 64 adapters under traffic (Stardust §5.9,
     * docs/spec/stardust.md §6).
     */
    public static final Figure BRING_UP = Figure.of("stardust-bring-up", StardustMechanisms::bringUp);

    private static final FoldedClosConfig N62 = FoldedClosConfig.N62;
    private static final Deployment THREE = Deployment.full(new FoldedClos(new FoldedClosConfig(3, 2, 1, 3, 0,
        List.of())));
    private static final int A = 4;
    private static final int B = 5;
    private static final int BYTES = 512;
    /** Rate of a port that is pulled, a tenth below that of a link, bytes per slot. */
    private static final double PULLED_BYTES = BYTES / 1.1;
    private static final CellCut CUT = new CellCut(BYTES, BYTES, false, Packing.CONTINUOUS);
    private static final int CELL = 256;
    private static final double LINK_BYTES = N62.faLinks() * (double) CELL;
    private static final int[] SIZES = {1024, 2048, 4096, 8192, 16_384};
    private static final double CREDIT_LOAD = 0.95;

    private static final int ADAPTERS = 128;
    private static final FoldedClosConfig ONE_TIER = new FoldedClosConfig(ADAPTERS, 64, 1, ADAPTERS, 0, List.of());
    private static final long MEGABYTE = 1_000_000;
    private static final long BUFFER_BYTES = 32_000_000;
    private static final double GBPS = 50;
    private static final int ONE_TIER_LINK_SLOTS = 13;
    /** Ports of an adapter. The receiver is port 0 of the first adapter; the senders are the other port of each. */
    private static final int PORTS = 2;

    private static final double PERIOD_NS = 10_000;
    private static final double LOAD = 0.9;
    private static final double SLOT_NS = 87.04;
    private static final int LINK_SLOTS = 7;
    private static final ReachTiming TIMING = ReachTiming.every(PERIOD_NS, SLOT_NS);
    /** Messages after which a link that was down is used again. */
    private static final int VALID = 32;
    private static final int JOIN = 1000;
    private static final int WATCHED = 1000;
    /** One tier, the network of Figure 9, and three tiers with 432 adapters. */
    private static final List<FoldedClosConfig> NETWORKS = List.of(FoldedClosConfig.N612, N62,
        FoldedClosConfig.largest(12, 6, 3));

    /**
     * A fabric in which a link is cut, and the expected values.
     *
     * @param hops hops over which the change is announced.
     * @param mostUs time until all devices have reacted, us.
     * @param fullTurns periods in which a device announces everything that it knows, M.
     */
    private record Case(String name, FoldedClosConfig network, int payloadBytes, double slotNs, int linkSlots, int hops,
        double mostUs, int fullTurns) {
    }

    private StardustMechanisms() {
    }

    private static void starvation(final Effort effort, final Findings found) {
        effort.each(List.of(1, 2), (classes, part) -> {
            final String of = (classes == 1 ? "" : ", A's traffic of the higher class") + ": ";
            final Sample[] got = part.sample(1, run -> starvation(classes, run));
            found.within("push" + of + "A, % of the port", 100, 1, got[0].mean())
                .within("push" + of + "B lost, % of the port", classes == 1 ? 33.3 : 100, 1, 100 - got[1].mean())
                .within("pull" + of + "A, % of the port", 100, 1, got[2].mean())
                .within("pull" + of + "B, % of the port", 100, 1, got[3].mean())
                .exactly("pull" + of + "cells dropped", 0, got[4].mean())
                .exactly("pull" + of + "pauses", 0, got[5].mean());
        });
    }

    /**
     * Returns the percentages that ports A and B get, pushed and pulled, and the cells dropped and the pauses when
     * pulled.
     */
    private static double[] starvation(final int classes, final Effort effort) {
        final int slots = effort.either(60_000, 600_000);
        final Stardust push = new Stardust(THREE, 2, new HostSide(2, 2, classes, BYTES, 1 << 16, 1 << 15, true), CUT,
            Credits.paced(BYTES).of(BYTES), LinkRules.dropping(LinkRules.USUAL.limitCells(), Spraying.RENEWED), false,
            effort.seed());
        final Stardust pull = new Stardust(THREE, 2, new HostSide(2, 2, classes, PULLED_BYTES, 1 << 17, 1 << 16, true),
            CUT, new Credits(Credits.USUAL_BYTES, 1.02 * PULLED_BYTES, 0, 0, 1, true), LinkRules.USUAL, true,
            effort.seed());
        try (StardustEngine pushed = starved(push, classes, slots, effort);
            StardustEngine pulled = starved(pull, classes, slots, effort)) {
            return new double[] {100 * pushed.bytesTo(A) / (double) BYTES / slots,
                100 * pushed.bytesTo(B) / (double) BYTES / slots, 100 * pulled.bytesTo(A) / PULLED_BYTES / slots,
                100 * pulled.bytesTo(B) / PULLED_BYTES / slots, Runs.dropped(pulled),
                pulled.count(NicCounter.PAUSES)};
        }
    }

    private static StardustEngine starved(final Stardust fabric, final int classes, final int slots,
        final Effort effort) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < 3; from++) {
            Runs.endless(flows, from, from == 1 ? B : A).setClass(from == 1 ? classes - 1 : 0);
        }
        final StardustEngine engine = new StardustEngine(fabric, flows, effort.threads());
        engine.advance(slots);
        engine.checkConserved();
        return engine;
    }

    private static void creditSize(final Effort effort, final Findings found) {
        final Sample[][] of = effort.sweep(SIZES, StardustMechanisms::creditSize);
        final Sample[] held = of[1];
        for (int i = 0; i < SIZES.length; i++) {
            found.near("credits of " + SIZES[i] + " B: share of the links in use", CREDIT_LOAD, 0.01, of[0][i])
                .reported("  most that a port held, B", held[i])
                .exactly("  cells dropped", 0, of[2][i].most());
        }
        found.reported("least that a port's memory grows by as credits double", "it grows",
                new Sample(IntStream.range(1, SIZES.length).mapToDouble(i -> held[i].mean() / held[i - 1].mean())
                .min().orElseThrow()))
            .add(new Plot("memory", "Most that a port held", "credit size (B)", Plot.Scale.LOGARITHMIC,
                "memory of a port (B)", Plot.Scale.LOGARITHMIC).add(Sample.line("port", Sample.x(SIZES), held)));
    }

    /** Returns the share of the links that was used, the maximum held by a port, and the cells dropped. */
    private static double[] creditSize(final int credit, final Effort effort) {
        final int slots = effort.either(1_000, 4_000);
        final int adapters = N62.fas();
        final Stardust fabric = new Stardust(Deployment.full(new FoldedClos(N62)), 1,
            HostSide.of(1, 1, 0.97 * LINK_BYTES), new CellCut(SIZES[0], CELL, false, Packing.CONTINUOUS),
            Credits.paced(CREDIT_LOAD * LINK_BYTES).of(credit), LinkRules.UNLIMITED, true, effort.seed());
        try (StardustEngine engine = new StardustEngine(fabric, Runs.endless(adapters, 1, (from, to) -> true),
            effort.threads())) {
            final double sent = Runs.grown(engine, _ -> Runs.sent(engine, adapters), 1, slots / 2, slots, effort)[0];
            return new double[] {sent / LINK_BYTES / adapters / slots,
                IntStream.range(0, adapters).mapToDouble(engine::maxHeldAt).max().orElseThrow(), Runs.dropped(engine)};
        }
    }

    private static void absorption(final Effort effort, final Findings found) {
        final int senders = effort.either(ADAPTERS / 4, ADAPTERS);
        final double optimum = senders * MEGABYTE * Byte.SIZE / GBPS / 1e3;
        final double round = (double) Credits.USUAL_BYTES * Byte.SIZE / GBPS / 1e3 * senders;
        final Sample[] of = effort.part(0, 0.9).sample(1, run -> absorbed(senders, run));
        found.between("all drained, ms over " + Check.text(optimum / 1e3), "1", 1, 1.01, of[1].over(optimum))
            .near("most that an adapter holds for it, MB", 1 - 1.0 / senders, 0.01, of[2])
            .reported("first to last, rounds of credits of " + Check.text(round) + " us",
                new Sample((of[1].mean() - of[0].mean()) / round))
            .exactly("cells and packets dropped", 0, of[3].mean())
            .exactly("pauses", 0, of[4].mean());
        if (!effort.quick()) {
            found.between("pushed through a buffer of 32 MB: MB lost", "94", 0.98 * 94, 1.02 * 94,
                effort.part(0.9, 1).sample(1, StardustMechanisms::pushed)[0]);
        }
    }

    /**
     * Returns the times in us at which the first and the last flow were complete, the largest number of MB held by an
     * adapter, the cells dropped, and the pauses.
     */
    private static double[] absorbed(final int senders, final Effort effort) {
        final Stardust pulled = Runs.stardust(ONE_TIER, ONE_TIER_LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL, 1 << 17, 1 << 16, HostModel.PACED),
            new CellCut(1500, CELL, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 1.02 * CELL, 0, 0, 1, true), LinkRules.USUAL, effort.seed());
        try (StardustEngine engine = new StardustEngine(pulled, megabytes(senders), effort.threads())) {
            final long[] ended = Runs.complete(engine, senders, effort).completedIn();
            final double slotUs = CELL * Byte.SIZE / GBPS / 1e3;
            final boolean done = ended.length >= senders;
            return new double[] {done ? (ended[0] + 1) * slotUs : Double.NaN,
                done ? (ended[senders - 1] + 1) * slotUs : Double.NaN, IntStream.range(1, senders)
                .mapToDouble(adapter -> engine.maxWaitingAt(adapter) / 1e6).max().orElseThrow(), Runs.dropped(engine),
                engine.count(NicCounter.PAUSES)};
        }
    }

    /**
     * Returns the MB lost if adapters forward arriving data at once: the elements lose nothing, the port loses what
     * exceeds its buffer.
     */
    private static double[] pushed(final Effort effort) {
        final Stardust pushed = new Stardust(Deployment.full(new FoldedClos(ONE_TIER)), ONE_TIER_LINK_SLOTS,
            new HostSide(PORTS, PORTS, 1, CELL, BUFFER_BYTES / 2, BUFFER_BYTES / 4, HostModel.PACED),
            new CellCut(CELL, CELL, false, Packing.CONTINUOUS), Credits.paced(CELL),
            LinkRules.dropping(1 << 20, Spraying.RENEWED), false, effort.seed());
        try (StardustEngine engine = new StardustEngine(pushed, megabytes(ADAPTERS), effort.threads())) {
            // By then all data is at the port, where it arrives at half the rate at which it enters, because there are
            // twice as many adapters as links of the receiver.
            effort.advance(engine::advance, 4 * MEGABYTE / CELL);
            engine.checkConserved();
            return new double[] {(double) engine.count(NicCounter.PACKETS_LOST) * CELL / 1e6};
        }
    }

    private static FlowSet megabytes(final int senders) {
        final FlowSet flows = new FlowSet();
        for (int adapter = 0; adapter < senders; adapter++) {
            flows.add(adapter, PORTS * adapter + 1, 0, MEGABYTE, (int) (MEGABYTE / CELL) + 1, 0);
        }
        return flows;
    }

    private static void healing(final Effort effort, final Findings found) {
        final Plot plot = new Plot("losses", "Last loss after a link is cut", "time since the cut (us)",
            "share of cuts");
        healing(found, plot, new Case("72 adapters, three hops", FoldedClosConfig.N432, 496, 409.6, 3, 3, 99, 1),
            effort.either(30, 1000), effort.part(0, 0.8));
        healing(found, plot, new Case("256 adapters, one hop", N62, CELL, SLOT_NS, 6, 1, 63, 2), effort.either(4, 40),
            effort.part(0.8, 1));
        found.add(plot);
    }

    private static void healing(final Findings found, final Plot plot, final Case of, final int cuts,
        final Effort effort) {
        final Sample[] measured = effort.sample(1, run -> cuts(of, cuts, run));
        final double[] us = Arrays.stream(measured).skip(1).mapToDouble(Sample::mean).sorted().toArray();
        found.atMost(of.name + ", " + cuts + " phases: last loss after the cut, longest, us",
                "at most " + Check.text(of.mostUs), of.mostUs, us[cuts - 1])
            .reported("  mean", Arrays.stream(us).average().orElseThrow())
            .exactly("  cells lost when it is mended", 0, measured[0].mean());
        plot.addShares(of.name, us).add(of.name + ": at most " + Check.text(of.mostUs) + " us", Plot.Style.BOUND,
            new double[] {of.mostUs, of.mostUs}, new double[] {0, 1});
    }

    /** Returns the cells lost after links were repaired, and the us from each cut to the last loss. */
    private static double[] cuts(final Case of, final int cuts, final Effort effort) {
        final double[] numbers = new double[cuts + 1];
        for (int i = 0; i < cuts; i++) {
            effort.done((double) i / cuts);
            final long[] cut = cut(of, i, cuts, effort);
            numbers[0] += cut[1];
            numbers[i + 1] = cut[0] * of.slotNs / 1e3;
        }
        return numbers;
    }

    /** Returns the slots from the cut to the last loss, and the cells lost after the link was repaired. */
    private static long[] cut(final Case of, final int number, final int cuts, final Effort effort) {
        final FoldedClos clos = new FoldedClos(of.network);
        final int adapter = number % clos.fas();
        final int element = clos.deviceOf(clos.peer(clos.firstPort(adapter) + number % of.network.faLinks()));
        final ReachTiming healing = ReachTiming.every(PERIOD_NS, of.slotNs);
        final long turn = (long) healing.periodSlots() * of.fullTurns;
        final long cutAt = 600 + number * turn / cuts;
        final long mendAt = cutAt + (long) (of.mostUs * 1e3 / of.slotNs) + 400;
        final List<Fault> faults = List.of(
            new Fault.Link(cutAt, element, adapter, false), new Fault.Link(cutAt, adapter, element, false),
            new Fault.Link(mendAt, element, adapter, true), new Fault.Link(mendAt, adapter, element, true));
        try (StardustEngine engine = new StardustEngine(fabric(clos, of.payloadBytes, of.linkSlots, effort.seed()
            + number), Runs.endless(clos.fas(), 1, (from, to) -> to == adapter), new Faults(new FaultPlan(faults),
            effort.seed()), healing, effort.threads(), false)) {
            engine.advance(cutAt);
            long last = 0;
            for (long slot = cutAt, lost = 0; slot < mendAt; slot++) {
                engine.advance(1);
                final long now = lost(engine);
                last = now > lost ? slot - cutAt : last;
                lost = now;
            }
            final long before = lost(engine);
            // After 32 good messages and three reports all devices use the link again.
            engine.advance(of.hops * 3 * turn + 40L * healing.periodSlots());
            engine.checkConserved();
            return new long[] {last, lost(engine) - before};
        }
    }

    private static long lost(final StardustEngine engine) {
        return engine.count(NicCounter.DROPPED_ON_WAY) + engine.count(NicCounter.DROPPED_NO_ROUTE);
    }

    private static void bringUp(final Effort effort, final Findings found) {
        effort.part(0, 0.3).each(NETWORKS, (network, part) -> bringUp(found, network, part));
        final Sample[] grown = effort.part(0.3, 1).sample(StardustMechanisms::grow);
        final double formula = us(VALID * TIMING.period(LINK_SLOTS) + TIMING.bringUpSlots(new FoldedClos(N62),
            LINK_SLOTS));
        found.exactly("32 adapters of 256 are there, 32 more join: cells lost", 0,
                DoubleStream.of(grown[1].values()).sum())
            .exactly("  packets lost", 0, DoubleStream.of(grown[2].values()).sum())
            .atMost("  all know all, us after they join", "32 messages and the formula", formula, grown[0])
            .atLeast("  then the 64 get what they are sent, the least of them", "1", 0.97, grown[3].least());
    }

    private static double us(final long slots) {
        return slots * SLOT_NS / 1e3;
    }

    private static void bringUp(final Findings found, final FoldedClosConfig network, final Effort effort) {
        final FoldedClos clos = new FoldedClos(network);
        final int formula = TIMING.bringUpSlots(clos, LINK_SLOTS);
        final Sample us = effort.sample(seeded -> {
            try (StardustEngine engine = new StardustEngine(fabric(clos, CELL, LINK_SLOTS, seeded.seed()),
                new FlowSet(), Faults.NONE, TIMING.fromNothing(), seeded.threads(), false)) {
                engine.advance(2L * formula);
                return new double[] {us(engine.count(NicCounter.REACH_LAST_CHANGED))};
            }
        })[0];
        final String of = network.fas() + " adapters, " + network.tiers() + (network.tiers() == 1 ? " tier"
            : " tiers");
        found.atMost(of + ": all know all, us", "the formula", us(formula), us);
    }

    private static Stardust fabric(final FoldedClos clos, final int payloadBytes, final int linkSlots,
        final long seed) {
        final double bytes = LOAD * clos.ports(0) * payloadBytes;
        return new Stardust(Deployment.full(clos), linkSlots, HostSide.of(1, 1, 2 * bytes),
            new CellCut(8 * payloadBytes, payloadBytes, false, Packing.CONTINUOUS),
            Credits.paced(bytes).of(8 * payloadBytes).regulated(1), LinkRules.USUAL, true, seed);
    }

    /**
     * Returns, from the slot in which adapters join, the us until all know all, the losses, and the throughput of the
     * slowest of them.
     */
    private static double[] grow(final Effort effort) {
        final FoldedClos clos = new FoldedClos(N62);
        final int each = clos.fas() / 4;
        final List<Fault> joins = new ArrayList<>();
        IntStream.range(0, clos.fas()).filter(adapter -> adapter % each >= 8)
            .forEach(adapter -> joins.add(new Fault.Node(0, adapter, false)));
        IntStream.range(0, clos.fas()).filter(adapter -> adapter % each / 8 == 1)
            .forEach(adapter -> joins.add(new Fault.Node(JOIN, adapter, true)));
        final BiPredicate<Integer, Integer> isPair = (from, to) -> from % each < 16 && to % each < 16
            && from % each / 8 == to % each / 8;
        try (StardustEngine engine = new StardustEngine(fabric(clos, CELL, LINK_SLOTS, effort.seed()),
            Runs.endless(clos.fas(), 1, isPair), new Faults(new FaultPlan(joins), effort.seed()), TIMING,
            effort.threads(), false)) {
            engine.advance(JOIN);
            effort.done(0.1);
            engine.advance(VALID * TIMING.period(LINK_SLOTS) + 2 * TIMING.bringUpSlots(clos, LINK_SLOTS));
            effort.done(0.9);
            final long[] before = IntStream.range(0, clos.fas()).mapToLong(engine::bytesTo).toArray();
            engine.advance(WATCHED);
            final double least = IntStream.range(0, clos.fas()).filter(adapter -> adapter % each < 16).mapToDouble(
                adapter -> (engine.bytesTo(adapter) - before[adapter]) / (LOAD * clos.ports(0) * CELL * WATCHED))
                .min().orElseThrow();
            engine.checkConserved();
            return new double[] {us(engine.count(NicCounter.REACH_LAST_CHANGED) - JOIN), engine.outcome().dropped(),
                engine.count(NicCounter.PACKETS_LOST), Math.min(1, least)};
        }
    }
}
