package dev.skerry.tools.sweep;

import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.JsonValues;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a sweep keeps for Slurm, in {@code slurm} of its folder: a folder for each job array, by its number, with a file
 * a task, the script, and what tasks print; checkpoints of runs under way; a line for each run that failed. One thread.
 */
final class SlurmFolder {
    private static final String IDS = "ids.txt";
    private static final String SCRIPT = "job.sh";

    private final Path sweep;
    private final Path folder;

    private SlurmFolder(final Path sweep) {
        this.sweep = sweep.toAbsolutePath().normalize();
        this.folder = this.sweep.resolve("slurm");
    }

    /** That of a sweep. */
    static SlurmFolder of(final Path sweep) {
        return new SlurmFolder(sweep);
    }

    /** That of a task's file. */
    static SlurmFolder ofTask(final Path file) {
        return new SlurmFolder(file.toAbsolutePath().normalize().getParent().getParent().getParent());
    }

    /** The folder of the sweep. */
    Path sweep() {
        return sweep;
    }

    /** Whether the sweep ever used Slurm. */
    boolean isThere() {
        return Files.isDirectory(folder);
    }

    /** Where the run of a name writes checkpoints. */
    Path checkpoint(final String id) {
        return folder.resolve("checkpoints").resolve(id);
    }

    /** Where runs keep what is done of them, for whoever runs them next. */
    Path kept() {
        return SweepStore.kept(sweep);
    }

    /** The name of the sweep's jobs: the same for this folder, and for no other. */
    String jobName() {
        return "skerry-" + RunName.text(sweep.toString()).substring(0, 12);
    }

    /**
     * Writes a job array.
     *
     * @param program the words that start a task, but for its file.
     * @param resumes whether the runs write checkpoints.
     * @return its folder; its name is its number.
     */
    Path write(final List<SlurmTask> tasks, final List<String> program, final boolean resumes) throws IOException {
        final Path place = folder.resolve(Integer.toString(arrays().stream().mapToInt(Integer::intValue).max()
            .orElse(0) + 1));
        final Path beside = folder.resolve(".new");
        SweepStore.delete(beside);
        Files.createDirectories(beside);
        final StringBuilder ids = new StringBuilder();
        for (int i = 0; i < tasks.size(); i++) {
            Files.writeString(beside.resolve(i + ".json"), tasks.get(i).json());
            ids.append(tasks.get(i).point().id()).append('\n');
        }
        Files.writeString(beside.resolve(IDS), ids);
        Files.writeString(beside.resolve(SCRIPT), SlurmScript.of(program, place, resumes));
        return Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The script of an array. */
    static Path script(final Path array) {
        return array.resolve(SCRIPT);
    }

    /** Names of the runs of an array, by task; empty if there is no such array. */
    List<String> ids(final String array) throws IOException {
        final Path file = folder.resolve(array).resolve(IDS);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    /** The run of a task. */
    SlurmTask task(final String array, final int index) throws IOException {
        return SlurmTask.read(Files.readString(folder.resolve(array).resolve(index + ".json")));
    }

    /** Numbers of all arrays. */
    List<Integer> arrays() throws IOException {
        final List<Integer> numbers = new ArrayList<>();
        if (isThere()) {
            try (Stream<Path> files = Files.list(folder)) {
                files.map(file -> file.getFileName().toString()).filter(name -> name.matches("[1-9][0-9]{0,8}"))
                    .forEach(name -> numbers.add(Integer.valueOf(name)));
            }
        }
        return numbers;
    }

    /** Says why a run gave no result. */
    void fail(final String id, final String why) throws IOException {
        WholeFile.write(Files.createDirectories(folder.resolve("failures")).resolve(id), why);
    }

    /** Why a run gave no result; null if nothing says so. */
    String failure(final String id) throws IOException {
        final Path file = folder.resolve("failures").resolve(id);
        return Files.exists(file) ? Files.readString(file) : null;
    }

    /** A run is tried again. */
    void forgetFailure(final String id) throws IOException {
        Files.deleteIfExists(folder.resolve("failures").resolve(id));
    }

    /** The script of a job array. Slurm starts it for each task, and again for a task that is queued again. */
    static final class SlurmScript {
        private static final int STOPPED = 75;
        private static final int SIGNALLED = 143;
        /**
         * A shell waits beside the run: the run ends with 75 when it has written a checkpoint, with 143 when it was
         * told to stop before its first slot or after its last. Only a job that Slurm holds to be running is queued
         * again; one that was cancelled, or that Slurm itself queues again, is not.
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
}
