package dev.skerry.tools.figure;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.figure.Findings.Rule;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.SizeBin;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.traffic.FlowSizes;
import dev.skerry.tools.traffic.FlowSizes.SizeDistribution;
import dev.skerry.tools.traffic.Workload.PoissonArrivals;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Shale fabrics of r^h nodes with one token per bucket, and their results under the workloads of the paper. */
final class ShaleRuns {
    /** Payload of a cell, bytes. */
    static final int PAYLOAD = 244;
    /** 500 ns in slots of 5.632 ns. */
    static final int PROPAGATION_SLOTS = 89;
    /** Sizes of flows by which the plots of the paper group them. */
    static final List<String> BINS = List.of("0-4k", "4-16k", "16-64k", "64-256k", "256k-1M", "1-4M", "4-16M",
        "16-64M", "64-256M", "256M-1G");
    /** Nodes that Figures 9 to 11 may have: r^h for h of 1, 2 and 4. */
    static final List<String> SIZES = List.of("256", "1296", "10000");
    /** Size above which a flow is very long, bytes. */
    static final long LONG_BYTES = 256L << 20;

    /** Shares of the nodes at which maxima are shown. */
    static final double[] NODES = {0.5, 0.9, 0.99, 0.999, 0.9999};
    /** The shares of the nodes as the plots name them. */
    static final List<String> NODE_NAMES = List.of("50 %", "90 %", "99 %", "99.9 %", "99.99 %");
    /**
     * Indices in {@link #numbers}: the tail of normalised completion times, their mean, and the tail of flows apart.
     */
    static final int TAIL = 0;
    static final int MEAN = BINS.size();
    static final int APART = 2 * MEAN;
    /** Indices of the maximum number of cells at a node, and of its longest queue. */
    static final int HELD = 3 * MEAN;
    static final int QUEUE = HELD + NODES.length;
    /**
     * Indices of the cells per node and slot, and of the cells cut to their headers as a share of the cells sent by
     * their sources.
     */
    static final int DELIVERED = QUEUE + NODES.length;
    static final int TRIMMED = DELIVERED + 1;
    /**
     * Indices of the maximum number of cells at any node, of the longest queue of any node, and of the late deliveries
     * as a share of the offered cells.
     */
    static final int MOST_HELD = TRIMMED + 1;
    static final int LONGEST = MOST_HELD + 1;
    static final int LATE = LONGEST + 1;

    private ShaleRuns() {
    }

    /**
     * Returns a fabric with hbh+spray.
     *
     * @param phases h.
     * @param radix r.
     * @param failed nodes that are down from the start.
     * @param tokens tokens of each bucket, first hops included.
     * @param propagationSlots P.
     */
    static Shale fabric(final int phases, final int radix, final int failed, final int tokens,
        final int propagationSlots, final long seed) {
        final Phased schedule = new Phased(phases, radix);
        return new Shale(schedule, Population.of(schedule, schedule.nodes(), failed), Mechanisms.HBH_SPRAY, tokens,
            tokens, propagationSlots, seed);
    }

    /**
     * Measures the values of h that figures compare, 2 and 4, as far as the user chose them, in equal parts of the
     * work.
     */
    static void eachPhases(final Effort effort, final BiConsumer<Integer, Effort> measure) {
        effort.each(Stream.of(2, 4).filter(h -> effort.extent().has(h)).toList(), measure);
    }

    /**
     * Returns 500 ns; in a short version a delay in the same proportion to the epoch of the smaller fabric as 500 ns to
     * that of the paper (docs/spec/shale.md §10.4).
     */
    static int delay(final int phases, final int radix, final Effort effort) {
        final double perEpoch = phases == 2 ? 0.45 : 2.47;
        return effort.quick() ? Math.max(1, (int) Math.round(perEpoch * phases * (radix - 1))) : PROPAGATION_SLOTS;
    }

    /** Returns the heavy-tailed sizes; in a short version, the longest ones are a tenth. */
    static FlowSizes heavy(final Effort effort) {
        return effort.quick() ? new TenthOfHeavy() : SizeDistribution.HEAVY;
    }

    /** Returns the nodes of the fabrics of a figure that has {@link #SIZES}. */
    static int nodes(final Effort effort) {
        return effort.extent().nodes() > 0 ? effort.extent().nodes() : effort.either(256, 10_000);
    }

