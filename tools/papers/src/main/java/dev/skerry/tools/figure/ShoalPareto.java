package dev.skerry.tools.figure;

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
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.figure.ShoalPareto.ParetoRuns.ParetoFlows;
import dev.skerry.tools.figure.ShoalPareto.ParetoRuns.RackOfSwitches;
import dev.skerry.tools.figure.ShoalPareto.ParetoRuns.Value;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Distribution.Quantiles;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Pareto flows between random nodes of 512: Shoal §7.3 and §7.4, Figures 15 to 18 (docs/spec/shoal.md §9.1, §9.3), over
 * runs of {@link ParetoRuns}.
 */
public final class ShoalPareto {
    /**
     * Pareto flows between random nodes of 512 by load: Shoal §7.3, Figures 15 and 16, beside our model of DCTCP over
     * packet switches and what the authors' simulator had for 30,000 flows (docs/spec/shoal.md §9.1, §9.3).
     */
    public static final Figure FIG15 = new Figure("shoal-fig15", "Figures 15, 16",
        "completion times, goodput, queues and reordering of 512 nodes by load, beside DCTCP over packet switches", 10,
        0.5, ShoalPareto::arrivals);
    /**
     * Up to half of the nodes down from the start, L = 1: Shoal §7.3, Figure 17. Flows that touch failed nodes are left
     * out (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG17 = new Figure("shoal-fig17", "Figure 17",
        "completion times and goodput with 0 to 50 % of 512 nodes down", 5, 0.3, ShoalPareto::failedNodes);
    /**
     * Epochs twice as long: half as many channels, each twice as fast, and twice as many nodes; Shoal §7.3
     * (docs/spec/shoal.md §9.3).
     */
    public static final Figure EPOCH = new Figure("shoal-epoch", "Section 7.3",
        "completion times with epochs twice as long", 5, 0.8, ShoalPareto::epochLength);
    /**
     * Flows of which 84 % are among a third of the nodes, one every 12.65 ns: Shoal §7.4, Figure 18. The traces of the
     * paper are not public: the skew is theirs, sizes are those of §7.3 (docs/spec/shoal.md §9.3).
     */
    public static final Figure FIG18 = new Figure("shoal-fig18", "Figure 18",
        "queues under flows of which 84 % are among a third of 512 nodes", 2, 0.1, ShoalPareto::skew);

    /** Loads of Figures 15 and 16. */
    private static final int[] ARRIVALS_PERCENT = {20, 40, 60, 80, 100};
    /** One run of the authors' simulator at the highest load: mean, 99 % and 99.9 % of short flows in us. */
    private static final double[] AUTHORS = {8.4, 24.0, 34.5};
    private static final int ARRIVALS_LONGEST = 11;
    private static final int HELD = 336;
    private static final int REORDERED = 200_000 / 64;
    /** Part of the work that is not packet switches. */
    private static final double OURS = 0.8;
    private static final int[] PERCENT = {0, 10, 20, 30, 40, 50};
    /** How far a printed factor may be off, as its share. */
    private static final double FAILED_NODES_ABOUT = 0.2;
    private static final double[] EPOCH_LENGTH_LOADS = {0.2, 1};
    private static final String[] NAMES = {"low load", "high load"};
    private static final double[] CHANNELS = {1.26, 1.15};
    private static final double[] NODES = {1.28, 1.2};
    /** How far a printed factor may be off, as its share. */
    private static final double EPOCH_LENGTH_ABOUT = 0.15;
    private static final int HEADER = 8;

    private ShoalPareto() {
    }

    private static Findings arrivals(final Effort effort) {
        final int count = effort.either(2_500, 30_000);
        final Findings found = new Findings();
        final Sample[][] ours = Sample.sweep(ParetoRuns.SEEDS, effort.part(0, OURS), ARRIVALS_PERCENT,
            (percent, seeded) -> ParetoRuns.numbers(new ParetoFlows(ParetoRuns.NODES, percent / 100.0,
                ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS), ParetoFlows.Pairs.UNIFORM, count, 0, seeded));
        final Sample[][] dctcp = Sample.sweep(ParetoRuns.SEEDS, effort.part(OURS, 1), ARRIVALS_PERCENT,
            (percent, seeded) -> RackOfSwitches.dctcp(percent / 100.0, count, seeded));
        for (int i = 0; i < ARRIVALS_PERCENT.length; i++) {
            add(found, i, ours, dctcp);
        }
        plots(found, ours, dctcp);
        return found.remark(count + " flows where the paper has 1 M, every one waited for, " + ParetoRuns.SEEDS
            + " seeds; the tail of Pareto sizes converges slowly. Of DCQCN and NDP over packet switches there is no "
            + "point: the paper prints ratios only, and we have no NDP for packet switches.");
    }

