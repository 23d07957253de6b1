package dev.skerry.tools.live;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Latencies in the final report: since the start, in the last minute and second, as a table and as JSON. */
final class LatencyReport {
    /** Percentiles of every table. */
    static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final double NS_PER_US = 1e3;
    private static final int NAME = 21;

    private LatencyReport() {
    }

    /** The heading of the table. */
    static String heading(final String what) {
        return String.format(Locale.ROOT, "%-25s %5s %9s %9s %9s %9s", what + ", us", "p50", "p90", "p99", "p99.9",
            "max");
    }

    /** A line of the table; empty for an empty histogram. */
    static String line(final String name, final Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return "";
        }
        final StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%-21s",
            name.length() <= NAME ? name : name.substring(0, NAME - 2) + ".."));
        for (final double percentile : PERCENTILES) {
            text.append(String.format(Locale.ROOT, " %,9.1f", histogram.getValueAtPercentile(percentile) / NS_PER_US));
        }
        return text.append(String.format(Locale.ROOT, " %,9.1f", histogram.getMaxValue() / NS_PER_US)).toString();
    }

    /** Percentiles as a JSON object. */
    static String json(final Histogram histogram) {
        final List<String> fields = new ArrayList<>();
        fields.add("\"count\": " + histogram.getTotalCount());
        for (final double percentile : PERCENTILES) {
            fields.add("\"p" + name(percentile) + "\": " + histogram.getValueAtPercentile(percentile));
        }
        fields.add("\"max\": " + histogram.getMaxValue());
        return "{" + String.join(", ", fields) + "}";
    }

    /** The last minute second by second, a JSON array. */
    static String seconds(final LatencyLog log) {
        final List<String> each = new ArrayList<>();
        for (final LatencyLog.OfSecond second : log.seconds()) {
            each.add("{\"second\": " + second.number() + ", \"latencyNs\": " + json(second.latency()) + "}");
        }
        return "[\n    " + String.join(",\n    ", each) + "\n  ]";
    }

    /** A percentile as it is written, 50 or 99.9. */
    static String name(final double percentile) {
        return percentile == (int) percentile ? Integer.toString((int) percentile) : Double.toString(percentile);
    }
}
