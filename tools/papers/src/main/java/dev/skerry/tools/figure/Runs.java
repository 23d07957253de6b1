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
     * The steady state of a fabric.
     *
     * @param delivered cells delivered in the slots counted.
     * @param slots slots counted.
     * @param outcome outcome of the whole run.
     */
    public record Steady(long delivered, long slots, Outcome outcome) {
        /** Returns the cells per slot of each node. */
        public double rate(final double nodes) {
            return delivered / (nodes * slots);
        }
    }

    private Runs() {
    }

    /** Creates an engine without a log. */
    static LockStep engine(final CircuitFabric fabric, final FlowSet flows, final Effort effort) {
        return new LockStep(FabricKind.partsOf(fabric), flows, effort.threads(), false);
    }

    /** Measures the cells delivered after a warm-up. */
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

    /** Runs some slots; with 0, until every flow is complete. */
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

    /** Returns all inputs that determine a run; the text of a fabric names each of its parts. */
    static String what(final CircuitFabric fabric, final FlowSet flows, final String slots) {
        return fabric + ", " + RunIdentity.flows(flows) + ", slots " + slots;
    }

    /** Adds an endless flow. */
    public static FlowSet endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        return flows;
    }

    /** Returns an endless flow of each node to one other. */
    public static FlowSet endless(final int nodes, final IntUnaryOperator to) {
        final FlowSet flows = new FlowSet();
        IntStream.range(0, nodes).forEach(from -> endless(flows, from, to.applyAsInt(from)));
        return flows;
    }

    /** Returns an endless flow of each node to another, drawn as a permutation. */
    public static FlowSet permutation(final int nodes, final int payload, final long seed) {
        return new Permutation(Permutation.ENDLESS_BYTES).generate(nodes, payload, 1, seed);
    }

    /** Returns a number of endless flows from one node to the other for each pair that is selected. */
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

    /** Returns flows of the same size from several senders to one node, all with the same start. */
    static FlowSet incast(final IntStream senders, final int receiver, final long bytes, final int cells) {
        final FlowSet flows = new FlowSet();
        senders.forEach(from -> flows.add(from, from, receiver, bytes, cells, 0));
        return flows;
    }

    /** Returns the longest queue that any node had. */
    static int longestQueue(final Outcome outcome) {
        return max(outcome.nodes().queueLength());
    }

    /** Returns the largest of the values. */
    public static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    /** Returns the slots that completed flows took, in the order of their completion. */
    static DoubleStream took(final Outcome outcome, final FlowSet flows) {
        return IntStream.range(0, outcome.completed().length)
            .mapToDouble(i -> outcome.completedIn()[i] + 1 - flows.startSlot(outcome.completed()[i]));
    }

    /** Returns by flow the slot after the one in which it was complete. */
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

    /** Returns a fabric with all its devices and links, whose adapters wait for credits. */
    static Stardust stardust(final FoldedClosConfig network, final int linkSlots, final HostSide hosts,
        final CellCut cut, final Credits credits, final LinkRules rules, final long seed) {
        return new Stardust(Deployment.full(new FoldedClos(network)), linkSlots, hosts, cut, credits, rules, true,
            seed);
    }

    /**
     * Returns a packet-switched network.
     *
     * @param options options as typed, separated by blanks.
     */
    static FatTreeEngine fatTree(final String options, final FlowSet flows, final Effort effort) {
        final RunOptions run = RunOptions.of(("--fabric fattree " + options + " --seed " + effort.seed()).split(" "));
        return new FatTreeEngine((FatTree) FabricChoice.of(run).fabric(), flows, Faults.NONE, effort.threads(), false);
    }

    /** Returns by how much some values grow in some slots after a warm-up, during which nothing is counted. */
    static double[] grown(final StardustEngine engine, final IntToDoubleFunction value, final int values,
        final long warmUp, final long slots, final Effort effort) {
        effort.turn(0, warmUp, slots).advance(engine::advance, warmUp);
        engine.clearStatistics();
        final double[] grown = grown(engine::advance, value, values, slots, effort.turn(1, warmUp, slots));
        engine.checkConserved();
        return grown;
    }

    /** Returns by how much some values grow in some slots. */
    static double[] grown(final LongConsumer engine, final IntToDoubleFunction value, final int values,
        final long slots, final Effort effort) {
        final double[] before = IntStream.range(0, values).mapToDouble(value).toArray();
        effort.advance(engine, slots);
        return IntStream.range(0, values).mapToDouble(i -> value.applyAsDouble(i) - before[i]).toArray();
    }

    /** Returns the payload bytes that the ports of the first endpoints sent to their hosts, by endpoint. */
    public static double[] bytes(final StardustEngine engine, final int endpoints) {
        return IntStream.range(0, endpoints).mapToDouble(engine::bytesSentTo).toArray();
    }

    /** Returns the payload bytes that the ports of the first endpoints sent to their hosts, in total. */
    public static double sent(final StardustEngine engine, final int endpoints) {
        return Arrays.stream(bytes(engine, endpoints)).sum();
    }

    /** Returns the cells dropped for any cause, and the packets lost with them. */
    public static long dropped(final Engine engine) {
        return engine.count(NicCounter.PACKETS_LOST) + NicCounter.DROPS.stream().mapToLong(engine::count).sum();
    }
}
