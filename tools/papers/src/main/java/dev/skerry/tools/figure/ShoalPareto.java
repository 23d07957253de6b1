package dev.skerry.tools.figure;

import static dev.skerry.tools.figure.Sample.line;
import static dev.skerry.tools.plot.Plot.Scale.LINEAR;
import static dev.skerry.tools.plot.Plot.Scale.LOGARITHMIC;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Distribution.Quantiles;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Pareto flows between random nodes of 512: Shoal §7.3 and §7.4, Figures 15 to 18 (docs/spec/shoal.md §9.1, §9.3).
 */
public final class ShoalPareto {
    /**
     * Pareto flows between random nodes of 512 by load: Shoal §7.3, Figures 15 and 16, beside our model of DCTCP over
     * packet switches and what the authors' simulator had for 30,000 flows (docs/spec/shoal.md §9.1, §9.3).
     */
    public static final Figure FIG15 = Figure.of("shoal-fig15", ShoalPareto::arrivals);
    /**
     * Up to half of the nodes down from the start, L = 1: Shoal §7.3, Figure 17. Flows that touch failed nodes are left
     * out (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG17 = Figure.of("shoal-fig17", ShoalPareto::failedNodes);
    /**
     * Epochs twice as long: half as many channels, each twice as fast, and twice as many nodes; Shoal §7.3
     * (docs/spec/shoal.md §9.3).
     */
    public static final Figure EPOCH = Figure.of("shoal-epoch", ShoalPareto::epochLength);
    /**
     * Flows of which 84 % are among a third of the nodes, one every 12.65 ns: Shoal §7.4, Figure 18. The traces of the
     * paper are not public: the skew is theirs, sizes are those of §7.3 (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG18 = Figure.of("shoal-fig18", ShoalPareto::skew);

    /** Loads of Figures 15 and 16. */
    private static final int[] LOADS = {20, 40, 60, 80, 100};
    /** One run of the authors' simulator at the highest load: mean, 99 % and 99.9 % of short flows in us. */
    private static final double[] AUTHORS = {8.4, 24.0, 34.5};
    private static final int LONGEST = 11;
    private static final int HELD = 336;
    private static final int REORDERED = 200_000 / 64;
    /** Nodes of 100 that are down in Figure 17. */
    private static final int[] DOWN = {0, 10, 20, 30, 40, 50};
    /** How far a printed factor may be off, as its share: of Figure 17, and of longer epochs. */
    private static final double ABOUT = 0.2;
    private static final double EPOCH_ABOUT = 0.15;
    private static final int HEADER = 8;
    /** What a run lasts beyond its last arrival, more than twice the longest of the paper's tails. */
    private static final double LAST_NS = 80e3;

    /** What is measured of short flows and of long ones; of packet switches the first four. */
    private enum Value {
        MEAN_US, P99_US, TAIL_US, GOODPUT_GBPS, QUEUE, HELD, REORDERED;

        /** Of a sweep, or of a point. */
        <T> T of(final T[] numbers) {
            return numbers[ordinal()];
        }
    }

    private ShoalPareto() {
    }

    private static void arrivals(final Effort effort, final Findings found) {
        final int count = count(effort);
        final Sample[][] ours = effort.part(0, 0.8).sweep(LOADS, (percent, seeded) -> numbers(
            ParetoFlows.rack(percent / 100.0), ParetoFlows.Pairs.UNIFORM, count, 0, seeded));
        final Sample[][] dctcp = effort.part(0.8, 1).sweep(LOADS, (percent, seeded) -> RackOfSwitches.dctcp(
            percent / 100.0, count, seeded));
        for (int i = 0; i < LOADS.length; i++) {
            add(found, i, ours, dctcp);
        }
        plots(found, ours, dctcp);
        found.remark(count + " flows where the paper has 1 M, every one waited for, " + Effort.SEEDS
            + " seeds; the tail of Pareto sizes converges slowly. Of DCQCN and NDP over packet switches there is no "
            + "point: the paper prints ratios only, and we have no NDP for packet switches.");
    }

    private static int count(final Effort effort) {
        return effort.either(2_500, 30_000);
    }

