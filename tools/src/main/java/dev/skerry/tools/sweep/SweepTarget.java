package dev.skerry.tools.sweep;

import java.nio.file.Path;
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
     * @return what the process will take.
     * @throws RuntimeException if the command would refuse it.
     */
    RunNeeds needs(String command, List<String> words);

    /**
     * Runs the first two seconds of a run.
     *
     * @return seconds that all of it will take; NaN if nothing tells.
     */
    double forecastSeconds(String command, List<String> words);

    /**
     * Options with which a command keeps parts of its work that are done, and takes from there what is.
     *
     * @param folder that all runs of the sweep share.
     * @return empty if there are none.
     */
    List<String> keeping(String command, Path folder);

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
