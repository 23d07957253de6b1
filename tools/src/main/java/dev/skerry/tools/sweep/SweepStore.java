package dev.skerry.tools.sweep;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepPlan.SweepShard;
import dev.skerry.tools.sweep.SweepPool.SweptRun;
import dev.skerry.tools.sweep.SweepSummary.RunTable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The folder of a sweep: {@code sweep.txt}, which marks it, {@code runs/ID} with a finished run each, {@code tmp} with
 * unfinished runs, {@code failed} with the reasons why runs gave no result. A run appears in {@code runs} by one rename
 * of a folder that is on disk. Any number of shards may use one folder, each of them once; their locks end with their
 * processes. One thread per store.
 */
final class SweepStore implements AutoCloseable {
    static final String ROW = "row.json";
    private static final String OUT = "--out";
    private static final String MARK = "sweep.txt";
    private static final String FIRST_LINE = "skerry sweep, folder format 1";

    private static final String FAILED = "failed";
    private static final String JSON = ".json";

    private final Path folder;
    private final Path runs;
    private final Path under;
    private final FileChannel lock;

    private SweepStore(final Path folder, final Path under, final FileChannel lock) {
        this.folder = folder;
        this.runs = folder.resolve("runs");
        this.under = under;
        this.lock = lock;
    }

    /**
     * Opens a folder for writing, creates it if there is none, and removes what a killed process left behind.
     *
     * @throws InputException if it does not belong to a sweep, is in use, or cannot be written.
     */
    static SweepStore open(final Path folder, final SweepShard shard, final String command) {
        try {
            Choices.refuseIf(Files.exists(folder) && !isSweep(folder) && !(Files.isDirectory(folder)
                && onlyOurs(folder)), OUT, folder, "it exists and is not the folder of a sweep", "choose another one");
            Files.createDirectories(folder.resolve("runs"));
            final Path tmp = Files.createDirectories(folder.resolve("tmp"));
            if (!isSweep(folder)) {
                WholeFile.write(folder.resolve(MARK), FIRST_LINE + "\n" + command + "\n");
            }
            final FileChannel lock = FileChannel.open(tmp.resolve(shard.fileName() + ".lock"),
                StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!locked(lock)) {
                lock.close();
                throw new InputException(OUT, folder.toString(), "another process is running this sweep in it",
                    "wait for it, stop it, or choose another folder");
            }
            if (!commands(folder).contains(command)) {
                // One write at the end of the file: other shards may do the same.
                Files.writeString(folder.resolve(MARK), command + "\n", StandardOpenOption.APPEND);
            }
            final Path under = tmp.resolve(shard.fileName());
            OutFolder.deleteAll(under);
            return new SweepStore(folder, Files.createDirectory(under), lock);
        } catch (final IOException e) {
            throw unwritable(folder, e);
        }
    }

    /** Opens the folder for one run that any machine may repeat; waits for another process that is running it. */
    static SweepStore ofTask(final Path folder, final String id) throws IOException {
        final Path tmp = folder.resolve("tmp");
        final FileChannel lock = FileChannel.open(tmp.resolve(id + ".lock"), StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
        try {
            lock.lock();
            final Path under = tmp.resolve(id);
            OutFolder.deleteAll(under);
            return new SweepStore(folder, Files.createDirectory(under), lock);
        } catch (final IOException e) {
            lock.close();
            throw e;
        }
    }

    private static boolean locked(final FileChannel channel) throws IOException {
        try {
            final FileLock held = channel.tryLock();
            return held != null;
        } catch (final java.nio.channels.OverlappingFileLockException e) {
            return false;
        }
    }

    /** Tells whether the folder contains only what a sweep killed at its start leaves. */
    private static boolean onlyOurs(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                .allMatch(name -> name.equals("runs") || name.equals("tmp") || name.startsWith("." + MARK));
        }
    }

    static boolean isSweep(final Path folder) throws IOException {
        final Path mark = folder.resolve(MARK);
        return Files.isRegularFile(mark) && Files.readString(mark).startsWith(FIRST_LINE);
    }

    /** Tells whether a run is finished. */
    boolean has(final String id) {
        return Files.exists(runs.resolve(id));
    }

    /** Returns the names of all finished runs. */
    Set<String> finished() throws IOException {
        return names(runs);
    }

    /**
     * Returns the names of all finished runs of a folder.
     *
     * @throws InputException if it does not belong to a sweep.
     */
    static Set<String> finished(final Path folder) throws IOException {
        refuseOther(folder);
        return names(folder.resolve("runs"));
    }