    private static void add(final Findings found, final int row, final Sample[][] ours, final Sample[][] dctcp) {
        final boolean highest = row == ARRIVALS_PERCENT.length - 1;
        final Sample tail = Value.TAIL_US.of(ours)[row];
        found.reported("L = " + ARRIVALS_PERCENT[row] / 100.0 + ": flows up to 100 KB, mean, us",
                highest ? of(0) : "", Value.MEAN_US.of(ours)[row])
            .reported("  99 %, us", highest ? of(1) : "", Value.P99_US.of(ours)[row])
            .reported("  99.9 %, us", highest ? of(2) : "", tail)
            .atMost("  longest queue, cells", "11 at most", ARRIVALS_LONGEST, Value.QUEUE.of(ours)[row].most())
            .atMost("  most cells at a node", "336 at most", HELD, Value.HELD.of(ours)[row].most())
            .atMost("  reordering, cells", "200 KB at most", REORDERED, Value.REORDERED.of(ours)[row].most());
        final Sample over = dctcp[1][row].over(tail);
        if (row == 0) {
            found.atLeast("  DCTCP over it, 99.9 %", "3 at low load", 3, over);
        } else if (highest) {
            found.atLeast("  DCTCP over it, 99.9 %", "2 at high load", 2, over);
        } else {
            found.reported("  DCTCP over it, 99.9 %", "3 to 2", over);
        }
        found.atLeast("  goodput of flows from 1 MB on over DCTCP's", "1.7", 1.7,
            Value.GOODPUT_GBPS.of(ours)[row].over(dctcp[2][row]).known());
    }

    private static String of(final int number) {
        return "authors' simulator " + AUTHORS[number];
    }

    private static void plots(final Findings found, final Sample[][] ours, final Sample[][] dctcp) {
        final double[] loads = Arrays.stream(ARRIVALS_PERCENT).mapToDouble(percent -> percent / 100.0).toArray();
        final double[] last = {1};
        final String load = "network load L";
        final Plot fct = new Plot("fct", "Figure 15a: FCT, flows up to 100 KB", load, Plot.Scale.LINEAR,
            "us", Plot.Scale.LOGARITHMIC);
        Sample.draw(fct, "Shoal, average", loads, Value.MEAN_US.of(ours));
        Sample.draw(fct, "Shoal, 99.9 %", loads, Value.TAIL_US.of(ours));
        Sample.draw(fct, "DCTCP (our model), average", loads, dctcp[0]);
        Sample.draw(fct, "DCTCP (our model), 99.9 %", loads, dctcp[1]);
        fct.addPublished("Shoal, average", "authors' simulator", last, new double[] {AUTHORS[0]})
            .addPublished("Shoal, 99.9 %", "authors' simulator", last, new double[] {AUTHORS[2]});
        final Plot goodput = new Plot("goodput", "Figure 15b: average goodput, flows from 1 MB on", load, "Gb/s");
        Sample.draw(goodput, "Shoal", loads, Value.GOODPUT_GBPS.of(ours));
        Sample.draw(goodput, "DCTCP (our model)", loads, dctcp[2]);
        final Plot queues = new Plot("queues", "Figure 16: max queue size", load, Plot.Scale.LINEAR, "cells",
            Plot.Scale.LOGARITHMIC);
        Sample.draw(queues, "queue", loads, Value.QUEUE.of(ours));
        Sample.draw(queues, "aggregate queue of a node", loads, Value.HELD.of(ours));
        final Plot order = new Plot("reordering", "Figure 16: max cell reordering", load, "cells");
        Sample.draw(order, "Shoal", loads, Value.REORDERED.of(ours));
        found.add(fct).add(goodput)
            .add(queues.addBound("queue, printed: at most " + ARRIVALS_LONGEST, loads, ARRIVALS_LONGEST)
                .addBound("aggregate, printed: at most " + HELD, loads, HELD))
            .add(order.addBound("printed: at most " + REORDERED, loads, REORDERED));
    }

