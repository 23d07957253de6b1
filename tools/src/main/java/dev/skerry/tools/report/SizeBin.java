package dev.skerry.tools.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Normalised flow completion time of the flows of one size, {@code completionSlots / (cells + P)}, 1.0 at the least
 * (docs/spec/shale.md §10.1). Without flows the statistics are NaN.
 *
 * @param fromBytes smallest flow of the bin.
 * @param toBytes   first size above it; {@link Long#MAX_VALUE} when the bin is open.
 * @param flows     completed flows in the bin.
 * @param mean      mean.
 * @param p50       median, as all quantiles after {@link Quantiles}.
 * @param p99       99th percentile.
 * @param p999      99.9th percentile, the "tail" of the papers.
 * @param p9999     99.99th percentile.
 * @param max       slowest flow.
 */
public record SizeBin(
    long fromBytes,
    long toBytes,
    long flows,
    double mean,
    double p50,
    double p99,
    double p999,
    double p9999,
    double max) {

    /** The papers' ten bins, 0 - 4k to 256M - 1G with 1k = 1024, and an open one above. */
    private static final int BINS = 11;
    private static final long FIRST_EDGE = 4096;

    /**
     * The bins of a result, and the same statistics over all flows.
     *
     * @param bins from the smallest size to the largest one seen.
     * @param all  without bounds.
     */
    public record Table(List<SizeBin> bins, SizeBin all) {
    }

    /**
     * A name such as {@code 4k - 16k}.
     *
     * @return the bounds in bytes with 1k = 1024; {@code all flows} when the bin has no bounds.
     */
    public String label() {
        if (toBytes == Long.MAX_VALUE) {
            return fromBytes == 0 ? "all flows" : bytes(fromBytes) + " and more";
        }
        return bytes(fromBytes) + " - " + bytes(toBytes);
    }

    /**
     * The bins from 0 to the largest one that holds a flow, empty ones between included.
     *
     * @param flows            completed flows.
     * @param propagationSlots P.
     */
    static Table tableOf(final RunResult.Flows flows, final int propagationSlots) {
        final double[] normalised = new double[flows.id().length];
        for (int i = 0; i < normalised.length; i++) {
            normalised[i] = flows.completionSlots()[i] / ((double) flows.cells()[i] + propagationSlots);
        }
        return tableOf(flows.bytes(), normalised);
    }

    /**
     * The same for other values than normalised times.
     *
     * @param bytes of each flow.
     * @param of    its value, by flow.
     * @return the bins from 0 to the largest one that holds a flow, empty ones between included.
     */
    public static Table tableOf(final long[] bytes, final double[] of) {
        final int count = bytes.length;
        final int[] end = new int[BINS];
        for (int i = 0; i < count; i++) {
            end[binOf(bytes[i])]++;
        }
        for (int bin = 1; bin < BINS; bin++) {
            end[bin] += end[bin - 1];
        }
        final int[] next = new int[BINS];
        System.arraycopy(end, 0, next, 1, BINS - 1);
        final double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[next[binOf(bytes[i])]++] = of[i];
        }
        final List<SizeBin> bins = new ArrayList<>();
        int from = 0;
        for (int bin = 0; from < count; bin++) {
            Arrays.sort(values, from, end[bin]);
            bins.add(of(edge(bin), edge(bin + 1), values, from, end[bin]));
            from = end[bin];
        }
        Arrays.sort(values);
        return new Table(List.copyOf(bins), of(0, Long.MAX_VALUE, values, 0, count));
    }

    private static SizeBin of(final long low, final long high, final double[] sorted, final int from, final int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += sorted[i];
        }
        return new SizeBin(low, high, to - from,
            to == from ? Double.NaN : sum / (to - from),
            Quantiles.of(sorted, from, to, 0.5),
            Quantiles.of(sorted, from, to, 0.99),
            Quantiles.of(sorted, from, to, 0.999),
            Quantiles.of(sorted, from, to, 0.9999),
            Quantiles.of(sorted, from, to, 1));
    }

    /** Bin b holds {@code [4^b k, 4^(b+1) k)}, bin 0 also what is smaller. */
    private static int binOf(final long bytes) {
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
}