    private static void add(final Findings found, final int row, final Sample[][] ours, final Sample[][] dctcp) {
        final boolean highest = row == LOADS.length - 1;
        final Sample tail = Value.TAIL_US.of(ours)[row];
        final IntFunction<String> authors = number -> highest ? "authors' simulator " + AUTHORS[number] : "";
        found.reported("L = " + LOADS[row] / 100.0 + ": flows up to 100 KB, mean, us", authors.apply(0),
                Value.MEAN_US.of(ours)[row])
            .reported("  99 %, us", authors.apply(1), Value.P99_US.of(ours)[row])
            .reported("  99.9 %, us", authors.apply(2), tail)
            .atMost("  longest queue, cells", "11 at most", LONGEST, Value.QUEUE.of(ours)[row].most())
            .atMost("  most cells at a node", "336 at most", HELD, Value.HELD.of(ours)[row].most())
            .atMost("  reordering, cells", "200 KB at most", REORDERED, Value.REORDERED.of(ours)[row].most())
            .check("  DCTCP over it, 99.9 %", row == 0 ? "3 at low load" : highest ? "2 at high load" : "3 to 2",
                row == 0 ? Rule.atLeast(3) : highest ? Rule.atLeast(2) : Rule.NONE,
                Value.TAIL_US.of(dctcp)[row].over(tail))
            .atLeast("  goodput of flows from 1 MB on over DCTCP's", "1.7", 1.7,
                Value.GOODPUT_GBPS.of(ours)[row].over(Value.GOODPUT_GBPS.of(dctcp)[row]).known());
    }

    private static void plots(final Findings found, final Sample[][] ours, final Sample[][] dctcp) {
        final double[] loads = Arrays.stream(LOADS).mapToDouble(percent -> percent / 100.0).toArray();
        final double[] last = {1};
        final String load = "network load L";
        found.add(new Plot("fct", "Figure 15a: FCT, flows up to 100 KB", load, LINEAR, "us", LOGARITHMIC)
            .add(line("Shoal, average", loads, Value.MEAN_US.of(ours)),
                line("Shoal, 99.9 %", loads, Value.TAIL_US.of(ours)),
                line("DCTCP (our model), average", loads, Value.MEAN_US.of(dctcp)),
                line("DCTCP (our model), 99.9 %", loads, Value.TAIL_US.of(dctcp)))
            .addPublished("Shoal, average", "authors' simulator", last, new double[] {AUTHORS[0]})
            .addPublished("Shoal, 99.9 %", "authors' simulator", last, new double[] {AUTHORS[2]}));
        found.add(new Plot("goodput", "Figure 15b: average goodput, flows from 1 MB on", load, "Gb/s")
            .add(line("Shoal", loads, Value.GOODPUT_GBPS.of(ours)),
                line("DCTCP (our model)", loads, Value.GOODPUT_GBPS.of(dctcp))));
        found.add(new Plot("queues", "Figure 16: max queue size", load, LINEAR, "cells", LOGARITHMIC)
            .add(line("queue", loads, Value.QUEUE.of(ours)),
                line("aggregate queue of a node", loads, Value.HELD.of(ours)))
            .addBound("queue, printed: at most " + LONGEST, loads, LONGEST)
            .addBound("aggregate, printed: at most " + HELD, loads, HELD));
        found.add(new Plot("reordering", "Figure 16: max cell reordering", load, "cells")
            .add(line("Shoal", loads, Value.REORDERED.of(ours)))
            .addBound("printed: at most " + REORDERED, loads, REORDERED));
    }

    private static void failedNodes(final Effort effort, final Findings found) {
        final Sample[][] of = effort.sweep(DOWN, (percent, seeded) -> numbers(ParetoFlows.rack(1),
            ParetoFlows.Pairs.UNIFORM, count(seeded), ShoalRates.NODES * percent / 100, seeded));
        final Sample[] tail = Value.TAIL_US.of(of);
        final Sample[] goodput = Arrays.stream(Value.GOODPUT_GBPS.of(of)).map(Sample::known).toArray(Sample[]::new);
        for (int i = 0; i < DOWN.length; i++) {
            found.reported(DOWN[i] + " % down: flows up to 100 KB, 99.9 %, us", tail[i])
                .reported("  goodput of flows from 1 MB on, Gb/s", goodput[i]);
        }
        final double none = tail[0].mean();
        final double half = goodput[5].mean() / goodput[0].mean();
        final double middle = (goodput[2].mean() + goodput[3].mean()) / 2 / goodput[0].mean();
        found.near("99.9 % with 20 % down over that with none", 1.2, ABOUT, tail[2].over(tail[0]))
            .near("99.9 % with 40 % down over that with none", 1.5, ABOUT, tail[4].over(tail[0]))
            .near("goodput with 50 % down over that with none", 0.5, ABOUT, half)
            .near("goodput with 25 % down, of a line from none to 50 %", 1, ABOUT, middle / ((1 + half) / 2))
            .add(new Plot("fct", "Figure 17: 99.9p FCT, flows up to 100 KB", "failed nodes (%)", "us")
                .add(line("Shoal", Sample.x(DOWN), tail)).addPublished("Shoal", "as printed over our 0 %",
                    new double[] {20, 40}, new double[] {1.2 * none, 1.5 * none}))
            .add(new Plot("goodput", "Figure 17: average goodput, flows from 1 MB on", "failed nodes (%)", "Gb/s")
                .add(line("Shoal", Sample.x(DOWN), goodput)).addPublished("Shoal", "as printed over our 0 %",
                    new double[] {50}, new double[] {goodput[0].mean() / 2}));
    }