    private static Findings failedNodes(final Effort effort) {
        final Findings found = new Findings();
        final ParetoFlows flows = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS);
        final double[] x = Arrays.stream(PERCENT).asDoubleStream().toArray();
        final Sample[][] of = Sample.sweep(ParetoRuns.SEEDS, effort, PERCENT, (percent, seeded) -> ParetoRuns.numbers(
            flows, ParetoFlows.Pairs.UNIFORM, seeded.either(2_500, 30_000), ParetoRuns.NODES * percent / 100, seeded));
        final Sample[] tail = Value.TAIL_US.of(of);
        final Sample[] goodput = Arrays.stream(Value.GOODPUT_GBPS.of(of)).map(Sample::known).toArray(Sample[]::new);
        for (int i = 0; i < PERCENT.length; i++) {
            found.reported(PERCENT[i] + " % down: flows up to 100 KB, 99.9 %, us", "", tail[i])
                .reported("  goodput of flows from 1 MB on, Gb/s", "", goodput[i]);
        }
        found.near("99.9 % with 20 % down over that with none", 1.2, FAILED_NODES_ABOUT, tail[2].over(tail[0]));
        found.near("99.9 % with 40 % down over that with none", 1.5, FAILED_NODES_ABOUT, tail[4].over(tail[0]));
        final double half = goodput[5].mean() / goodput[0].mean();
        found.near("goodput with 50 % down over that with none", 0.5, FAILED_NODES_ABOUT, half);
        final double middle = (goodput[2].mean() + goodput[3].mean()) / 2 / goodput[0].mean();
        found.near("goodput with 25 % down, of a line from none to 50 %", 1, FAILED_NODES_ABOUT,
            middle / ((1 + half) / 2));
        final Plot fct = new Plot("fct", "Figure 17: 99.9p FCT, flows up to 100 KB", "failed nodes (%)", "us");
        Sample.draw(fct, "Shoal", x, tail);
        final Plot rate = new Plot("goodput", "Figure 17: average goodput, flows from 1 MB on", "failed nodes (%)",
            "Gb/s");
        Sample.draw(rate, "Shoal", x, goodput);
        final double none = tail[0].mean();
        return found.add(fct.addPublished("Shoal", "as printed over our 0 %", new double[] {20, 40},
                new double[] {1.2 * none, 1.5 * none}))
            .add(rate.addPublished("Shoal", "as printed over our 0 %", new double[] {50},
                new double[] {goodput[0].mean() / 2}));
    }

    private static Findings epochLength(final Effort effort) {
        final Findings found = new Findings();
        for (int i = 0; i < EPOCH_LENGTH_LOADS.length; i++) {
            final Effort part = effort.turn(i, EPOCH_LENGTH_LOADS.length);
            final Sample base = tail(new ParetoFlows(ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(0, 3));
            final Sample channels = tail(new ParetoFlows(ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i],
                2 * (ParetoRuns.PAYLOAD + HEADER) - HEADER, 2 * ParetoRuns.SLOT_NS), part.turn(1, 3));
            final Sample nodes = tail(new ParetoFlows(2 * ParetoRuns.NODES, EPOCH_LENGTH_LOADS[i], ParetoRuns.PAYLOAD,
                ParetoRuns.SLOT_NS), part.turn(2, 3));
            found.reported(NAMES[i] + ": flows up to 100 KB, 99.9 %, us", "", base);
            found.near("  with 2x50 Gb/s over that with 4x25 Gb/s", CHANNELS[i], EPOCH_LENGTH_ABOUT,
                channels.over(base));
            found.near("  with 1,024 nodes over that with 512", NODES[i], EPOCH_LENGTH_ABOUT, nodes.over(base));
        }
        return found.remark("Half the channels: cells of 128 bytes in slots twice as long, as one channel of the "
            + "authors' simulator stands for four.");
    }

    private static Sample tail(final ParetoFlows flows, final Effort effort) {
        return Sample.of(ParetoRuns.SEEDS, effort, seeded -> ParetoRuns.numbers(flows, ParetoFlows.Pairs.UNIFORM,
            seeded.either(2_500, 30_000) * flows.nodes() / ParetoRuns.NODES, 0, seeded))[Value.TAIL_US.ordinal()];
    }

    private static Findings skew(final Effort effort) {
        final double load = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS).gapNs()
            / 12.65;
        final ParetoFlows flows = new ParetoFlows(ParetoRuns.NODES, load, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS);
        final Sample[] of = Sample.of(ParetoRuns.SEEDS, effort, seeded -> ParetoRuns.numbers(flows,
            ParetoFlows.Pairs.skewed(0.84), seeded.either(2_500, 30_000), 0, seeded));
        return new Findings().atMost("longest queue, cells", "10 at most", 10, of[Value.QUEUE.ordinal()].most())
            .reported("flows up to 100 KB, mean, us", "", of[Value.MEAN_US.ordinal()])
            .reported("  99.9 %, us", "", of[Value.TAIL_US.ordinal()])
            .reported("goodput of flows from 1 MB on, Gb/s", "", of[Value.GOODPUT_GBPS.ordinal()].known())
            .remark("One workload in place of six: the traces are not public.");
    }

    /** Runs of Shoal under {@link ParetoFlows}: what Figures 15 to 18 show. */
    static final class ParetoRuns {
        /** Seeds of each point. */
        static final int SEEDS = 5;
        /** The rack of the paper. */
        static final int NODES = 512;
        /** The authors' simulator: one channel, 64 bytes a cell (docs/spec/shoal.md §1, P3). */
        static final double SLOT_NS = 5.632;
        static final int PAYLOAD = 56;
        /** What a run lasts beyond its last arrival, more than twice the longest of the paper's tails. */
        private static final double LAST_NS = 80e3;

        /** What is measured. */
        enum Value {
            MEAN_US, P99_US, TAIL_US, GOODPUT_GBPS, QUEUE, HELD, REORDERED;

            /** Of a sweep. */
            Sample[] of(final Sample[][] numbers) {
                return numbers[ordinal()];
            }
        }

        private ParetoRuns() {
        }

        /**
         * One run by {@link Value}.
         *
         * @param flows that arrive.
         * @param count how many.
         * @param failed nodes that are down from the start.
         */
        static double[] numbers(final ParetoFlows flows, final ParetoFlows.Pairs pairs, final int count,
            final int failed, final Effort effort) {
            final FlowSet drawn = flows.draw(count, failed, pairs, effort.seed());
            // A cell is taken in by the receiver in the slot in which it is sent.
            final Shoal shoal = Shoal.of(RoundRobin.plain(flows.nodes(), 1), ReleaseRule.EXACT, true, 0)
                .withFailedNodes(failed);
            final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, drawn, 0);
            final Outcome outcome;
            try (LockStep engine = new LockStep(FabricKind.partsOf(shoal), drawn, effort.threads(), false).log(log);
                log) {
                effort.advance(engine::advance, lastSlot(drawn, flows.slotNs()));
                outcome = engine.outcome();
            }
            final long[] received = new long[drawn.size()];
            for (int i = 0; i < log.incomplete().length; i++) {
                received[log.incomplete()[i]] = (long) log.received()[i] * flows.payload();
            }
            return numbers(new FlowTimes(flows.slotNs(), drawn, outcome, received), outcome);
        }

        /** The slot in which a run ends: short flows have all but ended, long ones need not have. */
        static long lastSlot(final FlowSet flows, final double slotNs) {
            return flows.startSlot(flows.size() - 1) + (long) (LAST_NS / slotNs);
        }

        private static double[] numbers(final FlowTimes times, final Outcome outcome) {
            final double[] brief = times.shortUs();
            return new double[] {Arrays.stream(brief).average().orElse(Double.NaN), Quantiles.of(brief, 0.99),
                Quantiles.of(brief, 0.999), times.goodputGbps(), CircuitRuns.max(outcome.nodes().queueLength()),
                CircuitRuns.max(outcome.nodes().bufferOccupancy()), outcome.maxReorder()};
        }

        /**
         * How long flows took, as Shoal's authors count: short ones that have ended, and long ones with what they
         * received by the end of the run if they have not (docs/spec/shoal.md §9.1). Arrays are not changed.
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

            private static final double BITS_PER_NS_OF_BYTES = 8;

            FlowTimes(final double slotNs, final FlowSet flows, final Outcome outcome, final long[] received) {
                this(slotNs, flows, ends(flows, outcome), received, outcome.slots());
            }

            private static long[] ends(final FlowSet flows, final Outcome outcome) {
                final long[] end = new long[flows.size()];
                Arrays.fill(end, OPEN);
                for (int i = 0; i < outcome.completed().length; i++) {
                    end[outcome.completed()[i]] = outcome.completedIn()[i] + 1;
                }
                return end;
            }

            /** Microseconds of the short flows that have ended, ascending. */
            double[] shortUs() {
                return IntStream.range(0, end.length)
                    .filter(flow -> end[flow] != OPEN && flows.bytes(flow) <= ParetoFlows.SHORT_BYTES)
                    .mapToDouble(flow -> (end[flow] - flows.startSlot(flow)) * slotNs / 1e3).sorted().toArray();
            }

            /** Mean rate of the long flows, Gb/s; NaN if there are none. */
            double goodputGbps() {
                return IntStream.range(0, end.length).filter(flow -> flows.bytes(flow) >= ParetoFlows.LONG_BYTES)
                    .mapToDouble(flow -> BITS_PER_NS_OF_BYTES * (end[flow] == OPEN ? received[flow] : flows.bytes(flow))
                        / ((Math.min(end[flow], slots) - flows.startSlot(flow)) * slotNs)).average().orElse(Double.NaN);
            }
        }

        /**
         * The packet-switched rack of Shoal §7.3 as our models have it: links of 50 Gb/s, packets of 1,500 bytes,
         * queues of 100 packets, a way for each flow by a hash, windows of 35 packets, DCTCP. It is a fat tree of
         * 14-port switches with room for 686 hosts, full bisection as the paper's Clos. Pure functions.
         */
        static final class RackOfSwitches {
            private static final int PACKET_BYTES = 1500;
            private static final double SLOT_NS = 9.6;
            private static final double SLOT_BYTES = SLOT_NS * ParetoFlows.GBPS / Byte.SIZE;
            private static final int QUEUE_PACKETS = 100;
            private static final int MARK_PACKETS = 15;
            /** 15 ns across a rack, in whole slots. */
            private static final int LINK_SLOTS = 2;
            private static final double MIN_RTO_NS = 200e3;

            private RackOfSwitches() {
            }

            /** Mean and 99.9 % of short flows in us, goodput of long ones in Gb/s. */
            static double[] dctcp(final double load, final int count, final Effort effort) {
                final FlowSet flows = new ParetoFlows(ParetoRuns.NODES, load, PACKET_BYTES, SLOT_NS).draw(count, 0,
                    ParetoFlows.Pairs.UNIFORM, effort.seed());
                final Reno usual = Reno.usual((int) (MIN_RTO_NS / SLOT_NS));
                final Reno hosts = new Reno(35, usual.initialPackets(), usual.queuePackets(), usual.ackBytes(),
                    usual.minRtoSlots(), usual.wireSlots(), Congestion.Dctcp.USUAL);
                try (Arena arena = Arena.ofConfined()) {
                    final SwitchedNetwork network = new SwitchedNetwork(arena, flows, hosts,
                        new SwitchRules(PACKET_BYTES, LINK_SLOTS, (long) QUEUE_PACKETS * PACKET_BYTES,
                            MarkLaw.above((long) MARK_PACKETS * PACKET_BYTES), false),
                        new FatTreeRoutes(14, SLOT_BYTES, flows, 1, effort.seed()));
                    effort.advance(network::advance, ParetoRuns.lastSlot(flows, SLOT_NS));
                    network.checkConserved();
                    return numbers(times(flows, network));
                }
            }

            private static FlowTimes times(final FlowSet flows, final SwitchedNetwork network) {
                final long[] end = new long[flows.size()];
                final long[] received = new long[flows.size()];
                Arrays.setAll(end, flow -> network.completedBefore(flow) == 0 ? FlowTimes.OPEN
                    : network.completedBefore(flow));
                Arrays.setAll(received, network::receivedOf);
                return new FlowTimes(SLOT_NS, flows, end, received, network.slot());
            }

            private static double[] numbers(final FlowTimes times) {
                final double[] brief = times.shortUs();
                return new double[] {Arrays.stream(brief).average().orElse(Double.NaN), Quantiles.of(brief, 0.999),
                    times.goodputGbps()};
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
}
