package dev.skerry.tools.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmScript;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder.SlurmTask;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepPlan.SweepShard;
import dev.skerry.tools.sweep.SweepStore.SweepRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tasks of a job array, their script, their folder, and the process of a task; {@code .ci/slurm} has a real Slurm. */
final class SlurmPartsTest {
    private static final String RESULT = "{\"throughput\": 0.5}";

    @TempDir
    private Path folder;

    private static SlurmTask task(final String version) {
        final String file = "it's a \"file\", so";
        return new SlurmTask(new SweepPoint("00ff", "run", List.of("--nodes=16", "--flows=" + file, "--check"),
            new TreeMap<>(Map.of("nodes", "16", "flows", file)), -7), version, List.of("--checkpoint=x"));
    }

    /** The file of a task in the folder of a sweep. */
    private Path written(final String version) throws IOException {
        SweepStore.open(folder, SweepShard.of(null), "sweep").close();
        return SlurmFolder.of(folder).write(List.of(task(version)), List.of("java"), true).resolve("0.json");
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
        final String script = SlurmScript.of(List.of("sh", "-c", "printf '%s|' \"$@\"; exit 3", "sh", "it's", "$HOME"),
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
        assertEquals(0, SweptTask.run(file, program), "it is there");
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
        assertEquals("exit code 2: --nodes: 16: it is wrong, give another", SlurmFolder.of(folder).failure("00ff"));
        assertEquals(0, SweptTask.run(file, (out, err, words) -> {
            out.println(RESULT);
            return 0;
        }), "it is tried again");
        assertNull(SlurmFolder.of(folder).failure("00ff"));
        assertEquals(1, SweepStore.finished(folder).size());
    }

    @Test
    void shouldNotRunATaskOfAnotherProgram() throws IOException {
        final Path file = written("another");
        assertNotEquals(0, SweptTask.run(file, (_, _, _) -> 0));
        assertEquals("the program has changed since the run was queued", SlurmFolder.of(folder).failure("00ff"));
    }
}
