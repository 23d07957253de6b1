package dev.skerry.tools.report;

import dev.skerry.tools.plot.PlotText;
import dev.skerry.tools.report.RunResult.Measure;
import dev.skerry.tools.report.SizeBin.OpenFlows;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The statistics of a run as in the papers (docs/spec/shale.md §10.1), computed once and used by every report.
 * Immutable and thread-safe.
 *
 * @param result results of the run.
 * @param bins normalised completion times by flow size, from the smallest to the largest size seen.
 * @param allFlows the same statistics over all completed flows.
 * @param bufferOccupancy maximum number of cells queued, over the nodes.
 * @param queueLength longest send queue of one neighbour, over the nodes.
 * @param activeBuckets maximum number of active buckets, over the nodes.
 */
public record Summary(RunResult result, List<SizeBin> bins, SizeBin allFlows, Distribution bufferOccupancy,
    Distribution queueLength, Distribution activeBuckets) {

    /** Setting with the mean of a file of flow sizes. */
    public static final String MEAN_FLOW_BYTES = "mean-flow-bytes";
    /** Settings that are derived from others and printed for information. */
    private static final Set<String> NO_OPTIONS = Set.of("payload-bytes", MEAN_FLOW_BYTES);
    /** Counts that have a place in every report, in the order of a page. */
    static final List<String> PLACED = List.of("cellsInjected", "cellsDelivered", "cellsHeld", "cellsDropped",
        "cellsCorrupted", "flowsStarted", "flowsCompleted", "maxQueueLength", "maxBufferOccupancy", "maxActiveBuckets",
        "maxReorderCells", "endpoints");
    /** Version 2: throughput is that of the measured window, and percentiles with too few flows are null. */
    private static final int SCHEMA = 2;
    /** Settings that are texts even if they look like numbers. */
    private static final Set<String> PATHS = Set.of("flows", "faults");
    /** Share of unfinished flows above which the percentiles are not reliable. */
    private static final double FEW = 0.01;
    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9_./:+,=@%-]+");
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cs}\\p{Cn}]");

    /**
     * Computes the statistics. It sorts the flows, which takes some seconds for ten million of them.
     *
     * @param result results of the run.
     * @return its summary.
     */
    public static Summary of(final RunResult result) {
        final SizeBin.Table table = SizeBin.tableOf(result.flows(), result.totals().propagationSlots(),
            result.measured());
        return new Summary(result, table.bins(), table.all(),
            Distribution.of(result.nodes().bufferOccupancy()),
            Distribution.of(result.nodes().queueLength()),
            Distribution.of(result.nodes().activeBuckets()));
    }

    /**
     * Returns the length of a slot.
     *
     * @return nanoseconds; NaN if unknown.
     */
    public double slotNs() {
        return result.terms().wholeSlotNs();
    }

    /** Returns the warnings that a reader needs before using the numbers, one line each. */
    public List<String> warnings() {
        final List<String> warnings = new ArrayList<>();
        final OpenFlows open = allFlows.open();
        if (open.share() > FEW) {
            warnings.add(Numbers.grouped(open.flows()) + " of " + Numbers.counted(allFlows.started(), "flow")
                + (result.measured().warmUpSlots() > 0 ? " that started after the warm-up (" : " (")
                + Numbers.percent(open.share()) + ") did not finish and " + (open.flows() == 1 ? "is" : "are")
                + " excluded from the percentiles"
                + howToFinish());
        }
        final OfferedLoad load = result.measured().load();
        if (result.totals().flowsStarted() == 0) {
            warnings.add("no flow started: " + (result.interrupted() ? "the run was interrupted"
                : setting("flows", "").isEmpty()
                ? "use more --slots" + (load.flows() >= 0 ? " or a higher --load" : "")
                : "no flow of the trace has bytes to send to another node before the run ends"));
        } else if (allFlows.started() == 0 && result.measured().warmUpSlots() > 0) {
            warnings.add(String.format(Locale.ROOT, "no flow started after the warm-up of %,d slots, %s: %s",
                result.measured().warmUpSlots(),
                load.isEmpty() || Double.isNaN(load.delivered()) ? "so nothing is measured"
                : "so there are no completion times", result.interrupted() ? "the run was interrupted"
                : "use a lower --warm-up" + (load.flows() >= 0 ? " or more --slots" : "")));
        } else if (load.isTooShort()) {
            warnings.add("whether the run is steady is not judged: " + load.shortage() + "; "
                + (result.interrupted() ? "the run was interrupted"
                : load.isEmpty() ? "use a lower --warm-up or more --slots" : "use more --slots"));
        }
        unsteady().ifPresent(warnings::add);
        result.events().stream().filter(event -> event.key().equals("flowsWaiting")).forEach(event ->
            warnings.add(event.fact() + " flows did not start: flows that they wait for did not finish"));
        return warnings;
    }

    /** Returns a warning if completion times depend on the length of the run; empty if they do not, as far as known. */
    public Optional<String> unsteady() {
        return result.measured().load().warning(result.terms().guarantee(),
            setting("flows", "").isEmpty() ? "a lower --load" : "a trace that offers less");
    }

    /** Returns the counts that have a sentence. */
    Stream<Measure> counts() {
        return Stream.concat(result.measures().stream(), result.events().stream())
            .filter(measure -> measure.sentence() != null);
    }

    /** Returns advice on how to wait for unfinished flows, or the reason why some of them may never finish. */
    private String howToFinish() {
        final List<String> gone = new ArrayList<>();
        if (result.totals().cellsDropped() > 0) {
            gone.add(Numbers.counted(result.totals().cellsDropped(), "cell")
                + (result.totals().cellsDropped() == 1 ? " was lost" : " were lost"));
        }
        result.events().stream().filter(event -> event.key().equals("flowsFailed")).findFirst().ifPresent(event ->
            gone.add(event.fact() + " flows were abandoned"));
        if (!gone.isEmpty()) {
            return "; " + String.join(" and ", gone) + ", so some may never finish";
        }
        final boolean waited = setting("drain", "").equals("true") || setting("slots", "").equals("0");
        return waited ? "" : "; use " + (setting("flows", "").isEmpty() ? "--drain" : "--slots 0")
            + " to wait for them";
    }

    /**
     * Returns the unit of {@link RunResult.Totals#throughput}.
     *
     * @return for example {@code cells per node and slot}.
     */
    String throughputUnit() {
        return result.terms().channels() > 1 ? "cells per node, slot and channel" : "cells per node and slot";
    }

    /**
     * Returns the latency of a cell from its source to its destination, to the three digits of the histogram.
     *
     * @param percentile 0 to 100.
     * @return slots; NaN if the cells are too few for the percentile.
     */
    public double latencySlots(final double percentile) {
        return SizeBin.carries(result.latency().getTotalCount(), percentile / 100)
            ? result.latency().getValueAtPercentile(percentile) : Double.NaN;
    }

    /**
     * Describes the run in a few words.
     *
     * @return for example {@code Shale, 256 nodes, h = 2, hbh+spray}.
     */
    public String headline() {
        final String typed = setting("fabric", "run");
        final String fabric = !typed.equals("fattree") ? typed
            : setting("leaves", "").isEmpty() ? "fat tree" : "leaf-spine network";
        final String nodes = setting("nodes", Integer.toString(result.totals().endpoints()));
        final StringBuilder line = new StringBuilder(fabric.substring(0, 1).toUpperCase(Locale.ROOT))
            .append(fabric, 1, fabric.length())
            .append(", ").append(nodes).append(nodes.equals("1") ? " node" : " nodes");
        final String h = setting("h", "");
        if (!h.isEmpty()) {
            line.append(", h = ").append(h);
        }
        if (result.terms().channels() > 1) {
            line.append(", ").append(result.terms().channels()).append(" channels");
        }
        for (final String key : List.of("cc", "shoal-rule", "topology", "hosts", "workload")) {
            final String value = setting(key, "");
            if (!value.isEmpty()) {
                line.append(", ").append(value);
            }
        }
        final String mean = setting(MEAN_FLOW_BYTES, "");
        if (!mean.isEmpty()) {
            line.append(" of ").append(Numbers.grouped(Long.parseLong(mean))).append(" bytes on average");
        }
        return line.toString();
    }

    /**
     * Returns the part of the delay that is the serialisation of a cell, as part of a sentence; empty if it is zero.
     */
    String serialisation() {
        final String slots = setting("serialisation-slots", "0");
        return slots.equals("0") ? "" : ", " + slots + " of them on the lane";
    }

    /**
     * Returns the arguments of the command that repeats the run, each an option with its value. A setting of {@code
     * true} becomes an option without value. Settings that are {@code false}, have no value, or are derived from others
     * are omitted.
     *
     * @return the arguments, quoted for a shell if needed.
     */
    public List<String> commandLine() {
        return result.settings().entrySet().stream()
            .filter(entry -> !entry.getValue().isEmpty() && !entry.getValue().equals("false"))
            .filter(entry -> !NO_OPTIONS.contains(entry.getKey()))
            .map(Summary::option)
            .toList();
    }

    /**
     * Returns a setting, with control characters replaced because they could disturb a terminal or a page; the fallback
     * if it is missing or empty.
     */
    String setting(final String key, final String fallback) {
        final String value = result.settings().get(key);
        return value == null || value.isEmpty() ? fallback : clean(value);
    }

    /** Returns the text with a question mark for every control character. */
    static String clean(final String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    private static String option(final Map.Entry<String, String> setting) {
        final String value = clean(setting.getValue());
        final String name = "--" + clean(setting.getKey());
        return value.equals("true") ? name : name + ' ' + word(value);
    }

    /** Returns a text as a word for a shell, quoted if needed. */
    public static String word(final String text) {
        return PLAIN_WORD.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /**
     * Returns the summary as JSON: the documented keys first, then further ones, then every setting under {@code
     * options}, with numbers and booleans as such. A key without a value, such as h of a fabric without phases or a
     * mean of no flows, is {@code null}.
     */
    public String json() {
        final Json json = Json.document(SCHEMA);
        putSettings(json);
        result.measures().forEach(measure -> measure.write(json));
        putMore(json);
        json.open("events", '{');
        result.events().forEach(event -> event.write(json));
        json.close('}');
        json.open("options", '{');
        for (final Map.Entry<String, String> setting : result.settings().entrySet()) {
            if (PATHS.contains(setting.getKey())) {
                json.put(setting.getKey(), setting.getValue());
            } else {
                json.putSetting(setting.getKey(), setting.getValue());
            }
        }
        json.close('}');
        return json.close('}').toString();
    }

    private void putSettings(final Json json) {
        final Map<String, String> settings = result.settings();
        json.put("fabric", settings.get("fabric"))
            .putSetting("nodes", settings.getOrDefault("nodes", Integer.toString(result.totals().endpoints())))
            .putSetting("h", settings.get("h"))
            .put("cc", settings.get("cc"))
            .putSetting("seed", settings.get("seed"));
    }

    private void putMore(final Json json) {
        putBins(json, "normalisedFct", bins, allFlows);
        final Slowdown slowdown = result.measured().slowdown();
        if (slowdown.isMeasured()) {
            putBins(json, "slowdown", slowdown.bins(), slowdown.all());
        } else {
            json.put("slowdown", null);
        }
        putDistribution(json, "bufferOccupancy", bufferOccupancy);
        putDistribution(json, "queueLength", queueLength);
        putDistribution(json, "activeBuckets", activeBuckets);
        json.open("latencySlots", '{');
        for (final double percentile : List.of(50.0, 99.0, 99.9, 100.0)) {
            json.put(percentileName(percentile), latencySlots(percentile));
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