    /** Returns the seeds of a point of such a figure. */
    static int seeds(final Effort effort) {
        return nodes(effort) <= 256 ? Effort.SEEDS : nodes(effort) < 10_000 ? 2 : 1;
    }

    /** Returns a sentence that compares the extent of the runs with that of the paper. */
    static String extent(final String paper, final int slots, final Effort effort) {
        return String.format(Locale.ROOT, "%,d nodes, %,d slots, %d seeds; the paper has 10,000 nodes and %s slots.",
            nodes(effort), slots, seeds(effort), paper);
    }

    /**
     * Checks a value against a statement. If the statement is an order or a bound, a value far on its right side still
     * satisfies it with a deviation; the deviation is therefore planted at the bound.
     *
     * @param low smallest value accepted, 0 without a lower bound.
     * @param high largest value accepted, infinity without an upper bound.
     */
    static Findings stated(final Findings found, final String what, final String words, final double low,
        final double high, final Sample value) {
        found.check(what, words, low == 0 ? Rule.atMost(high) : high == Double.POSITIVE_INFINITY ? Rule.atLeast(low)
            : Rule.between(low, high), value);
        return high <= Rule.PLANTED * low ? found : low == 0 ? found.planted(Rule.PLANTED * high)
            : high == Double.POSITIVE_INFINITY ? found.planted(low / Rule.PLANTED)
            : found.planted(low / Rule.PLANTED, Rule.PLANTED * high);
    }

    /**
     * The results of a workload.
     *
     * @param summary statistics of the papers.
     * @param offered cells of the flows that start in the run, per node and slot.
     * @param late cells per node and slot delivered in the second half of the run.
     * @param flows flows that were offered.
     * @param outcome outcome of the run.
     */
    record Loaded(Summary summary, double offered, double late, FlowSet flows, Outcome outcome) {
        RunResult.Totals totals() {
            return summary.result().totals();
        }
    }

    /** Runs flows that arrive at 96 % of the guarantee for some slots. */
    static Loaded loaded(final Shale shale, final FlowSizes sizes, final long arrivals, final long slots,
        final Effort effort) {
        return loaded(shale, flows(sizes, shale.guarantee(), shale.nodes(), arrivals, effort.seed()), arrivals, slots,
            effort);
    }

    /** Returns flows that offer 96 % of a guarantee for some slots. */
    static FlowSet flows(final FlowSizes sizes, final double guarantee, final int nodes, final long arrivals,
        final long seed) {
        return new PoissonArrivals(sizes, 0.96 * guarantee).generate(nodes, PAYLOAD, arrivals, seed);
    }

    /**
     * Runs a fabric with flows.
     *
     * @param arrivals slots in which they start.
     * @param slots slots of the run, 0 until all flows are complete.
     */
    static Loaded loaded(final CircuitFabric fabric, final FlowSet flows, final long arrivals, final long slots,
        final Effort effort) {
        final Outcome outcome = Runs.run(fabric, flows, slots, effort);
        final Summary summary = Summary.of(RunResult.of(Map.of(), RunResult.Terms.UNKNOWN, false, fabric, flows,
            outcome, 0, RunResult.Measured.of(fabric, flows, outcome, arrivals, arrivals > 0, 0)));
        final double cells = IntStream.range(0, flows.size()).mapToLong(flows::cells).sum();
        return new Loaded(summary, cells / ((double) fabric.nodes() * arrivals), late(outcome, fabric.nodes(),
            arrivals), flows, outcome);
    }

    /** Returns the cells delivered in the second half of the arrivals, in whole intervals only. */
    private static double late(final Outcome outcome, final int nodes, final long arrivals) {
        final Outcome.DeliveredOverTime timeline = outcome.timeline();
        final int from = (int) Math.ceilDiv(arrivals / 2, timeline.intervalSlots());
        final int to = (int) Math.min(arrivals / timeline.intervalSlots(), timeline.cells().length);
        return IntStream.range(from, to).mapToLong(interval -> timeline.cells()[interval]).sum()
            / ((double) nodes * (to - from) * timeline.intervalSlots());
    }

    /**
     * The heavy-tailed sizes with the part above {@value #FROM} packets divided by ten: short flows are as in the
     * paper, the longest has 101 MB, and a run of a tenth of the length has as many flows. Immutable; any thread may
     * call.
     */
    static final class TenthOfHeavy implements FlowSizes {
        /** Packets up to which sizes are those of the paper. */
        private static final int FROM = 2107;
        private static final int STEPS = 1 << 16;

