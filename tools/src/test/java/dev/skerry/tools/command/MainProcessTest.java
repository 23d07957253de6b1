package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What only a process of its own can show: signals, exit codes, memory. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(300)
final class MainProcessTest {
    private static final Duration RUNS_FOR = Duration.ofMillis(250);

    @TempDir
    private Path folder;
    private Process child;
    /** Where standard output goes; null: into the file stdout. */
    private File output;

    /** Starts the program with this test's classes; it never outlives the test. */
    private void start(final String javaOption, final String line) throws IOException {
        child = new ProcessBuilder(Invocation.command(line, javaOption, "-XX:TieredStopAtLevel=1"))
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output != null ? output : folder.resolve("stdout").toFile())
            .redirectError(folder.resolve("stderr").toFile())
            .start();
    }

    @AfterEach
    void killChild() throws InterruptedException {
        if (child != null) {
            child.destroyForcibly().waitFor();
        }
    }

    private String printed(final String stream) throws IOException {
        return Files.readString(folder.resolve(stream));
    }

    private void signal(final String name) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(child.pid())).start().waitFor());
    }

    /** The line before the first slot; the signal may still come before it. */
    private void awaitRunning() throws IOException, InterruptedException {
        while (!printed("stderr").contains("MiB of state")) {
            assertTrue(child.isAlive(), () -> "ended at once with " + child.exitValue());
            TimeUnit.MILLISECONDS.sleep(20);
        }
        // By processor time, not by the clock: on a busy machine the first slots may take a while to come.
        final Duration before = processorTime();
        while (processorTime().minus(before).compareTo(RUNS_FOR) < 0) {
            assertTrue(child.isAlive(), () -> "ended at once with " + child.exitValue());
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private Duration processorTime() {
        return child.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private int awaitEnd() throws InterruptedException {
        return child.waitFor();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130, --threads 1", "INT, 130, --threads 2", "TERM, 143, --threads 1",
        "INT, 130, --mode threads --threads 3"})
    void shouldKeepAPartialResultWhenStopped(final String signal, final int code, final String how) throws Exception {
        final Path out = folder.resolve("result");
        final Path partial = folder.resolve("result.partial");
        start("-Xmx256m", "run --nodes 64 --workload permutation --propagation-slots 1 --slots 9007199254740992 --json "
            + how + " --out " + out);
        awaitRunning();
        assertFalse(Files.exists(partial), "written before its time");
        signal(signal);
        assertEquals(code, awaitEnd(), printed("stderr"));
        assertFalse(Files.exists(out), "a part of a result passed for the whole");
        final JsonNode summary = new ObjectMapper().readTree(partial.resolve("summary.json").toFile());
        assertTrue(summary.get("interrupted").asBoolean());
        assertTrue(summary.get("slots").asLong() > 0 && summary.get("slots").asLong() < 1L << 53);
        assertEquals(64, summary.get("flowsStarted").asInt());
        assertTrue(summary.get("cellsDelivered").asLong() > 0);
        assertEquals(summary, new ObjectMapper().readTree(printed("stdout")));
        assertTrue(Files.readString(partial.resolve("report.html")).contains("PARTIAL RESULT: interrupted after "));
        assertTrue(Files.readString(partial.resolve("run.txt")).startsWith("PARTIAL: the run was interrupted after "));
        assertTrue(printed("stderr").endsWith("skerry: results in " + partial + System.lineSeparator()),
            printed("stderr"));
    }

    @Test
    void shouldMarkTheReportOnTheScreenWhenStopped() throws Exception {
        start("-Xmx256m", "run --nodes 64 --workload permutation --slots 9007199254740992");
        awaitRunning();
        signal("INT");
        assertEquals(130, awaitEnd(), printed("stderr"));
        assertTrue(printed("stdout").contains("PARTIAL RESULT: interrupted after "), printed("stdout"));
        assertTrue(printed("stdout").contains("0 dropped, 0 corrupted"), printed("stdout"));
        assertFalse(printed("stderr").contains("\u001b"), "progress where there is no terminal");
    }

    @ParameterizedTest
    @CsvSource({"0, run --nodes 16 --slots 100", "2, run --nodes 1"})
    void shouldEndWithTheCodeOfTheCommand(final int code, final String line) throws Exception {
        start("-Xmx256m", line);
        assertEquals(code, awaitEnd(), printed("stderr"));
        assertEquals(code == 0, !printed("stdout").isEmpty());
    }

    /**
     * A disk that is full loses what is printed: that is said, and the exit code is not 0. One command for each way to
     * print: at once, at the end, when ports have ended, as long as it runs.
     */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"--version", "run --nodes 16 --slots 100",
        "live --warm-up 0 --dir DIR/c --duration 0 --port 0=loop --port 1=loop --json", "stat --watch --dir DIR/c"})
    void shouldSayThatStandardOutputIsFull(final String line) throws Exception {
        output = new File("/dev/full");
        start("-Xmx256m", line.replace("DIR", folder.toString()));
        endsFull();
    }

    /** Commands that print in one of these ways. */
    @Tag("long")
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"run --help-all", "run --nodes 16 --slots 100 --json",
        "compare --nodes 16 --slots 100 --fabrics shale", "pieo", "completion bash",
        "live --warm-up 0 --dir DIR/c --duration 0 --port 0=loop --port 1=loop"})
    void shouldSayThatStandardOutputIsFullInOtherCommands(final String line) throws Exception {
        shouldSayThatStandardOutputIsFull(line);
    }

    /** Also where a signal ended the run: its code would hide the loss. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayThatStandardOutputIsFullAfterASignal() throws Exception {
        output = new File("/dev/full");
        start("-Xmx256m", "run --nodes 64 --workload permutation --slots 9007199254740992");
        awaitRunning();
        signal("INT");
        endsFull();
    }

    private void endsFull() throws Exception {
        assertEquals(1, awaitEnd(), printed("stderr"));
        assertTrue(printed("stderr").contains("skerry: standard output: No space left on device: "), printed("stderr"));
    }

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"run --help-all", "stat --watch --dir DIR"})
    void shouldSayNothingWhereItsReaderHasEnough(final String line) throws Exception {
        final List<String> command = new ArrayList<>(List.of("bash", "-c",
            "\"$0\" \"$@\" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}"));
        command.addAll(Invocation.command(line.replace("DIR", folder.toString()), "-XX:TieredStopAtLevel=1"));
        child = new ProcessBuilder(command).redirectError(folder.resolve("stderr").toFile()).start();
        assertEquals(0, awaitEnd(), printed("stderr"));
        assertEquals("", printed("stderr").replaceAll("(?m)^WARNING.*\\R", ""));
    }

    @Test
    void shouldRefuseFlowsThatOutgrowTheHeap() throws Exception {
        start("-Xmx64m", "run --nodes 2000 --workload all-to-all");
        assertEquals(2, awaitEnd(), printed("stderr"));
        assertEquals("", printed("stdout"));
        assertEquals("skerry: memory: Java heap space: there is not enough for this run, choose fewer nodes or flows, "
            + "or give Java more with SKERRY_JAVA_OPTIONS=-Xmx...", printed("stderr").strip());
    }
}
