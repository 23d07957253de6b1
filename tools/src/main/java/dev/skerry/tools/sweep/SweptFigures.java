package dev.skerry.tools.sweep;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The results of a sweep, for whoever reckons with them. Any thread may call. */
public final class SweptFigures {
    private SweptFigures() {
    }

    /**
     * All that is known of each finished run of a folder: results by name, times among them, settings as
     * {@code set.NAME}; in no order.
     *
     * @throws dev.skerry.tools.input.InputException if it is no sweep's folder.
     */
    public static List<Map<String, String>> of(final Path folder) {
        return SweepStore.rows(folder).stream().map(SweptFigures::all).toList();
    }

    private static Map<String, String> all(final SweepRow row) {
        final SortedMap<String, String> all = new TreeMap<>(row.figures());
        all.putAll(row.times());
        row.settings().forEach((name, value) -> all.put("set." + name, value));
        return all;
    }
}
