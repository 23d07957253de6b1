package dev.skerry.tools.sweep;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/** A command that a sweep runs, asked before it is run. One thread. */
public interface SweepTarget {
    /** Names of the commands there are. */
    List<String> commands();

    /**
     * The options of one run of a sweep that runs several fabrics: without those that only other fabrics of it have.
     *
     * @param words   options of the run.
     * @param fabrics of the sweep.
     */
    List<String> owned(String command, List<String> words, List<String> fabrics);

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

    /**
     * What a run takes, known before it runs. Immutable.
     *
     * @param heapBytes  on the heap beside those of any run.
     * @param stateBytes off the heap.
     * @param threads    that work at the same time.
     * @param resumes    whether it can write a checkpoint when it is stopped, and go on from it.
     */
    record RunNeeds(long heapBytes, long stateBytes, int threads, boolean resumes) {
        /** A JVM with its code, its heap before the first flow, and the results of a run while they are written. */
        private static final long PROCESS_BYTES = 256L << 20;

        /** A command that knows what its run takes. */
        public interface Known {
            /** What it takes; refuses options as the run does. */
            RunNeeds needs();
        }

        /** Bytes that the process takes at most, about. */
        long bytes() {
            return PROCESS_BYTES + heapBytes + stateBytes;
        }
    }
}
