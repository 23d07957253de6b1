package dev.skerry.tools.sweep;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmTask;
import dev.skerry.tools.sweep.SweepPlan.SweepGrid;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepPlan.SweepShard;
import dev.skerry.tools.sweep.SweepReportCommand.SweepPlots;
import dev.skerry.tools.sweep.SweepStore.SweepRow;
import dev.skerry.tools.sweep.SweepSummary.RunTable;
import dev.skerry.tools.sweep.SweepSummary.StudentT;
import dev.skerry.tools.sweep.SweepSummary.SweepHealth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Grids, seeds, shards, identities, the folder, and means; tasks of a job array, their script, folder and process,
 * beside commands that answer as Slurm does ({@code .ci/slurm} has a real one).
 */
final class SweepPartsTest {
    private static final String RESULT = "{\"throughput\": 0.5}";

    @TempDir
    private Path folder;

    @Test
    void shouldExpandAGridWithBothEnds() {
        final SweepGrid grid = SweepGrid.of(List.of("load=0.1:0.9:0.1", "tokens=1,2,4"));
        final List<Map<String, String>> points = grid.points();
        assertEquals(27, points.size());
        assertEquals(Map.of("load", "0.1", "tokens", "1"), points.getFirst());
        assertEquals(Map.of("load", "0.1", "tokens", "2"), points.get(1));
        assertEquals(Map.of("load", "0.9", "tokens", "4"), points.getLast());
        assertEquals(List.of("8", "6", "4"), values("x=8:4:-2"));
        assertEquals(List.of("2:0.5,4:0.5", "2:1"), values("interleave=2:0.5,4:0.5;2:1"));
        assertEquals(List.of("file:a.csv"), values("workload=file:a.csv"));
        assertEquals(List.of(Map.of()), SweepGrid.of(List.of()).points());
    }

