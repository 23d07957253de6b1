package dev.skerry.tools.sweep;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a column of {@code runs.csv} is, for people.
 *
 * @param words in place of its name.
 * @param unit  empty if the words say it.
 */
record FigureWords(String words, String unit) {
    private static final Pattern OF_BIN = Pattern.compile("(fct|slowdown|completionUs)[.]([^.]+)[.](.+)");
    private static final Pattern OF_FABRIC = Pattern.compile("fabrics[.]([^.]+)[.](.+)");
    private static final Pattern LATENCY = Pattern.compile("latencySlots[.](.+)");
    private static final String SLOT = "cells per node, slot and channel";
    private static final String GBPS = "Gb/s per node";
    private static final String CELLS = "cells";
    private static final Map<String, FigureWords> NAMED = Map.ofEntries(
        Map.entry("throughput", new FigureWords("throughput", SLOT)),
        Map.entry("offeredLoad", new FigureWords("offered load", SLOT)),
        Map.entry("offeredGbpsPerNode", new FigureWords("offered", GBPS)),
        Map.entry("deliveredGbpsPerNode", new FigureWords("delivered", GBPS)),
        Map.entry("deliveredLoad", new FigureWords("delivered load", SLOT)),
        Map.entry("load", new FigureWords("load", SLOT)),
        Map.entry("gigabitsPerSecondPerNode", new FigureWords("payload rate", GBPS)),
        Map.entry("flowsStarted", new FigureWords("flows started", "")),
        Map.entry("flowsCompleted", new FigureWords("flows completed", "")),
        Map.entry("flowsUnfinished", new FigureWords("unfinished flows", "")),
        Map.entry("maxQueueLength", new FigureWords("longest queue", CELLS)),
        Map.entry("maxBufferOccupancy", new FigureWords("largest buffer of a node", CELLS)),
        Map.entry("maxActiveBuckets", new FigureWords("active buckets of a node at most", "")),
        Map.entry("maxReorderCells", new FigureWords("reordering distance at most", CELLS)),
        Map.entry("slots", new FigureWords("slots", "")),
        Map.entry("propagation-ns", new FigureWords("propagation delay", "ns")),
        Map.entry("slot-ns", new FigureWords("slot", "ns")),
        Map.entry("cell-bytes", new FigureWords("cell", "bytes")),
        Map.entry("flow-bytes", new FigureWords("flow", "bytes")),
        Map.entry("h", new FigureWords("h", "phases of the schedule")));

    /** Of a column or a setting; one that is not known keeps its name. */
    static FigureWords of(final String name) {
        final Matcher fabric = OF_FABRIC.matcher(name);
        if (fabric.matches()) {
            final FigureWords of = of(fabric.group(2));
            return new FigureWords(fabric.group(1) + " " + of.words, of.unit);
        }
        final Matcher bin = OF_BIN.matcher(name);
        if (bin.matches()) {
            final String of = (bin.group(1).equals("slowdown") ? "slowdown" : "FCT") + " " + bin.group(3)
                + (bin.group(2).equals("all") ? "" : ", " + bin.group(2));
            return new FigureWords(of, switch (bin.group(1)) {
                case "fct" -> "slots / (cells + P)";
                case "slowdown" -> "times the flow alone";
                default -> "us";
            });
        }
        final Matcher latency = LATENCY.matcher(name);
        return latency.matches() ? new FigureWords("cell latency " + latency.group(1), "slots")
            : NAMED.getOrDefault(name, new FigureWords(name, ""));
    }

    /** Words and unit in one line. */
    String whole() {
        return unit.isEmpty() ? words : words + " (" + unit + ")";
    }
}
