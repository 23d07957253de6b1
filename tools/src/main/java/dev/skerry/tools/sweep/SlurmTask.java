package dev.skerry.tools.sweep;

import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.JsonValues;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One run as a task of a job array. Immutable.
 *
 * @param point   to run.
 * @param version of the program that is to run it.
 * @param more    options that keep what is done of it, for the next time it is started.
 */
record SlurmTask(SweepPoint point, String version, List<String> more) {
    private static final String SETTINGS = "settings.";

    /** The task as JSON. */
    String json() {
        final Json json = Json.document().put("id", point.id()).put("command", point.command())
            .put("version", version).put("seed", point.seed());
        array(json, "words", point.words());
        array(json, "more", more);
        json.open("settings", '{');
        point.typed().forEach(json::put);
        return json.close('}').close('}').toString();
    }

    private static void array(final Json json, final String name, final List<String> words) {
        json.open(name, '[');
        words.forEach(word -> json.put(null, word));
        json.close(']');
    }

    private static List<String> array(final SortedMap<String, String> all, final String name) {
        final List<String> words = new ArrayList<>();
        for (String word = all.get(name + ".0"); word != null; word = all.get(name + "." + words.size())) {
            words.add(word);
        }
        return words;
    }

    /**
     * Reads what {@link #json} wrote.
     *
     * @throws IllegalArgumentException if it did not.
     */
    static SlurmTask read(final String json) {
        final SortedMap<String, String> all = JsonValues.of(json);
        final SortedMap<String, String> typed = new TreeMap<>();
        all.forEach((name, value) -> {
            if (name.startsWith(SETTINGS)) {
                typed.put(name.substring(SETTINGS.length()), value);
            }
        });
        return new SlurmTask(new SweepPoint(all.get("id"), all.get("command"), array(all, "words"), typed,
            Long.parseLong(all.get("seed"))), all.get("version"), array(all, "more"));
    }
}
