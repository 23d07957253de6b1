package dev.skerry.tools.figure.shoal;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.Congestion;
import dev.skerry.nic.stardust.fabric.MarkLaw;
import dev.skerry.nic.stardust.fabric.Reno;
import dev.skerry.nic.stardust.switched.FatTreeRoutes;
import dev.skerry.nic.stardust.switched.SwitchRules;
import dev.skerry.nic.stardust.switched.SwitchedNetwork;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.figure.CircuitRuns;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.report.Quantiles;
import dev.skerry.tools.run.CircuitParts;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.stream.IntStream;

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
            try (LockStep engine = new LockStep(CircuitParts.of(shoal), drawn, seeded.threads(), false).log(log); log) {
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
     * The packet-switched rack of Shoal §7.3 as our models have it: links of 50 Gb/s, packets of 1,500 bytes, queues of
     * 100 packets, a way for each flow by a hash, windows of 35 packets, DCTCP. It is a fat tree of 14-port switches
     * with room for 686 hosts, full bisection as the paper's Clos. Pure functions.
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
