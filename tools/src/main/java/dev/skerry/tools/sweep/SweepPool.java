package dev.skerry.tools.sweep;

import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepStore.SweepRow;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Runs unfinished points, as many at a time as the limits of jobs and memory allow. One thread; the runs are processes.
 */
final class SweepPool {
    private static final long POLL_MS = 20;

    private final SweepStore store;
    private final String version;
    private final int jobs;
    private final long memory;
    private final ToLongFunction<SweepPoint> bytes;
    private final SweepTarget target;
    private final String child;
    private final List<SweptRun> running = new ArrayList<>();
    private int failed;

    /**
     * Creates a pool.
     *
     * @param jobs   largest number of concurrent processes.
     * @param memory bytes that they may take together.
     * @param bytes  bytes that a run takes.
     * @param target target with the commands.
     * @param child  the class that runs a command until its input ends.
     */
    SweepPool(final SweepStore store, final String version, final int jobs, final long memory,
        final ToLongFunction<SweepPoint> bytes, final SweepTarget target, final String child) {
        this.store = store;
        this.version = version;
        this.jobs = jobs;
        this.memory = memory;
        this.bytes = bytes;
        this.target = target;
        this.child = child;
    }

    /**
     * Runs the points until all have ended or the user stops; then no process is left.
     *
     * @return number of runs that failed.
     */
    int run(final List<SweepPoint> points, final StopSignal stop, final PrintWriter err, final boolean terminal)
        throws IOException, InterruptedException {
        final Deque<SweepPoint> left = new ArrayDeque<>(points);
        left.removeIf(point -> store.has(point.id()));
        final int before = points.size() - left.size();
        final SweepProgress progress = new SweepProgress(err, terminal, points.size(), before, System::nanoTime);
        try {
            while (!stop.requested() && (!left.isEmpty() || !running.isEmpty())) {
                boolean changed = keepSome(err);
                changed |= startSome(left);
                if (changed) {
                    progress.show(points.size() - left.size() - running.size() - failed, running.size(), failed);
                }
                Thread.sleep(POLL_MS);
            }
        } finally {
            running.forEach(SweptRun::kill);
            progress.end();
        }
        return failed;
    }

    private boolean startSome(final Deque<SweepPoint> left) throws IOException {
        boolean some = false;
        while (!left.isEmpty() && running.size() < jobs) {
            final long next = bytes.applyAsLong(left.getFirst());
            if (!running.isEmpty() && running.stream().mapToLong(run -> run.bytes).sum() + next > memory) {
                break;
            }
            final SweepPoint point = left.removeFirst();
            running.add(new SweptRun(point, next, store.begin(point.id()),
                target.keeping(point.command(), store.kept()), child));
            some = true;
        }
        return some;
    }

    private boolean keepSome(final PrintWriter err) throws IOException {
        boolean some = false;
        for (final Iterator<SweptRun> runs = running.iterator(); runs.hasNext();) {
            final SweptRun run = runs.next();
            if (run.isOver()) {
                runs.remove();
                some = true;
                final String failure = run.keep(store, version);
                if (failure != null) {
                    failed++;
                    err.println("skerry: sweep: " + run.point.line() + ": " + failure);
                }
            }
        }
        return some;
    }

    /**
     * An active run: a process with this machine's Java and the options of this process, and its folder. One thread.
     */
    static final class SweptRun {
        static final String RESULT = "result.json";
        static final String LOG = "log.txt";
        private static final int DONE = 0;
        private static final int FOUND = 1;
        private static final int NOT_STEADY = 3;

        private final SweepPoint point;
        /** Bytes that it is estimated to take. */
        private final long bytes;
        private final Path folder;
        private final Process process;

        /**
         * Starts a run. Its input is a pipe to which nothing is written: it ends when this process does.
         *
         * @param more  options in addition to those of the point.
         * @param child the class that runs a command until its input ends.
         */
        private SweptRun(final SweepPoint point, final long bytes, final Path folder, final List<String> more,
            final String child) throws IOException {
            this.point = point;
            this.bytes = bytes;
            this.folder = folder;
            final List<String> words = program(child);
            words.add(point.command());
            words.addAll(point.words());
            words.addAll(more);
            words.addAll(List.of("--json", "--out=" + folder.resolve("files")));
            process = new ProcessBuilder(words).redirectOutput(folder.resolve(RESULT).toFile())
                .redirectError(folder.resolve(LOG).toFile()).start();
        }