    /** Returns the number of runs that processes of this machine, or killed ones, have begun and not finished. */
    static int running(final Path folder) throws IOException {
        int runs = 0;
        for (final String shard : names(folder.resolve("tmp"))) {
            final Path under = folder.resolve("tmp").resolve(shard);
            runs += Files.isDirectory(under) ? names(under).size() : 0;
        }
        return runs;
    }

    private static Set<String> names(final Path place) throws IOException {
        try (Stream<Path> files = Files.list(place)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private static void refuseOther(final Path folder) throws IOException {
        Choices.refuseIf(!isSweep(folder), "sweep", folder, "it is not the folder of a sweep",
            "give the --out of a skerry sweep");
    }

    /** Returns the commands whose runs are in the folder, the first one first; none if that is not known. */
    static List<String> commands(final Path folder) throws IOException {
        return Files.readAllLines(folder.resolve(MARK)).stream().skip(1).toList();
    }

    /** Returns the folder in which runs store partial work for their next start, from any folder. */
    Path kept() {
        return folder.toAbsolutePath().normalize().resolve("kept");
    }

    /** Returns a new folder for a run that begins. */
    Path begin(final String id) throws IOException {
        final Path place = under.resolve(id);
        OutFolder.deleteAll(place);
        return Files.createDirectory(place);
    }

    /** Adds a folder to the finished runs: its files are on disk before its name is. */
    void finish(final Path begun, final SweepRow row) throws IOException {
        Files.writeString(begun.resolve(ROW), row.json());
        final Path log = begun.resolve(SweptRun.LOG);
        if (Files.exists(log)) {
            // The run wrote into a folder that is renamed.
            Files.writeString(log, Files.readString(log).replace(begun.toString(), runs.resolve(row.id()).toString()));
        }
        publish(begun, row.id());
        Files.deleteIfExists(folder.resolve(FAILED).resolve(row.id() + JSON));
    }

    /** Stores the reason why a run gave no result, until it gives one. */
    void fail(final SweepRow row) throws IOException {
        WholeFile.write(Files.createDirectories(folder.resolve(FAILED)).resolve(row.id() + JSON), row.json());
    }

    private void publish(final Path begun, final String id) throws IOException {
        try (Stream<Path> files = Files.walk(begun)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                force(file);
            }
        }
        if (has(id)) {
            OutFolder.deleteAll(begun);
            return;
        }
        Files.move(begun, runs.resolve(id), StandardCopyOption.ATOMIC_MOVE);
        force(runs);
    }

    /** Copies a finished run of another folder, unless it is present. Returns whether it was copied. */
    boolean take(final Path other, final String id) throws IOException {
        if (has(id)) {
            return false;
        }
        final Path begun = begin(id);
        final Path from = other.resolve("runs").resolve(id);
        try (Stream<Path> files = Files.walk(from)) {
            for (final Path file : files.sorted().toList()) {
                Choices.refuseIf(Files.isSymbolicLink(file) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS), "sweep", file, "it is a link or not a "
                        + "file, so it was not copied", "remove it and merge again");
                if (!file.equals(from)) {
                    Files.copy(file, begun.resolve(from.relativize(file).toString()),
                        LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
        publish(begun, id);
        return true;
    }

    /**
     * Returns all finished runs of a folder, in no order.
     *
     * @throws InputException if it does not belong to a sweep, or a row cannot be read.
     */
    static List<SweepRow> rows(final Path folder) {
        final List<SweepRow> rows = all(folder);
        rows.removeIf(SweepRow::isFailed);
        return rows;
    }

    /** Returns all finished runs, and runs without a result. */
    static List<SweepRow> all(final Path folder) {
        final List<SweepRow> rows = new ArrayList<>();
        try {
            refuseOther(folder);
            for (final String run : names(folder.resolve("runs"))) {
                rows.add(row(folder.resolve("runs").resolve(run).resolve(ROW)));
            }
            final Path failed = folder.resolve(FAILED);
            for (final String run : Files.isDirectory(failed) ? names(failed) : Set.<String>of()) {
                if (run.endsWith(JSON)) {
                    rows.add(row(failed.resolve(run)));
                }
            }
        } catch (final IOException e) {
            throw new InputException("sweep", folder.toString(), "it cannot be read (" + e + ")",
                "give the --out of a skerry sweep");
        }
        return rows;
    }

    private static SweepRow row(final Path file) throws IOException {
        try {
            return SweepRow.read(Files.readString(file));
        } catch (final IllegalArgumentException e) {
            throw new InputException("sweep", file.toString(), e.getMessage(), "remove the run and sweep again");
        }
    }

    /** Writes the tables of all runs. */
    void writeTables() throws IOException {
        final RunTable table = new RunTable(all(folder));
        WholeFile.write(folder.resolve("runs.csv"), table.figures());
        WholeFile.write(folder.resolve("times.csv"), table.times());
    }

    /** Forces a file or folder to disk. */
    private static void force(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static InputException unwritable(final Path folder, final IOException e) {
        return InputException.notWritten(OUT, folder, e,
            "choose a folder on a disk with room that you may write to");
    }

    @Override
    public void close() throws IOException {
        OutFolder.deleteAll(under);
        lock.close();
    }

    /**
     * One finished run. Immutable.
     *
     * @param id       id of the run.
     * @param command  command that ran.
     * @param version  version of the program.
     * @param seed     seed of the run.
     * @param settings options as typed, by name.
     * @param figures  results by name; a run with the same identity has the same.
     * @param times    results that differ from one time to the next.
     */
    record SweepRow(String id, String command, String version, long seed, SortedMap<String, String> settings,
        SortedMap<String, String> figures, SortedMap<String, String> times) {
        /** Name of the reason why a run gave no result. */
        static final String FAILURE = "failure";
        private static final String EXIT_CODE = "exitCode";
        /** Values that the name of a bin of sizes contains. */
        private static final Set<String> BOUNDS = Set.of("bin", "bytes", "fromBytes", "toBytes");
        private static final Set<String> TIMES = Set.of("wallSeconds", "nodeSlotsPerSecond", "linkSlotsPerSecond",
            "waitedSeconds", "aloneSeconds", "processorSeconds", "memoryBytesPerNode", "threadsRun");

        /** Returns the row of a run that has ended with a JSON text as its output. */
        static SweepRow of(final SweepPoint point, final String version, final int exitCode, final String json) {
            final SortedMap<String, String> figures = new TreeMap<>();
            final SortedMap<String, String> times = new TreeMap<>();
            for (final Map.Entry<String, String> value : Json.values(json).entrySet()) {
                final String name = value.getKey();
                final String last = name.substring(name.lastIndexOf('.') + 1);
                if (!name.startsWith("options.") && !BOUNDS.contains(last)) {
                    (TIMES.contains(last) ? times : figures)
                        .put(name.replaceFirst("^normalisedFct[.]", "fct."), value.getValue());
                }
            }
            figures.put(EXIT_CODE, Integer.toString(exitCode));
            return new SweepRow(point.id(), point.command(), version, point.seed(), point.typed(), figures, times);
        }

        /** Returns the row of a run that gave no result. */
        static SweepRow failed(final SweepPoint point, final String version, final int exitCode, final String why) {
            return new SweepRow(point.id(), point.command(), version, point.seed(), point.typed(), new TreeMap<>(Map.of(
                EXIT_CODE, Integer.toString(exitCode), FAILURE, why)), new TreeMap<>());
        }

        /** Tells whether the run gave no result. */
        boolean isFailed() {
            return figures.containsKey(FAILURE);
        }

        /** Returns the values of a result, one for each fabric of a comparison. */
        List<String> each(final String name) {
            return figures.entrySet().stream().filter(figure -> figure.getKey().equals(name)
                || figure.getKey().endsWith("." + name)).map(Map.Entry::getValue).toList();
        }

        /** Returns the row as JSON. */
        String json() {
            final Json json = Json.document().put("id", id).put("command", command)
                .put("version", version).put("seed", seed);
            put(json, "settings", settings);
            put(json, "figures", figures);
            put(json, "times", times);
            return json.close('}').toString();
        }

        static void put(final Json json, final String name, final Map<String, String> values) {
            json.open(name, '{');
            values.forEach(json::put);
            json.close('}');
        }

        /**
         * Parses the output of {@link #json}.
         *
         * @throws IllegalArgumentException if the text is something else.
         */
        static SweepRow read(final String json) {
            final SortedMap<String, String> all = Json.values(json);
            if (!"1".equals(all.get("schema")) || !all.keySet()
                .containsAll(Set.of("id", "command", "version", "seed"))) {
                throw new IllegalArgumentException("not a row of a sweep");
            }
            return new SweepRow(all.get("id"), all.get("command"), all.get("version"), Long.parseLong(all.get("seed")),
                part(all, "settings."), part(all, "figures."), part(all, "times."));
        }

        static SortedMap<String, String> part(final SortedMap<String, String> all, final String prefix) {
            final SortedMap<String, String> part = new TreeMap<>();
            all.subMap(prefix, prefix + Character.MAX_VALUE).forEach((name, value) ->
                part.put(name.substring(prefix.length()), value));
            return part;
        }
    }
}
