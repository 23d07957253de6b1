package dev.skerry.tools.figure.shoal;

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
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.figure.shoal.ShoalPareto.ParetoRuns.ParetoFlows;
import dev.skerry.tools.figure.shoal.ShoalPareto.ParetoRuns.RackOfSwitches;
import dev.skerry.tools.figure.shoal.ShoalPareto.ParetoRuns.Value;
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

    private static final double[] ARRIVALS_LOADS = {0.2, 0.4, 0.6, 0.8, 1};
    /** One run of the authors' simulator at the highest load: mean, 99 % and 99.9 % of short flows in us. */
    private static final double[] AUTHORS = {8.4, 24.0, 34.5};
    private static final int ARRIVALS_LONGEST = 11;
    private static final int HELD = 336;
    private static final int REORDERED = 200_000 / 64;
    /** Part of the work that is not packet switches. */
    private static final double OURS = 0.8;
    private static final double GOODPUT = 1.7;
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
    private static final double AMONG_A_THIRD = 0.84;
    private static final double GAP_NS = 12.65;
    private static final int SKEW_LONGEST = 10;

    private ShoalPareto() {
    }

    private static Findings arrivals(final Effort effort) {
        final int count = effort.either(2_500, 30_000);
        final Findings found = new Findings();
        final Sample[][] ours = new Sample[Value.values().length][ARRIVALS_LOADS.length];
        final Sample[][] dctcp = new Sample[3][ARRIVALS_LOADS.length];
        for (int i = 0; i < ARRIVALS_LOADS.length; i++) {
            final Effort part = effort.turn(i, ARRIVALS_LOADS.length);
            final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, ARRIVALS_LOADS[i],
                ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS), ParetoFlows.Pairs.UNIFORM, count, 0, part.part(0, OURS));
            for (final Value value : Value.values()) {
                ours[value.ordinal()][i] = run.get(value);
            }
            final Sample[] peers = RackOfSwitches.dctcp(ARRIVALS_LOADS[i], count, part.part(OURS, 1));
            for (int number = 0; number < peers.length; number++) {
                dctcp[number][i] = peers[number];
            }
            add(found, i, run, peers);
        }
        plots(found, ours, dctcp);
        return found.remark(count + " flows where the paper has 1 M, every one waited for, " + ParetoRuns.SEEDS
            + " seeds; the tail of Pareto sizes converges slowly. Of DCQCN and NDP over packet switches there is no "
            + "point: the paper prints ratios only, and we have no NDP for packet switches.");
    }

    private static void add(final Findings found, final int row, final ParetoRuns run, final Sample[] dctcp) {
        final boolean highest = row == ARRIVALS_LOADS.length - 1;
        found.reported("L = " + ARRIVALS_LOADS[row] + ": flows up to 100 KB, mean, us", highest ? of(0) : "",
            run.get(Value.MEAN_US));
        found.reported("  99 %, us", highest ? of(1) : "", run.get(Value.P99_US));
        found.reported("  99.9 %, us", highest ? of(2) : "", run.get(Value.TAIL_US));
        found.atMost("  longest queue, cells", "11 at most", ARRIVALS_LONGEST, run.get(Value.QUEUE).most());
        found.atMost("  most cells at a node", "336 at most", HELD, run.get(Value.HELD).most());
        found.atMost("  reordering, cells", "200 KB at most", REORDERED, run.get(Value.REORDERED).most());
        final Sample tail = dctcp[1].over(run.get(Value.TAIL_US));
        if (row == 0) {
            found.atLeast("  DCTCP over it, 99.9 %", "3 at low load", 3, tail);
        } else if (highest) {
            found.atLeast("  DCTCP over it, 99.9 %", "2 at high load", 2, tail);
        } else {
            found.reported("  DCTCP over it, 99.9 %", "3 to 2", tail);
        }
        found.atLeast("  goodput of flows from 1 MB on over DCTCP's", "1.7", GOODPUT,
            run.get(Value.GOODPUT_GBPS).over(dctcp[2]).known());
    }

    private static String of(final int number) {
        return "authors' simulator " + AUTHORS[number];
    }

    private static void plots(final Findings found, final Sample[][] ours, final Sample[][] dctcp) {
        final double[] last = {ARRIVALS_LOADS[ARRIVALS_LOADS.length - 1]};
        final String load = "network load L";
        final Plot fct = new Plot("fct", "Figure 15a: FCT, flows up to 100 KB", load, Plot.Scale.LINEAR,
            "us", Plot.Scale.LOGARITHMIC);
        Sample.draw(fct, "Shoal, average", ARRIVALS_LOADS, ours[Value.MEAN_US.ordinal()]);
        Sample.draw(fct, "Shoal, 99.9 %", ARRIVALS_LOADS, ours[Value.TAIL_US.ordinal()]);
        Sample.draw(fct, "DCTCP (our model), average", ARRIVALS_LOADS, dctcp[0]);
        Sample.draw(fct, "DCTCP (our model), 99.9 %", ARRIVALS_LOADS, dctcp[1]);
        fct.addPublished("Shoal, average", "authors' simulator", last, new double[] {AUTHORS[0]})
            .addPublished("Shoal, 99.9 %", "authors' simulator", last, new double[] {AUTHORS[2]});
        final Plot goodput = new Plot("goodput", "Figure 15b: average goodput, flows from 1 MB on", load, "Gb/s");
        Sample.draw(goodput, "Shoal", ARRIVALS_LOADS, ours[Value.GOODPUT_GBPS.ordinal()]);
        Sample.draw(goodput, "DCTCP (our model)", ARRIVALS_LOADS, dctcp[2]);
        final Plot queues = new Plot("queues", "Figure 16: max queue size", load, Plot.Scale.LINEAR, "cells",
            Plot.Scale.LOGARITHMIC);
        Sample.draw(queues, "queue", ARRIVALS_LOADS, ours[Value.QUEUE.ordinal()]);
        Sample.draw(queues, "aggregate queue of a node", ARRIVALS_LOADS, ours[Value.HELD.ordinal()]);
        final Plot order = new Plot("reordering", "Figure 16: max cell reordering", load, "cells");
        Sample.draw(order, "Shoal", ARRIVALS_LOADS, ours[Value.REORDERED.ordinal()]);
        found.add(fct).add(goodput)
            .add(queues.addBound("queue, printed: at most " + ARRIVALS_LONGEST, ARRIVALS_LOADS, ARRIVALS_LONGEST)
                .addBound("aggregate, printed: at most " + HELD, ARRIVALS_LOADS, HELD))
            .add(order.addBound("printed: at most " + REORDERED, ARRIVALS_LOADS, REORDERED));
    }

    private static Findings failedNodes(final Effort effort) {
        final Findings found = new Findings();
        final ParetoFlows flows = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS);
        final double[] x = new double[PERCENT.length];
        final Sample[] tail = new Sample[PERCENT.length];
        final Sample[] goodput = new Sample[PERCENT.length];
        for (int i = 0; i < PERCENT.length; i++) {
            final ParetoRuns run = ParetoRuns.of(flows, ParetoFlows.Pairs.UNIFORM, effort.either(2_500, 30_000),
                ParetoRuns.NODES * PERCENT[i] / 100, effort.turn(i, PERCENT.length));
            x[i] = PERCENT[i];
            tail[i] = run.get(Value.TAIL_US);
            goodput[i] = run.get(Value.GOODPUT_GBPS).known();
            found.reported(PERCENT[i] + " % down: flows up to 100 KB, 99.9 %, us", "", tail[i]);
            found.reported("  goodput of flows from 1 MB on, Gb/s", "", goodput[i]);
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
        return ParetoRuns.of(flows, ParetoFlows.Pairs.UNIFORM,
            effort.either(2_500, 30_000) * flows.nodes() / ParetoRuns.NODES, 0, effort).get(Value.TAIL_US);
    }

    private static Findings skew(final Effort effort) {
        final double load = new ParetoFlows(ParetoRuns.NODES, 1, ParetoRuns.PAYLOAD, ParetoRuns.SLOT_NS).gapNs()
            / GAP_NS;
        final ParetoRuns run = ParetoRuns.of(new ParetoFlows(ParetoRuns.NODES, load, ParetoRuns.PAYLOAD,
            ParetoRuns.SLOT_NS), ParetoFlows.Pairs.skewed(AMONG_A_THIRD), effort.either(2_500, 30_000), 0, effort);
        return new Findings().atMost("longest queue, cells", "10 at most", SKEW_LONGEST, run.get(Value.QUEUE).most())
            .reported("flows up to 100 KB, mean, us", "", run.get(Value.MEAN_US))
            .reported("  99.9 %, us", "", run.get(Value.TAIL_US))
            .reported("goodput of flows from 1 MB on, Gb/s", "", run.get(Value.GOODPUT_GBPS).known())
            .remark("One workload in place of six: the traces are not public.");
    }

    /**
     * Runs of Shoal under {@link ParetoFlows} over seeds: what Figures 15 to 18 show.
     *
     * @param samples by {@link Value}.
     */
    record ParetoRuns(Sample[] samples) {
        /** Seeds of each point. */
        static final int SEEDS = 5;
        /** The rack of the paper. */
        static final int NODES = 512;
        /** The authors' simulator: one channel, 64 bytes a cell (docs/spec/shoal.md §1, P3). */
        static final double SLOT_NS = 5.632;
        static final int PAYLOAD = 56;
        /** What a run lasts beyond its last arrival, more than twice the longest of the paper's tails. */
        private static final double LAST_NS = 80e3;
        /** A cell is taken in by the receiver in the slot in which it is sent. */
        private static final int DELAY = 0;

        /** What is measured. */
        enum Value { MEAN_US, P99_US, TAIL_US, GOODPUT_GBPS, QUEUE, HELD, REORDERED }

        /**
         * One point.
         *
         * @param flows that arrive.
         * @param count how many.
         * @param failed nodes that are down from the start.
         */
        static ParetoRuns of(final ParetoFlows flows, final ParetoFlows.Pairs pairs, final int count, final int failed,
            final Effort effort) {
            return new ParetoRuns(Sample.of(SEEDS, effort, seeded -> {
                final FlowSet drawn = flows.draw(count, failed, pairs, seeded.seed());
                final Shoal shoal = Shoal.of(RoundRobin.plain(flows.nodes(), 1), ReleaseRule.EXACT, true, DELAY)
                    .withFailedNodes(failed);
                final RunLog log = new RunLog(Long.MAX_VALUE / 2, 0, drawn, 0);
                final Outcome outcome;
                try (LockStep engine = new LockStep(FabricKind.partsOf(shoal), drawn, seeded.threads(), false).log(log);
                    log) {
                    seeded.advance(engine::advance, lastSlot(drawn, flows.slotNs()));
                    outcome = engine.outcome();
                }
                final long[] received = new long[drawn.size()];
                for (int i = 0; i < log.incomplete().length; i++) {
                    received[log.incomplete()[i]] = (long) log.received()[i] * flows.payload();
                }
                return numbers(new FlowTimes(flows.slotNs(), drawn, outcome, received), outcome);
            }));
        }

        /** The slot in which a run ends: short flows have all but ended, long ones need not have. */
        static long lastSlot(final FlowSet flows, final double slotNs) {
            return flows.startSlot(flows.size() - 1) + (long) (LAST_NS / slotNs);
        }

        /** One value over the seeds. */
        Sample get(final Value value) {
            return samples[value.ordinal()];
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
            private static final int RADIX = 14;
            private static final int PACKET_BYTES = 1500;
            private static final double SLOT_NS = 9.6;
            private static final double SLOT_BYTES = SLOT_NS * ParetoFlows.GBPS / Byte.SIZE;
            private static final int QUEUE_PACKETS = 100;
            private static final int MARK_PACKETS = 15;
            private static final int WINDOW = 35;
            /** 15 ns across a rack, in whole slots. */
            private static final int LINK_SLOTS = 2;
            private static final double MIN_RTO_NS = 200e3;

            private RackOfSwitches() {
            }

            /** Mean and 99.9 % of short flows in us, goodput of long ones in Gb/s, over seeds. */
            static Sample[] dctcp(final double load, final int count, final Effort effort) {
                return Sample.of(ParetoRuns.SEEDS, effort, seeded -> {
                    final FlowSet flows = new ParetoFlows(ParetoRuns.NODES, load, PACKET_BYTES, SLOT_NS).draw(count, 0,
                        ParetoFlows.Pairs.UNIFORM, seeded.seed());
                    final Reno usual = Reno.usual((int) (MIN_RTO_NS / SLOT_NS));
                    final Reno hosts = new Reno(WINDOW, usual.initialPackets(), usual.queuePackets(), usual.ackBytes(),
                        usual.minRtoSlots(), usual.wireSlots(), Congestion.Dctcp.USUAL);
                    try (Arena arena = Arena.ofConfined()) {
                        final SwitchedNetwork network = new SwitchedNetwork(arena, flows, hosts,
                            new SwitchRules(PACKET_BYTES, LINK_SLOTS, (long) QUEUE_PACKETS * PACKET_BYTES,
                                MarkLaw.above((long) MARK_PACKETS * PACKET_BYTES), false),
                            new FatTreeRoutes(RADIX, SLOT_BYTES, flows, 1, seeded.seed()));
                        seeded.advance(network::advance, ParetoRuns.lastSlot(flows, SLOT_NS));
                        network.checkConserved();
                        return numbers(times(flows, network));
                    }
                });
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