    private static List<String> values(final String text) {
        return SweepGrid.of(List.of(text)).points().stream().map(point -> point.values().iterator().next()).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "load | not NAME=VALUES",
        "load= | a value is missing",
        "load=1,,2 | a value is missing",
        "load=; | the grid is empty",
        "load=0.1:0.9:0 | never ends",
        "load=0.1:0.9:-0.1 | never ends",
        "load=0.1:0.9 | is not a range",
        "load=0:1:1e-9 | more than 1000000 values",
        "load=1,1.0:2:1 | is listed twice",
        "seed=1,2 | use --seeds",
        "out=a,b | does not vary"})
    void shouldRefuseWhatIsNoGrid(final String text, final String why) {
        final InputException wrong = assertThrows(InputException.class, () -> SweepGrid.of(List.of(text)));
        assertTrue(wrong.getMessage().contains(why), wrong.getMessage());
    }

    @Test
    void shouldReadSeedsAndShards() {
        assertEquals(List.of(1L, 3L, 7L, 8L, 9L), SweepCommand.seeds("1,3,7-9"));
        assertEquals(List.of(-2L, -1L), SweepCommand.seeds("-2--1"));
        for (final String wrong : List.of("", "a", "5-1", "1,1", "1-9999999", "1-", "1,")) {
            assertThrows(InputException.class, () -> SweepCommand.seeds(wrong), wrong);
        }
        for (final String wrong : List.of("0/2", "3/2", "1", "1/0", "a/b")) {
            assertThrows(InputException.class, () -> SweepShard.of(wrong), wrong);
        }
        final List<Integer> all = new ArrayList<>();
        for (int part = 1; part <= 3; part++) {
            for (int place = 0; place < 10; place++) {
                if (SweepShard.of(part + "/3").has(place)) {
                    all.add(place);
                }
            }
        }
        assertEquals(10, all.stream().distinct().count());
        assertEquals(10, all.size());
    }

    @Test
    void shouldTellRunsApartByAllThatDecidesThem() throws IOException {
        final TreeMap<String, String> all = new TreeMap<>(Map.of("--load", "0.1", "--seed", "1"));
        final String id = RunName.of("v", "run", all);
        assertEquals(id, RunName.of("v", "run", new TreeMap<>(Map.of("--seed", "1", "--load", "0.1"))));
        assertNotEquals(id, RunName.of("w", "run", all));
        assertNotEquals(id, RunName.of("v", "compare", all));
        assertNotEquals(id, RunName.of("v", "run", new TreeMap<>(Map.of("--load", "0.1", "--seed", "2"))));
        assertNotEquals(RunName.of("v", "run", new TreeMap<>(Map.of("a", "bc"))),
            RunName.of("v", "run", new TreeMap<>(Map.of("ab", "c"))));
        final Path file = Files.writeString(folder.resolve("a"), "1,0,1,244,0\n");
        final String content = RunName.content(file);
        assertNotEquals(content, RunName.content(Files.writeString(file, "1,0,1,245,0\n")));
        assertEquals(BuildVersion.here(), BuildVersion.here());
    }

    @Test
    void shouldKeepFinishedRunsOnlyAndSweepUpTheRest() throws IOException {
        final SweepRow row = SweepRow.of(new SweepPoint("id", "run", List.of(), new TreeMap<>(Map.of("load", "0.1")),
            7), "v", 0, "{\"throughput\": 0.5, \"wallSeconds\": 3.1, \"a\": {\"b\": [1, null, {\"c\": \"x\\\"y\"}]}, "
            + "\"options\": {\"load\": \"0.1\"}}");
        assertEquals(Map.of("throughput", "0.5", "a.b.0", "1", "a.b.2.c", "x\"y", "exitCode", "0"), row.figures());
        assertEquals(Map.of("wallSeconds", "3.1"), row.times());
        assertEquals(row, SweepRow.read(row.json()));
        final Path place = folder.resolve("sweep");
        try (SweepStore store = SweepStore.open(place, SweepShard.of(null), "command")) {
            final Path begun = store.begin("id");
            assertFalse(store.has("id"));
            store.finish(begun, row);
            assertTrue(store.has("id"));
            assertThrows(InputException.class, () -> SweepStore.open(place, SweepShard.of(null), "command"));
            Files.writeString(store.begin("killed").resolve("half"), "a");
        }
        Files.createDirectories(place.resolve("tmp").resolve("1of1").resolve("left"));
        try (SweepStore store = SweepStore.open(place, SweepShard.of(null), "command")) {
            assertTrue(store.has("id"));
            assertFalse(store.has("killed"));
            assertFalse(Files.exists(place.resolve("tmp").resolve("1of1").resolve("left")));
        }
        assertEquals(List.of(row), SweepStore.rows(place));
        Files.writeString(folder.resolve("mine"), "not a sweep's");
        assertThrows(InputException.class, () -> SweepStore.open(folder, SweepShard.of(null), "command"));
    }

    private static SweepRow row(final long seed, final String json) {
        return SweepRow.of(new SweepPoint("id" + seed, "run", List.of(), new TreeMap<>(Map.of("load", "0.1")), seed),
            "v", 0, json);
    }

    /** A run that reached larger sizes has more bins; a column is the same bin in all runs, whatever there was. */
    @Test
    void shouldNameBinsBySizeNotByPlace() {
        final SweepRow few = row(1, "{\"normalisedFct\": [{\"bin\": \"0-4k\", \"fromBytes\": 0, \"mean\": 2.0}, "
            + "{\"bin\": \"all\", \"mean\": 3.0}]}");
        final SweepRow more = row(2, "{\"normalisedFct\": [{\"bin\": \"0-4k\", \"mean\": 4.0}, "
            + "{\"bin\": \"4k-16k\", \"mean\": 9.0}, {\"bin\": \"all\", \"mean\": 5.0}]}");
        assertEquals(Map.of("fct.0-4k.mean", "2.0", "fct.all.mean", "3.0", "exitCode", "0"), few.figures());
        assertEquals(4.0, SweepSummary.mean(List.of(few, more), "fct.all.mean").mean());
        assertEquals(1, SweepSummary.mean(List.of(few, more), "fct.4k-16k.mean").runs());
        final List<String> heads = List.of(new RunTable(List.of(few)).figures().lines().findFirst().orElseThrow()
            .split(","));
        assertTrue(heads.containsAll(List.of("fct.0-4k.mean", "fct.1M-4M.mean", "fct.1G-.mean", "fct.all.mean")),
            heads::toString);
        assertEquals(heads, List.of(new RunTable(List.of(more)).figures().lines().findFirst().orElseThrow()
            .split(",")));
    }

    @Test
    void shouldCountRunsThatAreNotToBeTrusted() {
        final SweepRow sound = row(1, "{\"steady\": true, \"saturated\": false, \"flowsStarted\": 10, "
            + "\"flowsCompleted\": 10}");
        final SweepRow cut = row(2, "{\"steady\": false, \"saturated\": true, \"flowsStarted\": 10, "
            + "\"flowsCompleted\": 8}");
        final SweepRow short1 = row(3, "{\"steady\": null, \"flowsStarted\": 4, \"flowsCompleted\": 4}");
        final SweepRow failed = SweepRow.failed(new SweepPoint("f", "run", List.of(), new TreeMap<>(), 4), "v", 2,
            "wrong");
        final SweepHealth health = SweepHealth.of(List.of(sound, cut, short1, failed));
        assertEquals(new SweepHealth(3, 1, 1, 1, 1, 1, 1, health.worst(), 1), health);
        assertEquals(0.2, health.worst(), 1e-12);
        assertEquals(4, health.notes().size(), health.notes()::toString);
        assertTrue(SweepHealth.of(List.of(sound)).isSound());
        assertFalse(SweepHealth.of(List.of(sound, short1)).isSound());
        assertFalse(health.isSound());
        assertEquals(List.of(), SweepHealth.of(List.of(sound)).notes());
        final SweepHealth compared = SweepHealth.of(List.of(row(5, "{\"fabrics\": {\"shoal\": {\"steady\": true, "
            + "\"flowsStarted\": 10, \"flowsCompleted\": 10}, \"shale\": {\"steady\": false, \"flowsStarted\": 10, "
            + "\"flowsCompleted\": 5}}}")));
        assertEquals(new SweepHealth(1, 0, 1, 0, 0, 1, 1, 0.5, 0), compared, "the worst fabric counts");
    }

    @Test
    void shouldAdviseToDrainOnlyWhereThatHelps() {
        final String open = "{\"flowsStarted\": 4, \"flowsCompleted\": 2, \"cellsDropped\": ";
        assertTrue(SweepHealth.of(List.of(row(1, open + "0}"))).notes().getLast().contains("--drain"));
        assertFalse(SweepHealth.of(List.of(row(1, open + "3}"))).notes().getLast().contains("--drain"), "lost cells");
        final SweepPoint endless = new SweepPoint("id", "run", List.of(),
            new TreeMap<>(Map.of("workload", "permutation")), 1);
        assertTrue(SweepHealth.of(List.of(SweepRow.of(endless, "v", 0, open + "0}"))).isSound(),
            "flows without an end");
    }

    @Test
    void shouldKeepWhyARunFailedUntilItSucceeds() throws IOException {
        final SweepPoint point = new SweepPoint("id7", "run", List.of(), new TreeMap<>(), 7);
        final Path place = folder.resolve("sweep");
        try (SweepStore store = SweepStore.open(place, SweepShard.of(null), "command")) {
            store.fail(SweepRow.failed(point, "v", 2, "no room"));
            store.writeTables();
            assertTrue(Files.readString(place.resolve("runs.csv")).contains("no room"));
            assertEquals(1, SweepHealth.of(SweepStore.all(place)).failed());
            assertEquals(List.of(), SweepStore.rows(place));
            store.finish(store.begin("id7"), row(7, "{\"throughput\": 0.5}"));
            assertEquals(1, SweepStore.all(place).size());
            assertEquals(1, SweepStore.rows(place).size());
        }
    }

    /** Two values of h and five loads: a line for each h, along the load. */
    @Test
    void shouldDrawAlongTheSettingWithMostValues() {
        final List<SweepRow> rows = new ArrayList<>();
        for (final String h : List.of("2", "4")) {
            for (final String load : List.of("0.1", "0.2", "0.3")) {
                rows.add(SweepRow.of(new SweepPoint(h + load, "run", List.of(), new TreeMap<>(Map.of("h", h, "load",
                    load)), 1), "v", 0, "{\"throughput\": 0.5, \"steady\": " + !load.equals("0.3") + "}"));
            }
        }
        final List<Plot> plots = new SweepPlots(new SweepSummary(new RunTable(rows)), null).of(List.of("throughput"));
        assertEquals("throughput by load", plots.getFirst().title());
        final List<Plot.Line> lines = plots.getFirst().lines();
        assertEquals(List.of("h 2", "h 2*", "h 4", "h 4*"), lines.stream().map(line -> line.name()
            + (line.source().isEmpty() ? "" : line.source().substring(0, 1))).toList());
        // The line joins the means of steady runs, and marks of their own are those that are not to be compared.
        assertArrayEquals(new double[] {0.5, 0.5, Double.NaN}, lines.getFirst().y());
        assertArrayEquals(new double[] {Double.NaN, Double.NaN, 0.5}, lines.get(1).y());
    }

    @Test
    void shouldNameTheFolderThatIsKept() throws IOException {
        final Path sweep = folder.resolve("logged");
        try (SweepStore store = SweepStore.open(sweep, SweepShard.of(null), "command")) {
            final Path begun = store.begin("id");
            Files.writeString(begun.resolve("log.txt"), "skerry: results in " + begun.resolve("files") + "\n");
            store.finish(begun, SweepRow.of(new SweepPoint("id", "run", List.of(), new TreeMap<>(), 7), "v", 0, "{}"));
        }
        assertEquals("skerry: results in " + sweep.resolve("runs/id/files") + "\n",
            Files.readString(sweep.resolve("runs/id/log.txt")));
    }

    /** A store of others may hold anything: links are not followed, nesting has an end, cells compute nothing. */
    @Test
    void shouldTakeNothingHarmfulFromAStoreOfOthers() throws IOException {
        final SweepRow row = SweepRow.of(new SweepPoint("id", "run", List.of(), new TreeMap<>(Map.of("flows",
            "=cmd|calc!A1", "load", "-0.5")), 7), "v", 0, "{\"throughput\": 0.5}");
        final Path other = folder.resolve("other");
        try (SweepStore store = SweepStore.open(other, SweepShard.of(null), "command")) {
            store.finish(store.begin("id"), row);
        }
        final Path secret = Files.writeString(folder.resolve("secret"), "secret");
        Files.createSymbolicLink(other.resolve("runs/id/leak"), secret);
        final Path mine = folder.resolve("mine");
        try (SweepStore store = SweepStore.open(mine, SweepShard.of(null), "command")) {
            assertThrows(InputException.class, () -> store.take(other, "id"));
            assertFalse(store.has("id"));
            Files.delete(other.resolve("runs/id/leak"));
            assertTrue(store.take(other, "id"));
            store.writeTables();
        }
        final String csv = Files.readString(mine.resolve("runs.csv"));
        assertTrue(csv.contains(",'=cmd|calc!A1,-0.5,"), csv);
        assertThrows(IllegalArgumentException.class,
            () -> Json.values("{\"a\": " + "[".repeat(100_000) + "]".repeat(100_000) + "}"));
    }

    @Test
    void shouldRefuseHalfAResult() {
        for (final String text : List.of("", "{", "{\"a\": 1", "{\"a\": }", "{\"a\" 1}", "[]", "{} {}")) {
            assertThrows(IllegalArgumentException.class, () -> Json.values(text), text);
        }
    }

    /** Values of a printed table of the distribution; 3, 5, 7 have mean 5 and standard deviation 2. */
    @Test
    void shouldTakeMeansWithStudentsInterval() {
        assertEquals(12.706, StudentT.of(1), 1e-3);
        assertEquals(2.042, StudentT.of(30), 1e-3);
        assertEquals(2.021, StudentT.of(40), 1e-3);
        assertEquals(1.984, StudentT.of(100), 1e-3);
        final SweepSummary.Mean mean = SweepSummary.Mean.of(new double[] {3, 5, 7});
        assertEquals(5, mean.mean());
        assertEquals(4.3027 * 2 / Math.sqrt(3), mean.half(), 1e-9);
        assertTrue(Double.isNaN(SweepSummary.Mean.of(new double[] {3}).half()));
    }

    private static SlurmTask task(final String version) {
        final String file = "it's a \"file\", so";
        return new SlurmTask(new SweepPoint("00ff", "run", List.of("--nodes=16", "--flows=" + file, "--check"),
            new TreeMap<>(Map.of("nodes", "16", "flows", file)), -7), version, List.of("--checkpoint=x"));
    }

    private Path written(final String version) throws IOException {
        SweepStore.open(folder, SweepShard.of(null), "sweep").close();
        return new SlurmFolder(folder).write(List.of(task(version)), List.of("java"), true).resolve("0.json");
    }

    @Test
    void shouldReadATaskAsItWasWritten() {
        assertEquals(task("v"), SlurmTask.read(task("v").json()));
    }

    @Test
    void shouldHandWordsToTheShellAsTheyAre() throws IOException, InterruptedException {
        final Path array = Files.createDirectory(folder.resolve("an 'array'"));
        Files.writeString(array.resolve("7.json"), "");
        // In place of the program: prints its words, ends with 3.
        final String script = SlurmFolder.script(
            List.of("sh", "-c", "printf '%s|' \"$@\"; exit 3", "sh", "it's", "$HOME"),
            array, true);
        final Process shell = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile()).directory(folder.toFile()).start();
        shell.getOutputStream().close();
        assertEquals(3, shell.waitFor());
        assertEquals("it's|$HOME|" + array + "/.json|", Files.readString(folder.resolve("out")));
    }

    @Test
    void shouldKeepTheResultOfATaskOnce() throws IOException {
        final Path file = written(BuildVersion.here());
        final List<List<String>> runs = new ArrayList<>();
        final SweptTask.Program program = (out, err, words) -> {
            runs.add(List.of(words));
            out.println(RESULT);
            return 0;
        };
        assertEquals(0, SweptTask.run(file, program));
        assertEquals(0, SweptTask.run(file, program), "it exists");
        assertEquals(1, runs.size());
        assertEquals(List.of("run", "--nodes=16", "--flows=it's a \"file\", so", "--check", "--json"),
            runs.getFirst().subList(0, 5));
        assertEquals("--checkpoint=x", runs.getFirst().getLast());
        final SweepRow row = SweepStore.rows(folder).getFirst();
        assertEquals("0.5", row.figures().get("throughput"));
        assertEquals(-7, row.seed());
    }

    @Test
    void shouldSayWhyATaskGaveNothing() throws IOException {
        final Path file = written(BuildVersion.here());
        assertEquals(2, SweptTask.run(file, (out, err, words) -> {
            err.println("skerry: --nodes: 16: it is wrong, give another");
            return 2;
        }));
        assertEquals("exit code 2: --nodes: 16: it is wrong, give another", new SlurmFolder(folder).failure("00ff"));
        assertEquals(0, SweptTask.run(file, (out, err, words) -> {
            out.println(RESULT);
            return 0;
        }), "it is tried again");
        assertNull(new SlurmFolder(folder).failure("00ff"));
        assertEquals(1, SweepStore.finished(folder).size());
    }

    @Test
    void shouldNotRunATaskOfAnotherProgram() throws IOException {
        final Path file = written("another");
        assertNotEquals(0, SweptTask.run(file, (_, _, _) -> 0));
        assertEquals("the program has changed since the run was queued", new SlurmFolder(folder).failure("00ff"));
    }

    /** Beside commands of Slurm that answer as it does: the array's id is that of a task, too. */
    @ParameterizedTest
    @Timeout(60)
    @DisabledOnOs(OS.WINDOWS)
    @CsvSource({"75, RUNNING, requeue 42_0", "75, CANCELLED, ''", "1, RUNNING, ''"})
    void shouldQueueTheTaskAgainAndNotTheArray(final int code, final String state, final String asked)
        throws Exception {
        final Path log = folder.resolve("log");
        command("squeue", "case $2 in --jobs=42_0) echo " + state + ";; *) echo RUNNING; echo PENDING;; esac");
        command("scontrol", "echo \"$@\" >>" + log);
        final Path script = Files.writeString(folder.resolve("script"),
            SlurmFolder.script(List.of("sh", "-c", "exit " + code), folder, true));
        final ProcessBuilder shell = new ProcessBuilder("sh", script.toString());
        shell.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        shell.environment().put("SLURM_JOB_ID", "42");
        shell.environment().put("SLURM_ARRAY_JOB_ID", "42");
        shell.environment().put("SLURM_ARRAY_TASK_ID", "0");
        assertEquals(code, shell.redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start()
            .waitFor(), Files.readString(folder.resolve("out")));
        assertEquals(asked, Files.exists(log) ? Files.readString(log).strip() : "");
    }

    private void command(final String name, final String does) throws Exception {
        final Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + does + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
