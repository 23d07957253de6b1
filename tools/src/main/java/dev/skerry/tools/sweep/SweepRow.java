package dev.skerry.tools.sweep;

import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.JsonValues;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One finished run. Immutable.
 *
 * @param id       of the run.
 * @param command  that ran.
 * @param version  of the program.
 * @param seed     of the run.
 * @param settings options as typed, by name.
 * @param figures  results by name; a run with the same identity has the same.
 * @param times    results that differ from one time to the next.
 */
record SweepRow(String id, String command, String version, long seed, SortedMap<String, String> settings,
    SortedMap<String, String> figures, SortedMap<String, String> times) {
    /** Why a run gave no result. */
    static final String FAILURE = "failure";
    private static final String EXIT_CODE = "exitCode";
    /** Of a bin of sizes, what its name says. */
    private static final Set<String> BOUNDS = Set.of("bin", "bytes", "fromBytes", "toBytes");
    private static final Set<String> TIMES = Set.of("wallSeconds", "nodeSlotsPerSecond", "linkSlotsPerSecond",
        "waitedSeconds", "aloneSeconds", "processorSeconds", "memoryBytesPerNode");

    /** The row of a run that has ended with a JSON text on its output. */
    static SweepRow of(final SweepPoint point, final String version, final int exitCode, final String json) {
        final SortedMap<String, String> figures = new TreeMap<>();
        final SortedMap<String, String> times = new TreeMap<>();
        for (final Map.Entry<String, String> value : JsonValues.of(json).entrySet()) {
            final String name = value.getKey();
            final String last = name.substring(name.lastIndexOf('.') + 1);
            if (!name.startsWith("options.") && !BOUNDS.contains(last)) {
                (TIMES.contains(last) ? times : figures)
                    .put(name.replaceFirst("^normalisedFct[.]", "fct."), value.getValue());
            }
        }
        figures.put(EXIT_CODE, Integer.toString(exitCode));
        return new SweepRow(point.id(), point.command(), version, point.seed(), point.typed(), figures, times);
    }

    /** The row of a run that gave no result. */
    static SweepRow failed(final SweepPoint point, final String version, final int exitCode, final String why) {
        return new SweepRow(point.id(), point.command(), version, point.seed(), point.typed(), new TreeMap<>(Map.of(
            EXIT_CODE, Integer.toString(exitCode), FAILURE, why)), new TreeMap<>());
    }

    /** Whether the run gave no result. */
    boolean isFailed() {
        return figures.containsKey(FAILURE);
    }

    /** The values of a result, once for each fabric of a comparison. */
    List<String> each(final String name) {
        return figures.entrySet().stream().filter(figure -> figure.getKey().equals(name)
            || figure.getKey().endsWith("." + name)).map(Map.Entry::getValue).toList();
    }

    /** The row as JSON. */
    String json() {
        final Json json = Json.document().put("id", id).put("command", command)
            .put("version", version).put("seed", seed);
        put(json, "settings", settings);
        put(json, "figures", figures);
        put(json, "times", times);
        return json.close('}').toString();
    }

    private static void put(final Json json, final String name, final Map<String, String> values) {
        json.open(name, '{');
        values.forEach(json::put);
        json.close('}');
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws IllegalArgumentException if it did not.
     */
    static SweepRow read(final String json) {
        final SortedMap<String, String> all = JsonValues.of(json);
        if (!"1".equals(all.get("schema")) || !all.keySet().containsAll(Set.of("id", "command", "version", "seed"))) {
            throw new IllegalArgumentException("no row of a sweep");
        }
        return new SweepRow(all.get("id"), all.get("command"), all.get("version"), Long.parseLong(all.get("seed")),
            part(all, "settings."), part(all, "figures."), part(all, "times."));
    }

    private static SortedMap<String, String> part(final SortedMap<String, String> all, final String prefix) {
        final SortedMap<String, String> part = new TreeMap<>();
        all.subMap(prefix, prefix + Character.MAX_VALUE).forEach((name, value) ->
            part.put(name.substring(prefix.length()), value));
        return part;
    }
}
