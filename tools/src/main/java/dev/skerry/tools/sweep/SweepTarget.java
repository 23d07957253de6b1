package dev.skerry.tools.sweep;

import java.util.List;
import java.util.SortedMap;

/** A command that a sweep runs, asked before it is run. One thread. */
public interface SweepTarget {
    /** Names of the commands there are. */
    List<String> commands();

    /**
     * What a command line means.
     *
     * @param command one of {@link #commands}.
     * @param words   its options.
     * @throws RuntimeException if the command would refuse them: wrong input, or picocli's.
     */
    Resolved resolve(String command, List<String> words);

    /**
     * Checks a command line as the run itself does, its flows included.
     *
     * @return bytes that the process will take at most, about.
     * @throws RuntimeException if the command would refuse it.
     */
    long memoryBytes(String command, List<String> words);

    /**
     * The meaning of a command line.
     *
     * @param typed options as typed, without the seed; names of files stay names.
     * @param all   every option and setting, with the usual values; a file stands there with its content's hash.
     * @param seed  of the run.
     */
    record Resolved(SortedMap<String, String> typed, SortedMap<String, String> all, long seed) {
    }
}