    private static void epochLength(final Effort effort, final Findings found) {
        epochLength("low load", 0.2, 1.26, 1.28, effort.turn(0, 2), found);
        epochLength("high load", 1, 1.15, 1.2, effort.turn(1, 2), found);
        found.remark("Half the channels: cells of 128 bytes in slots twice as long, as one channel of the "
            + "authors' simulator stands for four.");
    }

    private static void epochLength(final String name, final double load, final double channels, final double nodes,
        final Effort effort, final Findings found) {
        final ParetoFlows rack = ParetoFlows.rack(load);
        final Sample base = tail(rack, effort.turn(0, 3));
        found.reported(name + ": flows up to 100 KB, 99.9 %, us", base)
            .near("  with 2x50 Gb/s over that with 4x25 Gb/s", channels, EPOCH_ABOUT, tail(new ParetoFlows(rack.nodes,
                load, 2 * (rack.payload + HEADER) - HEADER, 2 * rack.slotNs), effort.turn(1, 3)).over(base))
            .near("  with 1,024 nodes over that with 512", nodes, EPOCH_ABOUT, tail(new ParetoFlows(2 * rack.nodes,
                load, rack.payload, rack.slotNs), effort.turn(2, 3)).over(base));
    }

    private static Sample tail(final ParetoFlows flows, final Effort effort) {
        return Value.TAIL_US.of(effort.sample(seeded -> numbers(flows, ParetoFlows.Pairs.UNIFORM,
            count(seeded) * flows.nodes() / ShoalRates.NODES, 0, seeded)));
    }

    private static void skew(final Effort effort, final Findings found) {
        final ParetoFlows flows = ParetoFlows.rack(ParetoFlows.rack(1).gapNs() / 12.65);
        final Sample[] of = effort.sample(seeded -> numbers(flows, ParetoFlows.Pairs.skewed(0.84), count(seeded), 0,
            seeded));
        found.atMost("longest queue, cells", "10 at most", 10, Value.QUEUE.of(of).most())
            .reported("flows up to 100 KB, mean, us", Value.MEAN_US.of(of))
            .reported("  99.9 %, us", Value.TAIL_US.of(of))
            .reported("goodput of flows from 1 MB on, Gb/s", Value.GOODPUT_GBPS.of(of).known())
            .remark("One workload in place of six: the traces are not public.");
    }