        @Override
        public long bytes(final double uniform) {
            final long packets = SizeDistribution.HEAVY.bytes(uniform) / SizeDistribution.PACKET_BYTES;
            return SizeDistribution.PACKET_BYTES * (packets <= FROM ? packets : FROM + (packets - FROM) / 10);
        }

        @Override
        public double meanCells(final int payloadBytes) {
            double sum = 0;
            for (int step = 0; step < STEPS; step++) {
                sum += Math.ceilDiv(bytes((step + 0.5) / STEPS), payloadBytes);
            }
            return sum / STEPS;
        }
    }

    /**
     * Returns the values that Shale's Figures 9 to 17 show of a run, by index: {@link #TAIL}, {@link #MEAN} and
     * {@link #APART} ten bins each, {@link #HELD} and {@link #QUEUE} by {@link #NODES}, then single numbers.
     *
     * @param quick whether the run is short, so that a bin has only some hundreds of flows: the tail is then 99 %
     *              instead of 99.9 %.
     * @param longBytes size above which a flow is very long.
     */
    static double[] numbers(final Loaded run, final boolean quick, final long longBytes) {
        final double[] numbers = new double[LATE + 1];
        final ToDoubleFunction<SizeBin> tail = quick ? SizeBin::p99 : SizeBin::p999;
        put(numbers, TAIL, run.summary.bins(), tail);
        put(numbers, MEAN, run.summary.bins(), SizeBin::mean);
        put(numbers, APART, apart(run, longBytes), tail);
        for (int i = 0; i < NODES.length; i++) {
            numbers[HELD + i] = run.summary.bufferOccupancy().quantile(NODES[i]);
            numbers[QUEUE + i] = run.summary.queueLength().quantile(NODES[i]);
        }
        numbers[DELIVERED] = run.totals().throughput();
        numbers[TRIMMED] = (double) run.outcome.count(NicCounter.CELLS_TRIMMED)
            / run.outcome.count(NicCounter.CELLS_INJECTED);
        numbers[MOST_HELD] = run.totals().maxBufferOccupancy();
        numbers[LONGEST] = run.totals().maxQueueLength();
        numbers[LATE] = run.late / run.offered;
        return numbers;
    }

    /** Writes a value of each bin; NaN for a bin without flows. */
    static void put(final double[] numbers, final int from, final List<SizeBin> bins,
        final ToDoubleFunction<SizeBin> value) {
        for (int bin = 0; bin < BINS.size(); bin++) {
            numbers[from + bin] = bin < bins.size() && bins.get(bin).flows() > 0
                ? value.applyAsDouble(bins.get(bin)) : Double.NaN;
        }
    }

    /** Returns the numbers of a run by bin or by share of the nodes. */
    static Sample[] part(final Sample[] numbers, final int from) {
        return Arrays.copyOfRange(numbers, from, from + (from < HELD ? BINS.size() : NODES.length));
    }

    /** Returns the number of values to draw: up to the last one that any line has. */
    static int known(final Stream<Sample[]> lines) {
        return lines.mapToInt(values -> IntStream.range(0, values.length).map(i -> values.length - i)
            .filter(known -> !Double.isNaN(values[known - 1].known().mean())).findFirst().orElse(0)).max().orElse(0);
    }

    /**
     * Returns the completion times of flows that never share their destination with a very long flow: Shale Appendix
     * B.3.
     *
     * @param longBytes size above which a flow is very long.
     */
    static List<SizeBin> apart(final Loaded run, final long longBytes) {
        final FlowSet flows = run.flows;
        final long[] end = Runs.ends(run.outcome, flows, Long.MAX_VALUE);
        final int[] longOnes = IntStream.range(0, flows.size()).filter(flow -> flows.bytes(flow) > longBytes).toArray();
        final int[] apart = IntStream.of(run.outcome.completed()).filter(flow -> IntStream.of(longOnes).noneMatch(other
            -> other != flow && flows.destination(other) == flows.destination(flow)
                && flows.startSlot(other) < end[flow] && end[other] > flows.startSlot(flow))).toArray();
        final int delay = run.totals().propagationSlots();
        return SizeBin.tableOf(IntStream.of(apart).mapToLong(flows::bytes).toArray(), IntStream.of(apart).mapToDouble(
            flow -> (end[flow] - flows.startSlot(flow)) / ((double) flows.cells(flow) + delay)).toArray()).bins();
    }
}
