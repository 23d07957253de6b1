package dev.skerry.tools.sweep;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The script of a job array. Slurm starts it for each task, and again for a task that is queued again. */
final class SlurmScript {
    private static final int STOPPED = 75;
    private static final int SIGNALLED = 143;
    /**
     * A shell waits beside the run: the run ends with 75 when it has written a checkpoint, with 143 when it was told to
     * stop before its first slot or after its last. Only a job that Slurm holds to be running is queued again; one that
     * was cancelled, or that Slurm itself queues again, is not.
     */
    private static final String TEXT = """
        #!/bin/sh
        # A run of a sweep, by its place in a job array. Exit code 75: stopped with a checkpoint, and queued again.
        trap 'kill -TERM "$run" 2>/dev/null' TERM
        %s %s &
        run=$!
        wait "$run"
        code=$?
        while kill -0 "$run" 2>/dev/null; do
          wait "$run"
          code=$?
        done
        case $code in
          75 | %d)
            # The id of one of the tasks is also that of the whole array.
            task=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
            if [ "$(squeue --noheader --jobs="$task" --format=%%T)" = RUNNING ]; then
              echo "skerry: stopped with a checkpoint, queued again"
              scontrol requeue "$task"
            fi
            ;;
        esac
        exit "$code"
        """;

    private SlurmScript() {
    }

    /**
     * The text.
     *
     * @param program the words that start a task, but for its file.
     * @param array   the folder of the tasks' files.
     * @param resumes whether the runs write checkpoints, so that a signal at any time loses nothing.
     */
    static String of(final List<String> program, final Path array, final boolean resumes) {
        return String.format(TEXT, program.stream().map(SlurmScript::quoted).collect(Collectors.joining(" ")),
            quoted(array.toString()) + "/\"$SLURM_ARRAY_TASK_ID\".json", resumes ? SIGNALLED : STOPPED);
    }

    private static String quoted(final String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