    /**
     * One run by {@link Value}.
     *
     * @param count  flows that arrive.
     * @param failed nodes that are down from the start.
     */
    private static double[] numbers(final ParetoFlows flows, final ParetoFlows.Pairs pairs, final int count,
        final int failed, final Effort effort) {
        final FlowSet drawn = flows.draw(count, failed, pairs, effort.seed());
        // A cell is taken in by the receiver in the slot in which it is sent.
        final Shoal shoal = ShoalRates.shoal(flows.nodes(), ReleaseRule.EXACT, true).withFailedNodes(failed);
        final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, drawn, 0);
        final Outcome outcome;
        try (LockStep engine = Runs.engine(shoal, drawn, effort).log(log); log) {
            effort.advance(engine::advance, lastSlot(drawn, flows.slotNs()));
            outcome = engine.outcome();
        }
        final long[] received = new long[drawn.size()];
        for (int i = 0; i < log.incomplete().length; i++) {
            received[log.incomplete()[i]] = (long) log.received()[i] * flows.payload();
        }
        return new FlowTimes(flows.slotNs(), drawn, Runs.ends(outcome, drawn, FlowTimes.OPEN), received,
            outcome.slots()).numbers(Runs.longestQueue(outcome), Runs.max(outcome.nodes().bufferOccupancy()),
            outcome.maxReorder());
    }

    /** The slot in which a run ends: short flows have all but ended, long ones need not have. */
    private static long lastSlot(final FlowSet flows, final double slotNs) {
        return flows.startSlot(flows.size() - 1) + (long) (LAST_NS / slotNs);
    }

    /**
     * How long flows took, as Shoal's authors count: short ones that have ended, and long ones with what they received
     * by the end of the run if they have not (docs/spec/shoal.md §9.1). Arrays are not changed.
     *
     * @param slotNs   length of a slot.
     * @param flows    that were offered.
     * @param end      slot before which each had ended, {@link #OPEN} for one that had not.
     * @param received bytes of each.
     * @param slots    of the run.
     */
    record FlowTimes(double slotNs, FlowSet flows, long[] end, long[] received, long slots) {
        /** The flow had not ended. */
        static final long OPEN = Long.MAX_VALUE;

        /** Microseconds of the short flows that have ended, ascending. */
        double[] shortUs() {
            return IntStream.range(0, end.length)
                .filter(flow -> end[flow] != OPEN && flows.bytes(flow) <= ParetoFlows.SHORT_BYTES)
                .mapToDouble(flow -> (end[flow] - flows.startSlot(flow)) * slotNs / 1e3).sorted().toArray();
        }

        /** Mean rate of the long flows, Gb/s; NaN if there are none. */
        double goodputGbps() {
            return IntStream.range(0, end.length).filter(flow -> flows.bytes(flow) >= ParetoFlows.LONG_BYTES)
                .mapToDouble(flow -> 8.0 * (end[flow] == OPEN ? received[flow] : flows.bytes(flow))
                    / ((Math.min(end[flow], slots) - flows.startSlot(flow)) * slotNs)).average().orElse(Double.NaN);
        }

        /** By {@link Value}, and others. */
        double[] numbers(final double... others) {
            final double[] brief = shortUs();
            return DoubleStream.concat(DoubleStream.of(Arrays.stream(brief).average().orElse(Double.NaN),
                Quantiles.of(brief, 0.99), Quantiles.of(brief, 0.999), goodputGbps()), DoubleStream.of(others))
                .toArray();
        }
    }

    /**
     * The packet-switched rack of Shoal §7.3 as our models have it: links of 50 Gb/s, packets of 1,500 bytes, queues of
     * 100 packets, a way for each flow by a hash, windows of 35 packets, DCTCP. It is a fat tree of 14-port switches
     * with room for 686 hosts, full bisection as the paper's Clos. Pure functions.
     */
    private static final class RackOfSwitches {
        private static final int PACKET_BYTES = 1500;
        private static final double SLOT_NS = 9.6;
        private static final double SLOT_BYTES = SLOT_NS * ParetoFlows.GBPS / Byte.SIZE;
        private static final long QUEUE_BYTES = 100 * PACKET_BYTES;
        private static final long MARK_BYTES = 15 * PACKET_BYTES;
        /** 15 ns across a rack, in whole slots. */
        private static final int LINK_SLOTS = 2;
        private static final double MIN_RTO_NS = 200e3;

        private RackOfSwitches() {
        }

        /** One run by {@link Value}. */
        static double[] dctcp(final double load, final int count, final Effort effort) {
            final FlowSet flows = new ParetoFlows(ShoalRates.NODES, load, PACKET_BYTES, SLOT_NS).draw(count, 0,
                ParetoFlows.Pairs.UNIFORM, effort.seed());
            final Reno usual = Reno.usual((int) (MIN_RTO_NS / SLOT_NS));
            final Reno hosts = new Reno(35, usual.initialPackets(), usual.queuePackets(), usual.ackBytes(),
                usual.minRtoSlots(), usual.wireSlots(), Congestion.Dctcp.USUAL);
            try (Arena arena = Arena.ofConfined()) {
                final SwitchedNetwork network = new SwitchedNetwork(arena, flows, hosts,
                    new SwitchRules(PACKET_BYTES, LINK_SLOTS, QUEUE_BYTES, MarkLaw.above(MARK_BYTES), false),
                    new FatTreeRoutes(14, SLOT_BYTES, flows, 1, effort.seed()));
                effort.advance(network::advance, lastSlot(flows, SLOT_NS));
                network.checkConserved();
                final long[] end = IntStream.range(0, flows.size()).mapToLong(network::completedBefore)
                    .map(slot -> slot == 0 ? FlowTimes.OPEN : slot).toArray();
                return new FlowTimes(SLOT_NS, flows, end, IntStream.range(0, flows.size())
                    .mapToLong(network::receivedOf).toArray(), network.slot()).numbers();
            }
        }
    }

    /**
     * Flows of Shoal §7.3: sizes after Pareto with shape 1.05 and a mean of 100 KB, arrivals after Poisson, each
     * between two nodes that are drawn (docs/spec/shoal.md §9.1). Immutable; any thread may call.
     *
     * @param nodes   N.
     * @param load    L, of 50 Gb/s a node: the mean time from a flow to the next is 100 KB / (L * 50 Gb/s * N).
     * @param payload bytes of a cell.
     * @param slotNs  of the fabric.
     */
    record ParetoFlows(int nodes, double load, int payload, double slotNs) {
        /** Largest short flow. */
        static final long SHORT_BYTES = 100_000;
        /** Smallest long flow. */
        static final long LONG_BYTES = 1_000_000;
        static final double GBPS = 50;

        private static final double SHAPE = 1.05;
        private static final double MEAN_BYTES = 100e3;
        private static final double LEAST_BYTES = MEAN_BYTES * (SHAPE - 1) / SHAPE;
        private static final double MOST_BYTES = 1e9;
        private static final int GAP = 0;
        private static final int SIZE = 1;
        private static final int SOURCE = 2;
        private static final int DESTINATION = 3;
        private static final int SKEW = 4;

        /** Who sends to whom. */
        @FunctionalInterface
        interface Pairs {
            /** Every node to every other one, alike. */
            Pairs UNIFORM = (key, flow, nodes, end) ->
                CounterRandom.below(CounterRandom.bits(key, 0, flow, end), nodes);

            /** A node at one end of a flow; the second is drawn from one node less. */
            int node(long key, int flow, int nodes, int end);

            /** A share of the ends of flows among the first third of the nodes, the others anywhere in the rest. */
            static Pairs skewed(final double share) {
                return (key, flow, nodes, end) -> {
                    final int third = nodes / 3;
                    final boolean inside = uniform(key, flow, SKEW) <= share;
                    final int drawn = CounterRandom.below(CounterRandom.bits(key, 0, flow, end),
                        inside ? third : nodes - third);
                    return inside ? drawn : third + drawn;
                };
            }
        }

        /** In the authors' simulator of the paper's rack. */
        static ParetoFlows rack(final double load) {
            return new ParetoFlows(ShoalRates.NODES, load, ShoalRates.PAYLOAD, ShoalRates.SLOT_NS);
        }

        /** Nanoseconds from a flow to the next, on average. */
        double gapNs() {
            return MEAN_BYTES * Byte.SIZE / (load * GBPS * nodes);
        }

        /**
         * Draws flows.
         *
         * @param count     how many arrive.
         * @param survivors nodes below this have failed; flows that touch them are left out.
         */
        FlowSet draw(final int count, final int survivors, final Pairs pairs, final long seed) {
            final long key = CounterRandom.mix(seed);
            final FlowSet flows = new FlowSet();
            double clock = 0;
            for (int flow = 0; flow < count; flow++) {
                clock -= StrictMath.log(uniform(key, flow, GAP)) * gapNs();
                final long bytes = (long) Math.min(MOST_BYTES,
                    LEAST_BYTES / StrictMath.pow(uniform(key, flow, SIZE), 1 / SHAPE));
                final int from = pairs.node(key, flow, nodes, SOURCE);
                final int other = pairs.node(key, flow, nodes - 1, DESTINATION);
                final int to = other < from ? other : other + 1;
                if (from >= survivors && to >= survivors) {
                    flows.add(flows.size(), from, to, bytes, (int) ((bytes - 1) / payload + 1),
                        (long) (clock / slotNs));
                }
            }
            return flows;
        }

        /** In (0, 1]. */
        private static double uniform(final long key, final int flow, final int use) {
            return ((CounterRandom.bits(key, 0, flow, use) >>> 11) + 1) * 0x1p-53;
        }
    }
}
