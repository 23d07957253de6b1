package dev.skerry.tools.sweep;

import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmTask;
import dev.skerry.tools.sweep.SweepPool.SweptRun;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The process of one task of a job array, on any machine where Slurm starts it. It may be started repeatedly; a run
 * that can be resumed then continues. One thread.
 */
public final class SweptTask {
    private static final int NOT_WRITTEN = 1;
    private static final int WRONG_INPUT = 2;
    /** The process ends with another code. */
    private static final int STOPPED = -1;

    private SweptTask() {
    }

    /** Runs a command line. */
    @FunctionalInterface
    public interface Program {
        /**
         * Runs it until it is done or stopped by SIGTERM.
         *
         * @param out   for its result.
         * @param err   for all other output.
         * @param words the command and its options.
         * @return its exit code.
         */
        int run(PrintWriter out, PrintWriter err, String... words);
    }

    /**
     * Runs the run of a file, unless it is finished, and stores its result, or the reason why there is none.
     *
     * @param file file of the task, in the folder of its array.
     * @return the exit code of the process; without effect if a signal ends it.
     */
    public static int run(final Path file, final Program program) throws IOException {
        final SlurmFolder folder = SlurmFolder.ofTask(file);
        final SlurmTask task = SlurmTask.read(Files.readString(file));
        final String id = task.point().id();
        folder.forgetFailure(id);
        if (!task.version().equals(BuildVersion.here())) {
            folder.fail(id, "the program has changed since the run was queued");
            return WRONG_INPUT;
        }
        try (SweepStore store = SweepStore.ofTask(folder.sweep(), id)) {
            if (store.has(id)) {
                return 0;
            }
            final Path place = store.begin(id);
            final int code = execute(task, place, program);
            if (code == STOPPED) {
                return code;
            }
            final String failure = SweptRun.keep(store, place, task.point(), task.version(), code);
            OutFolder.deleteAll(folder.checkpoint(id));
            if (failure != null) {
                folder.fail(id, failure);
                return Math.max(code, 1);
            }
            return 0;
        }
    }

    private static int execute(final SlurmTask task, final Path place, final Program program) throws IOException {
        final List<String> words = new ArrayList<>(task.point().words());
        words.addFirst(task.point().command());
        Collections.addAll(words, "--json", "--out=" + place.resolve("files"));
        words.addAll(task.more());
        try (PrintWriter out = writer(place.resolve(SweptRun.RESULT));
            PrintWriter err = writer(place.resolve(SweptRun.LOG))) {
            final StopSignal stop = StopSignal.listen();
            final int code = program.run(out, err, words.toArray(String[]::new));
            // Closing gives the final state: a run that a signal cut short looks complete to its caller.
            stop.close();
            return stop.requested() ? STOPPED : code == 0 && out.checkError() ? NOT_WRITTEN : code;
        }
    }

    private static PrintWriter writer(final Path file) throws IOException {
        return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), true);
    }
}
