package dev.skerry.tools.figure;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fattree.FatTree;
import dev.skerry.nic.fattree.FatTreeEngine;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.report.RunIdentity;
import dev.skerry.tools.traffic.Workload.Permutation;

import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.LongConsumer;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Runs for figures, of Shoal, Shale and packet switches, and results of Stardust engines. */
public final class Runs {
    /**
     * What a fabric does once it runs evenly.
     *
     * @param delivered cells that came in the slots counted.
     * @param slots     counted.
     * @param outcome   of the whole run.
     */
    public record Steady(long delivered, long slots, Outcome outcome) {
        /** Cells per slot of each node. */
        public double rate(final double nodes) {
            return delivered / (nodes * slots);
        }
    }

    private Runs() {
    }

    /** An engine without a log. */
    static LockStep engine(final CircuitFabric fabric, final FlowSet flows, final Effort effort) {
        return new LockStep(FabricKind.partsOf(fabric), flows, effort.threads(), false);
    }

    /** Cells delivered after a warm-up. */
    public static Steady steady(final CircuitFabric fabric, final FlowSet flows, final long warmUp, final long slots,
        final Effort effort) {
        return effort.kept().run(Steady.class, what(fabric, flows, warmUp + " and " + slots), () -> {
            try (LockStep engine = engine(fabric, flows, effort)) {
                effort.turn(0, warmUp, slots).advance(engine::advance, warmUp);
                final long before = engine.count(NicCounter.CELLS_DELIVERED);
                effort.turn(1, warmUp, slots).advance(engine::advance, slots);
                return new Steady(engine.count(NicCounter.CELLS_DELIVERED) - before, slots, engine.outcome());
            }
        });
    }

    /** A run of some slots, 0 until every flow is done. */
    public static Outcome run(final CircuitFabric fabric, final FlowSet flows, final long slots, final Effort effort) {
        return effort.kept().run(Outcome.class, what(fabric, flows, Long.toString(slots)), () -> {
            try (LockStep engine = engine(fabric, flows, effort)) {
                engine.run(slots, (slot, delivered, completed) -> {
                    effort.done(slots > 0 ? Math.min(1, (double) slot / slots) : (double) completed / flows.size());
                    return true;
                });
                return engine.outcome();
            }
        });
    }

    /** All that decides a run: a fabric's text has each of its parts. */
    static String what(final CircuitFabric fabric, final FlowSet flows, final String slots) {
        return fabric + ", " + RunIdentity.flows(flows) + ", slots " + slots;
    }

    /** An endless flow more. */
    public static FlowSet endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        return flows;
    }

    /** An endless flow of each node to one other. */
    public static FlowSet endless(final int nodes, final IntUnaryOperator to) {
        final FlowSet flows = new FlowSet();
        IntStream.range(0, nodes).forEach(from -> endless(flows, from, to.applyAsInt(from)));
        return flows;
    }

    /** An endless flow of each node to another, drawn as a permutation. */
    public static FlowSet permutation(final int nodes, final int payload, final long seed) {
        return new Permutation(Permutation.ENDLESS_BYTES).generate(nodes, payload, 1, seed);
    }

    /** So many endless flows from one node to another of each pair that has some. */
    public static FlowSet endless(final int nodes, final int each, final BiPredicate<Integer, Integer> isPair) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                for (int i = 0; from != to && i < each && isPair.test(from, to); i++) {
                    endless(flows, from, to);
                }
            }
        }
        return flows;
    }

    /** The same bytes from each of some senders to one node, all at once. */
    static FlowSet incast(final IntStream senders, final int receiver, final long bytes, final int cells) {
        final FlowSet flows = new FlowSet();
        senders.forEach(from -> flows.add(from, from, receiver, bytes, cells, 0));
        return flows;
    }

    /** The longest queue that any node had. */
    static int longestQueue(final Outcome outcome) {
        return max(outcome.nodes().queueLength());
    }

    /** Most of the values. */
    public static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    /** Slots that completed flows took, in the order in which they ended. */
    static DoubleStream took(final Outcome outcome, final FlowSet flows) {
        return IntStream.range(0, outcome.completed().length)
            .mapToDouble(i -> outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i]));
    }

    /** Slots before which flows had ended, by flow. */
    static long[] ends(final Outcome outcome, final FlowSet flows, final long unlessEnded) {
        final long[] end = new long[flows.size()];
        Arrays.fill(end, unlessEnded);
        for (int i = 0; i < outcome.completed().length; i++) {
            end[outcome.completed()[i]] = outcome.completedIn()[i] + 1;
        }
        return end;
    }

    /** Runs until a number of flows are complete. */
    public static Outcome complete(final StardustEngine engine, final int flows, final Effort effort) {
        engine.run(0, (slot, delivered, completed) -> {
            effort.done((double) completed / flows);
            return completed < flows;
        });
        return engine.outcome();
    }

    /** A fabric with all its devices and links, whose adapters wait for credits. */
    static Stardust stardust(final FoldedClosConfig network, final int linkSlots, final HostSide hosts,
        final CellCut cut, final Credits credits, final LinkRules rules, final long seed) {
        return new Stardust(Deployment.full(new FoldedClos(network)), linkSlots, hosts, cut, credits, rules, true,
            seed);
    }

    /**
     * A packet-switched network.
     *
     * @param options options as typed, separated by blanks.
     */
    static FatTreeEngine fatTree(final String options, final FlowSet flows, final Effort effort) {
        final RunOptions run = RunOptions.of(("--fabric fattree " + options + " --seed " + effort.seed()).split(" "));
        return new FatTreeEngine((FatTree) FabricChoice.of(run).fabric(), flows, Faults.NONE, effort.threads(), false);
    }

    /** By how much some values grow in some slots after a warm-up, of which nothing else is counted either. */
    static double[] grown(final StardustEngine engine, final IntToDoubleFunction value, final int values,
        final long warmUp, final long slots, final Effort effort) {
        effort.turn(0, warmUp, slots).advance(engine::advance, warmUp);
        engine.clearStatistics();
        final double[] grown = grown(engine::advance, value, values, slots, effort.turn(1, warmUp, slots));
        engine.checkConserved();
        return grown;
    }

    /** By how much some values grow in some slots. */
    static double[] grown(final LongConsumer engine, final IntToDoubleFunction value, final int values,
        final long slots, final Effort effort) {
        final double[] before = IntStream.range(0, values).mapToDouble(value).toArray();
        effort.advance(engine, slots);
        return IntStream.range(0, values).mapToDouble(i -> value.applyAsDouble(i) - before[i]).toArray();
    }

    /** Payload bytes that the ports of the first endpoints sent to their hosts. */
    public static double[] bytes(final StardustEngine engine, final int endpoints) {
        return IntStream.range(0, endpoints).mapToDouble(engine::bytesSentTo).toArray();
    }

    /** The same, of all of them together. */
    public static double sent(final StardustEngine engine, final int endpoints) {
        return Arrays.stream(bytes(engine, endpoints)).sum();
    }

    /** Cells dropped, for whatever reason, and packets that were lost with them. */
    public static long dropped(final Engine engine) {
        return engine.count(NicCounter.PACKETS_LOST) + NicCounter.DROPS.stream().mapToLong(engine::count).sum();
    }
}
