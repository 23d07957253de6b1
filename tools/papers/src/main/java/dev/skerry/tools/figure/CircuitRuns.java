package dev.skerry.tools.figure;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.report.RunIdentity;
import dev.skerry.tools.traffic.Workload.Permutation;

import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.IntUnaryOperator;

/** Runs for figures: of Shoal and Shale, and what figures ask of an engine of Stardust. */
public final class CircuitRuns {
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

    private CircuitRuns() {
    }

    /** Cells delivered after a warm-up. */
    public static Steady steady(final CircuitFabric fabric, final FlowSet flows, final long warmUp, final long slots,
        final Effort effort) {
        return effort.kept().run(Steady.class, what(fabric, flows, warmUp + " and " + slots),
            () -> measured(fabric, flows, warmUp, slots, effort));
    }

    private static Steady measured(final CircuitFabric fabric, final FlowSet flows, final long warmUp, final long slots,
        final Effort effort) {
        try (LockStep engine = new LockStep(FabricKind.partsOf(fabric), flows, effort.threads(), false)) {
            final double all = warmUp + slots;
            effort.part(0, warmUp / all).advance(engine::advance, warmUp);
            final long before = engine.count(NicCounter.CELLS_DELIVERED);
            effort.part(warmUp / all, 1).advance(engine::advance, slots);
            return new Steady(engine.count(NicCounter.CELLS_DELIVERED) - before, slots, engine.outcome());
        }
    }

    /** A run of some slots, 0 until every flow is done. */
    public static Outcome run(final CircuitFabric fabric, final FlowSet flows, final long slots, final Effort effort) {
        return effort.kept().run(Outcome.class, what(fabric, flows, Long.toString(slots)),
            () -> measured(fabric, flows, slots, effort));
    }

    private static Outcome measured(final CircuitFabric fabric, final FlowSet flows, final long slots,
        final Effort effort) {
        try (LockStep engine = new LockStep(FabricKind.partsOf(fabric), flows, effort.threads(), false)) {
            engine.run(slots, (slot, delivered, completed) -> {
                effort.done(slots > 0 ? Math.min(1, (double) slot / slots) : (double) completed / flows.size());
                return true;
            });
            return engine.outcome();
        }
    }

    /** All that decides a run: a fabric's text has each of its parts. */
    static String what(final CircuitFabric fabric, final FlowSet flows, final String slots) {
        return fabric + ", " + RunIdentity.flows(flows) + ", slots " + slots;
    }

    /** An endless flow more. */
    public static void endless(final FlowSet flows, final int from, final int to) {
        flows.add(flows.size(), from, to, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
    }

    /** An endless flow of each node to one other. */
    public static FlowSet endless(final int nodes, final IntUnaryOperator to) {
        final FlowSet flows = new FlowSet();
        for (int from = 0; from < nodes; from++) {
            endless(flows, from, to.applyAsInt(from));
        }
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

    /** Most of the values. */
    public static int max(final int[] values) {
        return Arrays.stream(values).max().orElse(0);
    }

    /** Runs until a number of flows are complete. */
    public static Outcome complete(final StardustEngine engine, final int flows, final Effort effort) {
        engine.run(0, (slot, delivered, completed) -> {
            effort.done((double) completed / flows);
            return completed < flows;
        });
        return engine.outcome();
    }

    /** Payload bytes that the ports of the first endpoints sent to their hosts. */
    public static double[] bytes(final StardustEngine engine, final int endpoints) {
        final double[] bytes = new double[endpoints];
        Arrays.setAll(bytes, engine::bytesSentTo);
        return bytes;
    }

    /** The same, of all of them together. */
    public static double sent(final StardustEngine engine, final int endpoints) {
        return Arrays.stream(bytes(engine, endpoints)).sum();
    }

    /** Cells dropped, for whatever reason, and packets that were lost with them. */
    public static long dropped(final StardustEngine engine) {
        long sum = engine.count(NicCounter.PACKETS_LOST);
        for (final NicCounter drop : NicCounter.DROPS) {
            sum += engine.count(drop);
        }
        return sum;
    }
}
