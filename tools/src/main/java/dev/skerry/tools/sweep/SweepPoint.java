package dev.skerry.tools.sweep;

import java.util.List;
import java.util.SortedMap;

/**
 * One run of a sweep. Immutable.
 *
 * @param id      its identity.
 * @param command that runs.
 * @param words   its options.
 * @param typed   its options by name, without the seed.
 * @param seed    of the run.
 */
record SweepPoint(String id, String command, List<String> words, SortedMap<String, String> typed, long seed) {
    /** The same for runs that differ by their seeds alone, which take about the same. */
    String kind() {
        return command + typed;
    }

    /** What the user would type for it. */
    String line() {
        return command + " " + String.join(" ", words);
    }
}
