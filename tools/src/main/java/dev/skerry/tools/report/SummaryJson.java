package dev.skerry.tools.report;

import dev.skerry.tools.plot.PlotText;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The summary of a run as JSON: the keys of the command line's contract first, then further ones, then every setting
 * under {@code options}, numbers and booleans as such. A key without a value (h of a fabric without phases, a mean of
 * no flows) is {@code null}. Any thread.
 */
public final class SummaryJson {
    /** 2: throughput is that of the measured window, and percentiles that too few flows carry are null. */
    private static final int SCHEMA = 2;
    /** Settings that are texts even if they look like numbers. */
    private static final Set<String> PATHS = Set.of("flows", "faults");

    private SummaryJson() {
    }

    /**
     * Writes the summary.
     *
     * @param summary of the run.
     * @return one JSON object, ending in a line feed.
     */
    public static String of(final Summary summary) {
        final Json json = Json.document(SCHEMA);
        putSettings(json, summary.result());
        summary.result().measures().forEach(measure -> measure.write(json));
        putMore(json, summary);
        json.open("events", '{');
        summary.result().events().forEach(event -> event.write(json));
        json.close('}');
        json.open("options", '{');
        for (final Map.Entry<String, String> setting : summary.result().settings().entrySet()) {
            if (PATHS.contains(setting.getKey())) {
                json.put(setting.getKey(), setting.getValue());
            } else {
                json.putSetting(setting.getKey(), setting.getValue());
            }
        }
        json.close('}');
        return json.close('}').toString();
    }

    private static void putSettings(final Json json, final RunResult result) {
        final Map<String, String> settings = result.settings();
        json.put("fabric", settings.get("fabric"))
            .putSetting("nodes", settings.getOrDefault("nodes", Integer.toString(result.totals().endpoints())))
            .putSetting("h", settings.get("h"))
            .put("cc", settings.get("cc"))
            .putSetting("seed", settings.get("seed"));
    }

    private static void putMore(final Json json, final Summary summary) {
        putBins(json, "normalisedFct", summary.bins(), summary.allFlows());
        final Slowdown slowdown = summary.result().measured().slowdown();
        if (slowdown.isMeasured()) {
            putBins(json, "slowdown", slowdown.bins(), slowdown.all());
        } else {
            json.put("slowdown", null);
        }
        putDistribution(json, "bufferOccupancy", summary.bufferOccupancy());
        putDistribution(json, "queueLength", summary.queueLength());
        putDistribution(json, "activeBuckets", summary.activeBuckets());
        json.open("latencySlots", '{');
        for (final double percentile : List.of(50.0, 99.0, 99.9, 100.0)) {
            json.put(percentileName(percentile), summary.latencySlots(percentile));
        }
        json.close('}');
    }

    private static void putBins(final Json json, final String name, final List<SizeBin> bins, final SizeBin all) {
        json.open(name, '[');
        bins.forEach(bin -> putBin(json, bin));
        putBin(json, all);
        json.close(']');
    }

    private static void putBin(final Json json, final SizeBin bin) {
        json.open(null, '{').put("bin", bin.word()).put("fromBytes", bin.fromBytes());
        if (bin.toBytes() == Long.MAX_VALUE) {
            json.put("toBytes", null);
        } else {
            json.put("toBytes", bin.toBytes());
        }
        json.put("flows", bin.flows()).put("mean", bin.mean()).put("p50", bin.p50())
            .put("p99", bin.carried(0.99)).put("p99.9", bin.carried(0.999)).put("p99.99", bin.carried(0.9999))
            .put("max", bin.max());
        final OpenFlows open = bin.open();
        json.put("unfinished", open.flows()).put("unfinishedShare", open.share());
        open.write(json);
        json.close('}');
    }

    private static void putDistribution(final Json json, final String name, final Distribution distribution) {
        json.open(name, '{').put("mean", distribution.mean());
        for (final double percentile : List.of(50.0, 99.0, 100.0)) {
            json.put(percentileName(percentile), distribution.quantile(percentile / 100));
        }
        json.close('}');
    }

    private static String percentileName(final double percentile) {
        return percentile == 100 ? "max" : "p" + PlotText.tick(percentile);
    }
}
