package dev.skerry.tools.cosim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** Counts of interesting cases. A case that never occurred is listed with 0. */
final class Coverage {
    private final Map<String, long[]> counts = new LinkedHashMap<>();

    Coverage(final String... cases) {
        for (final String each : cases) {
            counts.put(each, new long[1]);
        }
    }

    /** Adds one to a case if it occurred. */
    void count(final String name, final boolean met) {
        if (met) {
            counts.get(name)[0]++;
        }
    }

    /** Count of a case. */
    long of(final String name) {
        return counts.get(name)[0];
    }

    @Override
    public String toString() {
        final StringJoiner text = new StringJoiner(", ");
        counts.forEach((name, count) -> text.add(name + " " + count[0]));
        return text.toString();
    }
}
