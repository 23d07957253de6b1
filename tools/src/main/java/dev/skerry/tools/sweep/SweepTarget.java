package dev.skerry.tools.sweep;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;

/** Runs commands of a sweep, and describes them before they run. One thread. */
public interface SweepTarget {
    /** Returns the names of the commands. */
    List<String> commands();

    /**
     * Returns the options of one run of a sweep with several fabrics, without those that only other fabrics of it have.
     *
     * @param words   options of the run.
     * @param fabrics fabrics of the sweep.
     */
    List<String> owned(String command, List<String> words, List<String> fabrics);

    /**
     * Returns the meaning of a command line.
     *
     * @param command one of {@link #commands}.
     * @param words   its options.
     * @throws RuntimeException if the command would refuse them: wrong input, or picocli's.
     */
    Resolved resolve(String command, List<String> words);

    /**
     * Checks a command line as the run itself does, including its flows.
     *
     * @return the needs of the process.
     * @throws RuntimeException if the command would refuse it.
     */
    RunNeeds needs(String command, List<String> words);

    /**
     * Runs the first two seconds of a run.
     *
     * @return estimated seconds of the whole run; NaN if there is no estimate.
     */
    double forecastSeconds(String command, List<String> words);

    /**
     * Returns options with which a command stores finished parts of its work, and reuses stored ones.
     *
     * @param folder folder that all runs of the sweep share.
     * @return empty if there are none.
     */
    List<String> keeping(String command, Path folder);

    /**
     * The meaning of a command line.
     *
     * @param typed options as typed, without the seed; names of files stay names.
     * @param all   every option and setting, including defaults; a file is represented by the hash of its content.
     * @param seed  seed of the run.
     */
    record Resolved(SortedMap<String, String> typed, SortedMap<String, String> all, long seed) {
    }

    /**
     * The needs of a run, known before it runs. Immutable.
     *
     * @param heapBytes  bytes on the heap in addition to those of any run.
     * @param stateBytes bytes off the heap.
     * @param threads    number of threads that work at the same time.
     * @param resumes    whether it can write a checkpoint when it is stopped, and resume from it.
     */
    record RunNeeds(long heapBytes, long stateBytes, int threads, boolean resumes) {
        /**
         * Memory of a JVM with its code, its heap before the first flow, and the results of a run while they are
         * written.
         */
        private static final long PROCESS_BYTES = 256L << 20;

        /** A command that can determine the needs of its run. */
        public interface Known {
            /** Returns the needs; refuses options as the run does. */
            RunNeeds needs();
        }

        /** Returns the approximate maximum memory of the process in bytes. */
        long bytes() {
            return PROCESS_BYTES + heapBytes + stateBytes;
        }
    }
}
