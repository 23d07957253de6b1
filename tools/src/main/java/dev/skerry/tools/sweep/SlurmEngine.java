package dev.skerry.tools.sweep;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmTask;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepPool.SweepProgress;
import dev.skerry.tools.sweep.SweepPool.SweptRun;
import dev.skerry.tools.sweep.SweepStore.SweepRow;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs unfinished points as tasks of Slurm's job arrays, and waits for them. Points that are still in Slurm's queue are
 * not submitted again: the queue itself is queried, so nothing is lost if this process is killed. One thread.
 *
 * @param target  commands to run.
 * @param folder  files for Slurm.
 * @param store   store of the sweep.
 * @param options options as typed.
 * @param most    largest number of concurrent tasks of an array; null for Slurm's limit.
 * @param version version of the program.
 * @param child   the class that runs the task of a file.
 */
record SlurmEngine(SweepTarget target, SlurmFolder folder, SweepStore store, SlurmOptions options, Integer most,
    String version, String child) {
    private static final int MIB = 20;
    /** Memory besides heap and state: code, threads, buffers of files. */
    private static final long JVM_BYTES = 384L << MIB;
    private static final long LEAST_HEAP = 256L << MIB;
    private static final long STEP = 128L << MIB;
    /** Slurm accepts 1,001 tasks by default. */
    private static final int ARRAY = 1000;
    private static final Duration LEAST_TIME = Duration.ofMinutes(5);
    private static final Duration UNKNOWN_TIME = Duration.ofHours(1);
    private static final int SLACK = 3;
    private static final int SIGNAL_S = 60;
    private static final long MOST_POLL_MS = 20_000;
    private static final long LEAST_POLL_MS = 500;

    /** The resources that a job array requests. */
    private record Request(long heapMib, long mib, int threads, boolean resumes) {
        static Request of(final RunNeeds needs) {
            final long heap = up(LEAST_HEAP + needs.heapBytes());
            return new Request(heap >> MIB, heap + up(needs.stateBytes() + JVM_BYTES) >> MIB, needs.threads(),
                needs.resumes());
        }

        private static long up(final long bytes) {
            return Math.ceilDiv(bytes, STEP) * STEP;
        }
    }

    /**
     * Submits the runs and, unless the user does not want to wait, waits until all have ended or the user stops; jobs
     * then continue.
     *
     * @param needs needs of each kind of run that is not finished.
     * @return number of runs that failed.
     */
    int run(final List<SweepPoint> points, final Map<String, RunNeeds> needs, final StopSignal stop,
        final PrintWriter err, final boolean terminal) throws IOException, InterruptedException {
        final SlurmWatch watch = new SlurmWatch(folder, store, points);
        final Set<String> left = new HashSet<>(watch.missing.keySet());
        left.removeAll(watch.look(queued()));
        final Map<Request, List<SweepPoint>> groups = new LinkedHashMap<>();
        for (final SweepPoint point : points) {
            if (left.contains(point.id())) {
                folder.forgetFailure(point.id());
                groups.computeIfAbsent(Request.of(needs.get(point.kind())), _ -> new ArrayList<>()).add(point);
            }
        }
        for (final Map.Entry<Request, List<SweepPoint>> group : groups.entrySet()) {
            submit(group.getKey(), group.getValue(), needs, err);
        }
        return options.detached ? 0 : wait(watch, points.size(), stop, err, terminal);
    }

    /** Returns the tasks of the sweep in Slurm before anything is submitted. */
    private List<SlurmClient.Seen> queued() throws InterruptedException {
        try {
            return SlurmClient.tasks(folder.jobName());
        } catch (final IOException e) {
            throw new InputException(SlurmOptions.ENGINE, "slurm", "squeue: " + e.getMessage(),
                "try again when Slurm answers, or use --engine local");
        }
    }

    private int wait(final SlurmWatch watch, final int total, final StopSignal stop, final PrintWriter err,
        final boolean terminal) throws IOException, InterruptedException {
        final SweepProgress progress = new SweepProgress(err, terminal, total, total - watch.missing.size(),
            System::nanoTime);
        final long start = System.nanoTime();
        String silence = null;
        while (!stop.requested()) {
            try {
                watch.look(SlurmClient.tasks(folder.jobName()));
                silence = null;
            } catch (final IOException e) {
                if (silence == null) {
                    err.println("skerry: sweep: Slurm does not answer (" + e.getMessage() + "), waiting for it");
                }
                silence = e.getMessage();
            }
            watch.newFailures().forEach(line -> err.println("skerry: sweep: " + line));
            progress.show(total - watch.missing.size(), watch.running, watch.failures.size());
            if (watch.missing.size() == watch.failures.size()) {
                break;
            }
            final long elapsed = (System.nanoTime() - start) / 1_000_000;
            Thread.sleep(Math.clamp(elapsed / 10, LEAST_POLL_MS, MOST_POLL_MS));
        }
        progress.end();
        if (stop.requested()) {
            err.println("skerry: sweep: its jobs continue in Slurm; scancel --name=" + folder.jobName() + " cancels "
                + "them");
        }
        return watch.failures.size();
    }

    private void submit(final Request request, final List<SweepPoint> points, final Map<String, RunNeeds> needs,
        final PrintWriter err) throws IOException, InterruptedException {
        final Duration time = time(points, needs);
        for (int from = 0; from < points.size(); from += ARRAY) {
            final List<SlurmTask> tasks = points.subList(from, Math.min(points.size(), from + ARRAY)).stream()
                .map(point -> new SlurmTask(point, version, more(request, point))).toList();
            final var array = folder.write(tasks, SweptRun.program(child, "-Xmx" + request.heapMib() + "m"),
                request.resumes());
            final List<String> words = new ArrayList<>(List.of("--job-name=" + folder.jobName(),
                "--comment=" + array.getFileName(),
                "--array=0-" + (tasks.size() - 1) + (most == null ? "" : "%" + most),
                "--mem=" + request.mib() + "M", "--nodes=1", "--ntasks=1", "--cpus-per-task=" + request.threads(),
                "--time=" + time.toMinutes(), "--requeue", "--signal=B:TERM@" + SIGNAL_S, "--open-mode=append",
                "--output=" + array.toString().replace("%", "%%") + "/%a.log"));
            words.addAll(options.more);
            words.add(array.resolve(SlurmFolder.SCRIPT).toString());
            err.printf("skerry: sweep: job %s: %,d runs, %,d MiB, %d processors and %d min each%n",
                SlurmClient.submit(words), tasks.size(), request.mib(), request.threads(), time.toMinutes());
            err.flush();
        }
    }

    private List<String> more(final Request request, final SweepPoint point) {
        final String checkpoint = folder.checkpoint(point.id()).toString();
        return request.resumes() ? List.of("--checkpoint=" + checkpoint, "--resume=" + checkpoint,
            "--checkpoint-every=" + options.every()) : target.keeping(point.command(), store.kept());
    }

    /** Returns the given time limit; else one forecast by a probe of the run that takes most memory. */
    private Duration time(final List<SweepPoint> points, final Map<String, RunNeeds> needs) {
        final Duration limit = options.limit();
        if (limit != null) {
            return limit.plusSeconds(59);
        }
        final Map<String, SweepPoint> kinds = new HashMap<>();
        points.forEach(point -> kinds.put(point.kind(), point));
        final SweepPoint largest = kinds.values().stream().max((one, other) ->
            Long.compare(needs.get(one.kind()).bytes(), needs.get(other.kind()).bytes())).orElseThrow();
        final double seconds = target.forecastSeconds(largest.command(), largest.words());
        final Duration wanted = Double.isNaN(seconds) ? UNKNOWN_TIME
            : LEAST_TIME.plusSeconds((long) Math.min(SLACK * seconds, 1e9));
        return wanted.plusSeconds(59);
    }

    /** Tracks runs that are in Slurm, by its queue and by the content of the folder. One thread. */
    private static final class SlurmWatch {
        /** Number of checks after which a run whose job has ended without a result in the folder is abandoned. */
        private static final int LOOKS = 3;

        private final SlurmFolder folder;
        private final SweepStore store;
        /** Runs that are not finished, including failed ones, by name. */
        private final Map<String, SweepPoint> missing = new LinkedHashMap<>();
        private final Map<String, List<String>> arrays = new HashMap<>();
        private final Map<String, Integer> endedFor = new HashMap<>();
        private final Map<String, String> failures = new LinkedHashMap<>();
        private final List<String> messages = new ArrayList<>();
        private int running;

        SlurmWatch(final SlurmFolder folder, final SweepStore store, final List<SweepPoint> points) throws IOException {
            this.folder = folder;
            this.store = store;
            points.forEach(point -> missing.put(point.id(), point));
            missing.keySet().removeAll(store.finished());
        }

        /** Returns lines about runs that failed since the last call. */
        List<String> newFailures() {
            final List<String> lines = List.copyOf(messages);
            messages.clear();
            return lines;
        }

        /**
         * Checks the state once.
         *
         * @param tasks tasks of the sweep in Slurm, queried just before.
         * @return names of runs that wait or run in Slurm.
         * @throws IOException if the folder cannot be read.
         */
        Set<String> look(final List<SlurmClient.Seen> tasks) throws IOException {
            // Read after the queue: results of jobs that the queue shows as ended are already on disk.
            missing.keySet().removeAll(store.finished());
            final Set<String> alive = new HashSet<>();
            final Map<String, String> ended = new HashMap<>();
            running = 0;
            for (final SlurmClient.Seen task : tasks) {
                final String id = id(task);
                if (!task.isOver()) {
                    alive.add(id);
                    running += task.isRunning() ? 1 : 0;
                } else {
                    ended.put(id, task.state() + (task.reason().equals("None") ? "" : ", " + task.reason()));
                }
            }
            for (final Map.Entry<String, SweepPoint> run : missing.entrySet()) {
                judge(run.getKey(), run.getValue(), alive, ended);
            }
            return alive;
        }

        private void judge(final String id, final SweepPoint point, final Set<String> alive,
            final Map<String, String> ended) throws IOException {
            if (alive.contains(id)) {
                endedFor.remove(id);
                failures.remove(id);
            } else if (endedFor.merge(id, 1, Integer::sum) >= LOOKS && !failures.containsKey(id)) {
                final String said = folder.failure(id);
                failures.put(id, said != null ? said : "Slurm: " + ended.getOrDefault(id, "its job is gone"));
                messages.add(point.line() + ": " + failures.get(id));
            }
        }

        private String id(final SlurmClient.Seen task) throws IOException {
            List<String> ids = arrays.get(task.array());
            if (ids == null) {
                ids = folder.ids(task.array());
                arrays.put(task.array(), ids);
            }
            return task.index() < ids.size() ? ids.get(task.index()) : "";
        }
    }

    /** Calls Slurm's programs sbatch and squeue. One thread. */
    static final class SlurmClient {
        private static final long PATIENCE_S = 120;
        private static final int FIELDS = 6;
        private static final Set<String> OVER = Set.of("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED",
            "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT");

        private SlurmClient() {
        }

        /**
         * A task of a job array as Slurm reports it.
         *
         * @param array  the number of the array in the sweep's folder.
         * @param index  index of the task.
         * @param state  state as Slurm names it.
         * @param reason reason why it waits, or why it ended.
         * @param node   node that runs it; empty if none does.
         */
        record Seen(String array, int index, String state, String reason, String node) {
            boolean isOver() {
                return OVER.contains(state);
            }

            boolean isRunning() {
                return state.equals("RUNNING") || state.equals("COMPLETING");
            }
        }

        /**
         * Submits a job.
         *
         * @return its number.
         * @throws InputException if Slurm refuses it.
         */
        static String submit(final List<String> options) throws InterruptedException {
            final List<String> words = new ArrayList<>(List.of("sbatch", "--parsable"));
            words.addAll(options);
            try {
                return call(words).strip().replaceFirst(";.*", "");
            } catch (final IOException e) {
                throw new InputException(SlurmOptions.ENGINE, "slurm", "sbatch: " + e.getMessage(),
                    "see the options of sbatch that --sbatch gives, or use --engine local");
            }
        }

        /**
         * Returns the tasks of all jobs of a name; Slurm shows ended ones for some minutes.
         *
         * @throws IOException if Slurm does not answer.
         */
        static List<Seen> tasks(final String jobName) throws IOException, InterruptedException {
            final List<Seen> tasks = new ArrayList<>();
            for (final String line
                : call(List.of("squeue", "--noheader", "--array", "--states=all", "--name=" + jobName,
                "--format=%k|%K|%T|%r|%N|%F")).lines().toList()) {
                final String[] parts = line.strip().split("\\|", -1);
                if (parts.length == FIELDS && parts[1].matches("[0-9]{1,9}")) {
                    tasks.add(new Seen(parts[0], Integer.parseInt(parts[1]), parts[2], parts[3], parts[4]));
                }
            }
            return tasks;
        }

        /** Returns the output of a program. */
        private static String call(final List<String> words) throws IOException, InterruptedException {
            final Process process = new ProcessBuilder(words).start();
            try {
                process.getOutputStream().close();
                final CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> text(process, true));
                final CompletableFuture<String> out = CompletableFuture.supplyAsync(() -> text(process, false));
                if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                    throw new IOException(words.getFirst() + " did not answer within " + PATIENCE_S + " s");
                }
                if (process.exitValue() != 0) {
                    throw new IOException(Arrays.stream(errors.join().split("\\R")).filter(line -> !line.isBlank())
                        .reduce((_, last) -> last).orElse("exit code " + process.exitValue())
                        .replaceFirst("^\\w+: (error: )?", ""));
                }
                return out.join();
            } finally {
                process.destroyForcibly();
            }
        }

        private static String text(final Process process, final boolean errors) {
            try (var in = errors ? process.getErrorStream() : process.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (final IOException e) {
                return "";
            }
        }
    }

    /**
     * Files of a sweep for Slurm, in {@code slurm} of its folder: a folder for each job array, by its number, with a
     * file for each task, the script, and the output of tasks; checkpoints of unfinished runs; a line for each run that
     * failed. One thread.
     */
    static final class SlurmFolder {
        private static final String IDS = "ids.txt";
        private static final String SCRIPT = "job.sh";
        private static final int STOPPED = 75;
        private static final int SIGNALLED = 143;

        private final Path sweep;
        private final Path folder;

        /** Creates the object for a sweep. */
        SlurmFolder(final Path sweep) {
            this.sweep = sweep.toAbsolutePath().normalize();
            this.folder = this.sweep.resolve("slurm");
        }

        /** Returns the object for a task's file. */
        static SlurmFolder ofTask(final Path file) {
            return new SlurmFolder(file.toAbsolutePath().normalize().getParent().getParent().getParent());
        }

        /** Returns the folder of the sweep. */
        Path sweep() {
            return sweep;
        }

        /** Tells whether the sweep ever used Slurm. */
        boolean isThere() {
            return Files.isDirectory(folder);
        }

        /** Returns the folder for checkpoints of the run of a name. */
        Path checkpoint(final String id) {
            return folder.resolve("checkpoints").resolve(id);
        }

        /** Returns the name of the sweep's jobs, which is unique to this folder. */
        String jobName() {
            return "skerry-" + RunName.text(sweep.toString()).substring(0, 12);
        }

        /**
         * Writes a job array.
         *
         * @param program the words that start a task, without its file.
         * @param resumes whether the runs write checkpoints.
         * @return its folder; its name is its number.
         */
        Path write(final List<SlurmTask> tasks, final List<String> program, final boolean resumes) throws IOException {
            final Path place = folder.resolve(Integer.toString(arrays().stream().mapToInt(Integer::intValue).max()
                .orElse(0) + 1));
            final Path beside = folder.resolve(".new");
            OutFolder.deleteAll(beside);
            Files.createDirectories(beside);
            final StringBuilder ids = new StringBuilder();
            for (int i = 0; i < tasks.size(); i++) {
                Files.writeString(beside.resolve(i + ".json"), tasks.get(i).json());
                ids.append(tasks.get(i).point().id()).append('\n');
            }
            Files.writeString(beside.resolve(IDS), ids);
            Files.writeString(beside.resolve(SCRIPT), script(program, place, resumes));
            return Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
        }

        /**
         * Returns the script of a job array, which Slurm starts for each task, and again for a requeued task. A shell
         * waits for the run: the run ends with 75 when it has written a checkpoint, with 143 when it was stopped before
         * its first slot or after its last. Only a job that Slurm considers running is requeued; one that was
         * cancelled, or that Slurm itself requeues, is not.
         *
         * @param resumes whether runs write checkpoints: then a signal at any time loses nothing.
         */
        static String script(final List<String> program, final Path array, final boolean resumes) {
            return String.format(PlotFigure.resource(SlurmEngine.class, SCRIPT),
                program.stream().map(SlurmFolder::quoted).collect(Collectors.joining(" ")), quoted(array.toString()),
                resumes ? SIGNALLED : STOPPED);
        }

        private static String quoted(final String word) {
            return "'" + word.replace("'", "'\\''") + "'";
        }

        /** Returns the names of the runs of an array, by task; empty if there is no such array. */
        List<String> ids(final String array) throws IOException {
            final Path file = folder.resolve(array).resolve(IDS);
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        }

        /** Returns the run of a task. */
        SlurmTask task(final String array, final int index) throws IOException {
            return SlurmTask.read(Files.readString(folder.resolve(array).resolve(index + ".json")));
        }

        /** Returns the numbers of all arrays. */
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

        /** Stores the reason why a run gave no result. */
        void fail(final String id, final String why) throws IOException {
            WholeFile.write(Files.createDirectories(folder.resolve("failures")).resolve(id), why);
        }

        /** Returns the reason why a run gave no result; null if none is stored. */
        String failure(final String id) throws IOException {
            final Path file = folder.resolve("failures").resolve(id);
            return Files.exists(file) ? Files.readString(file) : null;
        }

        /** Removes the failure of a run before another attempt. */
        void forgetFailure(final String id) throws IOException {
            Files.deleteIfExists(folder.resolve("failures").resolve(id));
        }

        /**
         * One run as a task of a job array. Immutable.
         *
         * @param point   the run.
         * @param version version of the program that is to run it.
         * @param more    options that preserve its progress for the next start.
         */
        record SlurmTask(SweepPoint point, String version, List<String> more) {
            /** Returns the task as JSON. */
            String json() {
                final Json json = Json.document().put("id", point.id()).put("command", point.command())
                    .put("version", version).put("seed", point.seed());
                array(json, "words", point.words());
                array(json, "more", more);
                SweepRow.put(json, "settings", point.typed());
                return json.close('}').toString();
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
             * Parses the output of {@link #json}.
             *
             * @throws IllegalArgumentException if the text is something else.
             */
            static SlurmTask read(final String json) {
                final SortedMap<String, String> all = Json.values(json);
                return new SlurmTask(new SweepPoint(all.get("id"), all.get("command"), array(all, "words"),
                    SweepRow.part(all, "settings."), Long.parseLong(all.get("seed"))), all.get("version"),
                    array(all, "more"));
            }
        }
    }

    /** Where a sweep runs, and its requests to Slurm. */
    static final class SlurmOptions {
        static final String ENGINE = "--engine";
        private static final String LOCAL = "local";
        private static final String SLURM = "slurm";

        @Option(names = ENGINE, paramLabel = "local|slurm", defaultValue = LOCAL,
            description = "Where to execute runs. local: as processes on this machine; slurm: as job arrays "
                + "submitted with sbatch. All machines of Slurm must see the folder of the sweep and the program at "
                + "the same paths. The option --engine of run is set with --set engine=reference (default: local).")
        String engine;

        @Option(names = "--time", paramLabel = "T",
            description = "Slurm: time limit of a run, for example 30min or 4h. A run that can be resumed writes a "
                + "checkpoint one minute earlier and is queued again (default: three times the forecast of a "
                + "two-second probe, plus 5min).")
        String time;

        @Option(names = "--checkpoint-every", paramLabel = "T",
            description = "Slurm: how often runs write a checkpoint, in case a machine is lost (default: 10min).")
        String every;

        @Option(names = "--sbatch", paramLabel = "OPTION",
            description = "Slurm: additional option of sbatch, for example --sbatch=--partition=long. Can be given "
                + "several times.")
        List<String> more = new ArrayList<>();

        @Option(names = "--detach", description = "Slurm: do not wait for the runs; see sweep status.")
        boolean detached;

        /** Tells whether runs go to Slurm; refuses options that do not apply to where they run. */
        boolean isSlurm(final String memory) {
            if (engine.equals(SLURM)) {
                Choices.refuse("--memory", memory, "each run requests its own memory from Slurm", "leave it out");
                limit();
                seconds("--checkpoint-every", every());
                return true;
            }
            Choices.refuseIf(!engine.equals(LOCAL), ENGINE, engine, "there is no such choice", "use local or slurm; "
                + "--set engine=" + engine + " sets the option of the runs");
            Choices.refuse("--time", time, "local runs have no time limit", "leave it out or add --engine slurm");
            Choices.refuse("--checkpoint-every", every, "local runs write no checkpoints",
                "leave it out or add --engine slurm");
            Choices.refuse("--sbatch", more.isEmpty() ? null : more.getFirst(), "this machine runs the sweep",
                "leave it out or add --engine slurm");
            Choices.refuse("--detach", detached ? "" : null, "local runs end with the sweep",
                "leave it out or add --engine slurm");
            return false;
        }

        /** Returns the given time limit; null if a probe has to find it. */
        Duration limit() {
            return time == null ? null : seconds("--time", time);
        }

        /** Returns the time between two checkpoints of a run, as {@code run} parses it. */
        String every() {
            return every == null ? "10min" : every;
        }

        private static Duration seconds(final String option, final String typed) {
            final Duration time = Choices.time(typed);
            Choices.refuseIf(time == null, option, typed, "it is not a time",
                "give a number and s, min or h, for example 30min");
            return time;
        }
    }
}
