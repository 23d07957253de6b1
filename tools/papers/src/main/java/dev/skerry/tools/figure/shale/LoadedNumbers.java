package dev.skerry.tools.figure.shale;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.Sample;
import dev.skerry.tools.report.Distribution;
import dev.skerry.tools.report.SizeBin;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What Shale's Figures 9 to 17 show of a workload, over seeds. Places in the array of numbers: 99.9 % (99 % in a short
 * run, whose bins hold some hundreds of flows), mean, and 99.9 % of the flows apart, ten bins each; then most cells at
 * a node and longest queue, by {@link #NODES}; then single numbers.
 *
 * @param samples of each number.
 */
record LoadedNumbers(Sample[] samples) {
    /** Shares of the nodes by which maxima are shown. */
    static final double[] NODES = {0.5, 0.9, 0.99, 0.999, 0.9999};
    /** The same as the graphs name them. */
    static final List<String> NODE_NAMES = List.of("50 %", "90 %", "99 %", "99.9 %", "99.99 %");

    private static final int BINS = ShaleRuns.BINS.size();
    private static final int MEAN = BINS;
    private static final int APART = 2 * BINS;
    private static final int HELD = 3 * BINS;
    private static final int QUEUE = HELD + NODES.length;
    private static final int DELIVERED = QUEUE + NODES.length;
    private static final int TRIMMED = DELIVERED + 1;
    private static final int ALL = TRIMMED + 1;

    /**
     * The numbers of one run.
     *
     * @param quick     whether it is short.
     * @param longBytes a flow above this is a very long one.
     */
    static double[] of(final ShaleRuns.Loaded run, final boolean quick, final long longBytes) {
        final double[] numbers = new double[ALL];
        Arrays.fill(numbers, Double.NaN);
        final ToDoubleFunction<SizeBin> tail = quick ? SizeBin::p99 : SizeBin::p999;
        put(numbers, 0, run.summary().bins(), tail);
        put(numbers, MEAN, run.summary().bins(), SizeBin::mean);
        put(numbers, APART, FlowsApart.bins(run, longBytes), tail);
        put(numbers, HELD, run.summary().bufferOccupancy());
        put(numbers, QUEUE, run.summary().queueLength());
        numbers[DELIVERED] = run.summary().result().totals().throughput();
        numbers[TRIMMED] = (double) run.outcome().count(NicCounter.CELLS_TRIMMED)
            / run.outcome().count(NicCounter.CELLS_INJECTED);
        return numbers;
    }

    private static void put(final double[] numbers, final int from, final List<SizeBin> bins,
        final ToDoubleFunction<SizeBin> value) {
        for (int bin = 0; bin < Math.min(BINS, bins.size()); bin++) {
            numbers[from + bin] = bins.get(bin).flows() == 0 ? Double.NaN : value.applyAsDouble(bins.get(bin));
        }
    }

    private static void put(final double[] numbers, final int from, final Distribution nodes) {
        for (int i = 0; i < NODES.length; i++) {
            numbers[from + i] = nodes.quantile(NODES[i]);
        }
    }

    /** How many values are worth drawing: up to the last that any line has. */
    static int known(final Stream<Sample[]> lines) {
        return lines.mapToInt(values -> {
            int known = values.length;
            while (known > 0 && Double.isNaN(values[known - 1].known().mean())) {
                known--;
            }
            return known;
        }).max().orElse(0);
    }

    /** 99.9 % of the normalised completion times of a bin. */
    Sample tail(final int bin) {
        return samples[bin];
    }

    /** By bin. */
    Sample[] tails() {
        return Arrays.copyOf(samples, BINS);
    }

    /** Means of the normalised completion times by bin. */
    Sample[] means() {
        return Arrays.copyOfRange(samples, MEAN, APART);
    }

    /** As {@link #tails()}, of flows that share their destination with no very long one. */
    Sample[] tailsApart() {
        return Arrays.copyOfRange(samples, APART, HELD);
    }

    /** Most cells at a node, by {@link #NODES}. */
    Sample[] held() {
        return Arrays.copyOfRange(samples, HELD, QUEUE);
    }

    /** Longest queue of a node, by {@link #NODES}. */
    Sample[] queues() {
        return Arrays.copyOfRange(samples, QUEUE, DELIVERED);
    }

    /** Cells per node and slot. */
    Sample delivered() {
        return samples[DELIVERED];
    }

    /** Cells cut to their headers over cells that left their source. */
    Sample trimmed() {
        return samples[TRIMMED];
    }

    /**
     * Completion times of flows that share their destination with no very long flow while they last: Shale Appendix
     * B.3. Pure functions; any thread.
     */
    static final class FlowsApart {
        private FlowsApart() {
        }

        /**
         * The bins of those flows.
         *
         * @param longBytes a flow above this is a very long one.
         */
        static List<SizeBin> bins(final ShaleRuns.Loaded run, final long longBytes) {
            final FlowSet flows = run.flows();
            final long[] end = new long[flows.size()];
            Arrays.fill(end, Long.MAX_VALUE);
            final int[] completed = run.outcome().completed();
            for (int i = 0; i < completed.length; i++) {
                end[completed[i]] = run.outcome().completedIn()[i];
            }
            final int[] longOnes = IntStream.range(0, flows.size()).filter(flow ->
                flows.bytes(flow) > longBytes).toArray();
            final int[] apart = IntStream.of(completed)
                .filter(flow -> IntStream.of(longOnes).noneMatch(other -> other != flow
                    && flows.destination(other) == flows.destination(flow)
                    && flows.startSlot(other) <= end[flow] && end[other] >= flows.startSlot(flow)))
                .toArray();
            final int delay = run.summary().result().totals().propagationSlots();
            return SizeBin.tableOf(IntStream.of(apart).mapToLong(flows::bytes).toArray(),
                IntStream.of(apart).mapToDouble(flow -> (end[flow] + 1 - flows.startSlot(flow))
                    / ((double) flows.cells(flow) + delay)).toArray()).bins();
        }
    }
}