        boolean isOver() {
            return !process.isAlive();
        }

        /** Kills the process and waits until it has ended; no result is kept. */
        void kill() {
            process.destroyForcibly();
            process.onExit().join();
        }

        /**
         * Keeps a run that has ended. What a command found is a result too, if it was printed completely.
         *
         * @return null if it is among the finished, else a line with the reason.
         */
        String keep(final SweepStore store, final String version) throws IOException {
            process.getOutputStream().close();
            return keep(store, folder, point, version, process.exitValue());
        }

        /** Keeps the folder of a run that has ended with a code, whoever ran it. */
        static String keep(final SweepStore store, final Path folder, final SweepPoint point, final String version,
            final int code) throws IOException {
            if (code == DONE || code == FOUND || code == NOT_STEADY) {
                try {
                    store.finish(folder, SweepRow.of(point, version, code, Files.readString(folder.resolve(RESULT))));
                    return null;
                } catch (final IllegalArgumentException e) {
                    // It ended before its result was complete; its log contains the reason.
                    assert e != null;
                }
            }
            final List<String> lines = Files.readString(folder.resolve(LOG)).lines().toList();
            OutFolder.deleteAll(folder);
            final String why = "exit code " + code + (lines.isEmpty() ? "" : ": " + lines.getLast()
                .replaceFirst("^skerry: ", ""));
            store.fail(SweepRow.failed(point, version, code, why));
            return why;
        }

        /**
         * Returns the command that starts this program again, with this machine's Java and the options and classes of
         * this process: the words up to and including a main class, to which its arguments are added.
         */
        static List<String> program(final String main, final String... javaOptions) {
            final List<String> words = new ArrayList<>();
            words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X") || option.startsWith("--sun")).forEach(words::add);
            words.addAll(List.of(javaOptions));
            // Tests run on modules, users on a class path.
            final String modules = System.getProperty("jdk.module.path");
            final String classes = System.getProperty("java.class.path");
            words.addAll(List.of("--enable-native-access=ALL-UNNAMED",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp",
                modules == null || modules.isEmpty() ? classes : modules + File.pathSeparator + classes, main));
            return words;
        }
    }

    /** The progress of a sweep: one changing line on a terminal, lines at least a second apart elsewhere. */
    static final class SweepProgress {
        private static final long INTERVAL_NS = 1_000_000_000L;

        private final PrintWriter out;
        private final boolean terminal;
        private final int total;
        private final int before;
        private final LongSupplier clock;
        private final long start;
        private long last;
        private boolean shown;

        SweepProgress(final PrintWriter out, final boolean terminal, final int total, final int before,
            final LongSupplier clock) {
            this.out = out;
            this.terminal = terminal;
            this.total = total;
            this.before = before;
            this.clock = clock;
            this.start = clock.getAsLong();
            this.last = start - INTERVAL_NS;
        }

        /** Shows the progress after a run ended or began. The last line is always written. */
        void show(final int done, final int running, final int failed) {
            final long now = clock.getAsLong();
            if (now - last < INTERVAL_NS && done + failed < total) {
                return;
            }
            last = now;
            shown = true;
            out.print((terminal ? "\r\033[K" : "") + line(done, running, failed, (now - start) / 1e9)
                + (terminal ? "" : System.lineSeparator()));
            out.flush();
        }

        /** Ends the line of a terminal. */
        void end() {
            if (terminal && shown) {
                out.println();
                out.flush();
            }
        }

        /** Returns the text of the line; the remaining time is estimated from the runs that ended since the start. */
        String line(final int done, final int running, final int failed, final double seconds) {
            final int ended = done + failed - before;
            return String.format(Locale.ROOT, "skerry: sweep: %,d of %,d runs done, %d running%s%s", done, total,
                running,
                failed > 0 ? ", " + failed + " failed" : "", ended > 0 && done + failed < total
                    ? String.format(Locale.ROOT, ", %,d s to go", Math.round(seconds / ended * (total - done - failed)))
                    : "");
        }
    }
}
