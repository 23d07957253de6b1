package dev.skerry.tools.report;

import dev.skerry.tools.report.Distribution.Quantiles;
import dev.skerry.tools.report.RunResult.Unfinished;

import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Normalised flow completion times of the flows of one size range, {@code completionSlots / (cells + P)}
 * (docs/spec/shale.md §10.1). They are at least 1.0 if a node sends at most one cell per slot. Without flows, all
 * statistics are NaN.
 *
 * @param fromBytes minimum size of a flow in the bin.
 * @param toBytes   upper bound of the size, exclusive; {@link Long#MAX_VALUE} if there is none.
 * @param flows     number of completed flows in the bin.
 * @param mean      mean.
 * @param p50       median; all quantiles follow the rule of {@link Quantiles}.
 * @param p99       99th percentile.
 * @param p999      99.9th percentile, the "tail" of the papers.
 * @param p9999     99.99th percentile.
 * @param max       maximum.
 * @param open      flows that started and did not complete, and the bounds that result for the percentiles.
 */
public record SizeBin(long fromBytes, long toBytes, long flows, double mean, double p50, double p99, double p999,
    double p9999, double max, OpenFlows open) {

    /** The papers' ten bins, 0 - 4k to 256M - 1G with 1k = 1024, and one for larger flows. */
    static final int BINS = 11;
    private static final long FIRST_EDGE = 4096;
    private static final double MEDIAN = 0.5;
    /** One flow, minus the rounding error of a share. */
    private static final double ONE_FLOW = 1 - 1e-9;

    /**
     * The bins of a result, and the same statistics over all flows.
     *
     * @param bins bins from the smallest size to the largest one that occurred.
     * @param all  bin without bounds.
     */
    public record Table(List<SizeBin> bins, SizeBin all) {
    }

    /**
     * Tells whether the bin has enough flows, complete or not, for a percentile. For example, p99 requires a hundred
     * flows, because a hundredth of them is one flow.
     *
     * @param p percentile, 0 to 1.
     */
    public boolean carries(final double p) {
        return carries(started(), p);
    }

    /**
     * Tells whether there are enough values for a quantile. One value is enough for quantiles up to the median and for
     * the maximum.
     */
    static boolean carries(final long values, final double p) {
        return p <= MEDIAN || p == 1 ? values > 0 : values * (1 - p) >= ONE_FLOW;
    }

    /** Returns a percentile above the median; NaN if there are too few flows for it. */
    public double carried(final double p) {
        return !carries(p) ? Double.NaN : p < 0.995 ? p99 : p < 0.9995 ? p999 : p9999;
    }

    /**
     * Returns this bin without the percentiles for which {@code some} flows are too few, if only these flows were
     * measured.
     */
    SizeBin measuredBy(final long some) {
        return new SizeBin(fromBytes, toBytes, flows, mean, p50, carries(some, 0.99) ? p99 : Double.NaN,
            carries(some, 0.999) ? p999 : Double.NaN, carries(some, 0.9999) ? p9999 : Double.NaN, max,
            open.carriedBy(some));
    }

    /** Returns the number of flows that started, complete or not. */
    public long started() {
        return flows + open.flows();
    }

    /** Returns the name of the bin in one word, for column names: {@code 4k-16k}, {@code 1G-}, {@code all}. */
    public String word() {
        return toBytes == Long.MAX_VALUE ? fromBytes == 0 ? "all" : bytes(fromBytes) + "-"
            : bytes(fromBytes) + "-" + bytes(toBytes);
    }

    /** Returns the words of all bins in order, without {@code all}. */
    public static List<String> words() {
        return IntStream.range(0, BINS).mapToObj(bin -> of(edge(bin), edge(bin + 1), new double[0], new double[0])
            .word()).toList();
    }

    /**
     * Returns a name such as {@code 4k - 16k}.
     *
     * @return the bounds in bytes with 1k = 1024; {@code all flows} if the bin has no bounds.
     */
    public String label() {
        if (toBytes == Long.MAX_VALUE) {
            return fromBytes == 0 ? "all flows" : bytes(fromBytes) + " and more";
        }
        return bytes(fromBytes) + " - " + bytes(toBytes);
    }

    /**
     * Returns the bins from 0 to the largest one that contains a flow, over the completed and unfinished flows that
     * count.
     *
     * @param flows            completed flows.
     * @param propagationSlots propagation delay in slots.
     */
    static Table tableOf(final RunResult.Flows flows, final int propagationSlots, final RunResult.Measured measured) {
        final int[] counted = IntStream.range(0, flows.id().length)
            .filter(i -> flows.startSlot()[i] >= measured.warmUpSlots()).toArray();
        final double[] normalised = Arrays.stream(counted).mapToDouble(i ->
            flows.completionSlots()[i] / ((double) flows.cells()[i] + propagationSlots)).toArray();
        final Unfinished open = measured.unfinished();
        final double[] atLeast = IntStream.range(0, open.cells().length).mapToDouble(i ->
            open.ageSlots()[i] / ((double) open.cells()[i] + propagationSlots)).toArray();
        return tableOf(Arrays.stream(counted).mapToLong(i -> flows.bytes()[i]).toArray(), normalised, open.bytes(),
            atLeast);
    }

    /**
     * Returns bins of values other than normalised completion times.
     *
     * @param bytes bytes of each flow.
     * @param of    value of each flow.
     * @return the bins from 0 to the largest one that contains a flow.
     */
    public static Table tableOf(final long[] bytes, final double[] of) {
        return tableOf(bytes, of, new long[0], new double[0]);
    }

    /** Returns bins of completed flows, and of unfinished flows with lower bounds of their values. */
    public static Table tableOf(final long[] bytes, final double[] of, final long[] openBytes,
        final double[] openAtLeast) {
        final int largest = IntStream.concat(Arrays.stream(bytes).mapToInt(SizeBin::binOf),
            Arrays.stream(openBytes).mapToInt(SizeBin::binOf)).max().orElse(-1);
        return new Table(IntStream.rangeClosed(0, largest).mapToObj(bin -> of(edge(bin), edge(bin + 1),
            inBin(bin, bytes, of), inBin(bin, openBytes, openAtLeast))).toList(),
            of(0, Long.MAX_VALUE, Arrays.stream(of).sorted().toArray(), openAtLeast));
    }

    private static double[] inBin(final int bin, final long[] bytes, final double[] of) {
        return IntStream.range(0, bytes.length).filter(i -> binOf(bytes[i]) == bin).mapToDouble(i -> of[i]).sorted()
            .toArray();
    }

    private static SizeBin of(final long low, final long high, final double[] sorted, final double[] openAtLeast) {
        double sum = 0;
        for (final double value : sorted) {
            sum += value;
        }
        return new SizeBin(low, high, sorted.length, sorted.length == 0 ? Double.NaN : sum / sorted.length,
            Quantiles.of(sorted, 0.5), Quantiles.of(sorted, 0.99), Quantiles.of(sorted, 0.999),
            Quantiles.of(sorted, 0.9999), Quantiles.of(sorted, 1),
            OpenFlows.of(sorted, openAtLeast).carriedBy(sorted.length + openAtLeast.length));
    }

    /** Returns the bin of a size: bin b contains {@code [4^b k, 4^(b+1) k)}; bin 0 also contains all smaller sizes. */
    static int binOf(final long bytes) {
        if (bytes < FIRST_EDGE) {
            return 0;
        }
        final int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
        return Math.min((power - 10) / 2, BINS - 1);
    }

    private static long edge(final int bin) {
        if (bin == 0) {
            return 0;
        }
        return bin == BINS ? Long.MAX_VALUE : FIRST_EDGE << (2 * (bin - 1));
    }

    private static String bytes(final long bytes) {
        final int power = bytes == 0 ? 0 : Long.numberOfTrailingZeros(bytes);
        return switch (power / 10) {
            case 0 -> Long.toString(bytes);
            case 1 -> (bytes >> 10) + "k";
            case 2 -> (bytes >> 20) + "M";
            default -> (bytes >> 30) + "G";
        };
    }

    /**
     * Flows that started and did not complete. They are excluded from the percentiles; the bounds give the range of the
     * percentiles if they were included. Immutable and thread-safe.
     *
     * @param flows number of these flows.
     * @param share their share of all flows that started.
     * @param p50   bounds of the median.
     * @param p99   bounds of the 99th percentile.
     * @param p999  bounds of the 99.9th percentile.
     */
    public record OpenFlows(long flows, double share, Bounds p50, Bounds p99, Bounds p999) {
        /**
         * The range of a percentile of all flows.
         *
         * @param least value if each open flow had completed at the end of the run.
         * @param most value if none of them ever completes; infinite if that makes the percentile infinite.
         */
        public record Bounds(double least, double most) {
            private static final Bounds NONE = new Bounds(Double.NaN, Double.NaN);

            /** Tells whether the open flows have no influence. */
            public boolean isKnown() {
                return least == most;
            }

            private static Bounds of(final double[] least, final double[] most, final double p) {
                final double upper = Quantiles.of(most, p);
                return new Bounds(Quantiles.of(least, p), Double.isNaN(upper) ? Double.POSITIVE_INFINITY : upper);
            }

            private void write(final Json json, final String name) {
                json.put(name + "Least", least).put(name + "Most", most);
            }

            /** Returns a text such as {@code 5.3 to 5.9} or {@code at least 12}. */
            public String text() {
                return isKnown() ? Numbers.plain(least)
                    : most == Double.POSITIVE_INFINITY ? "at least " + Numbers.plain(least)
                    : Numbers.plain(least) + " to " + Numbers.plain(most);
            }
        }

        /** Returns the same flows without the bounds of percentiles for which {@code some} flows are too few. */
        OpenFlows carriedBy(final long some) {
            return new OpenFlows(flows, share, p50, SizeBin.carries(some, 0.99) ? p99 : Bounds.NONE,
                SizeBin.carries(some, 0.999) ? p999 : Bounds.NONE);
        }

        /** Writes the bounds into an open object. */
        public void write(final Json json) {
            p50.write(json, "p50");
            p99.write(json, "p99");
            p999.write(json, "p99.9");
        }

        /**
         * Computes the bounds.
         *
         * @param complete values of the complete flows.
         * @param atLeast lower bounds of the values of the open flows.
         */
        static OpenFlows of(final double[] complete, final double[] atLeast) {
            final double[] least = DoubleStream.concat(Arrays.stream(complete), Arrays.stream(atLeast)).sorted()
                .toArray();
            final double[] sorted = complete.clone();
            Arrays.sort(sorted);
            final double[] most = Arrays.copyOf(sorted, least.length);
            Arrays.fill(most, complete.length, most.length, Double.POSITIVE_INFINITY);
            return new OpenFlows(atLeast.length, least.length == 0 ? 0 : (double) atLeast.length / least.length,
                Bounds.of(least, most, 0.5), Bounds.of(least, most, 0.99), Bounds.of(least, most, 0.999));
        }
    }
}
