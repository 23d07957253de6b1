package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skerry.dataplane.counter.CounterView;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code skerry live} in a process of its own, and its counters while it runs. */
final class LiveProcess implements AutoCloseable {
    /** Longer than the refresh interval of counters: two equal readings mean that nothing moves. */
    private static final long LOOK_MS = 100;

    private final Path folder;
    private final Process process;

    LiveProcess(final Path folder, final String line) throws IOException {
        this.folder = folder;
        this.process = start(folder.resolve("live.out"), folder.resolve("live.err"),
            "live --json --warm-up 0 --dir " + folder.resolve("counters") + " " + line);
    }

    private static Process start(final Path out, final Path err, final String line) throws IOException {
        // A JVM keeps a signal ignored that was ignored when it started, as under nohup.
        final List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classPath(),
            "dev.skerry.tools.command.Skerry"));
        command.addAll(List.of(line.split(" ")));
        return new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectOutput(out.toFile())
            .redirectError(err.toFile()).start();
    }

    /** Classes of this test and all they need, whether they were given as a class path or as modules. */
    static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path").map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty()).collect(Collectors.joining(File.pathSeparator));
    }

    /** Current counters by label; empty if there are none yet. */
    Map<String, Long> counters() throws IOException {
        final Map<String, Long> counters = new HashMap<>();
        for (final Path file : CounterView.files(folder.resolve("counters"))) {
            CounterView.open(file).filter(CounterView::isLive).ifPresent(view -> view.forEach(counters::put));
        }
        return counters;
    }

    /** Waits until the counters meet a condition. Only the test's time limit, which interrupts it, bounds the wait. */
    void until(final Predicate<Map<String, Long>> so) throws IOException, InterruptedException {
        Map<String, Long> now = counters();
        while (!so.test(now)) {
            assertTrue(process.isAlive(), () -> "live has ended: " + errors());
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            } catch (final InterruptedException timeout) {
                System.err.println("it never happened: " + notZero(now) + " " + errors());
                throw timeout;
            }
            now = counters();
        }
    }

    private static Map<String, Long> notZero(final Map<String, Long> counters) {
        final Map<String, Long> some = new TreeMap<>(counters);
        some.values().removeIf(value -> value == 0);
        return some;
    }

    /** Sum of a counter over the ports of a node. */
    static long count(final Map<String, Long> counters, final String name, final int node) {
        return counters.entrySet().stream()
            .filter(counter -> counter.getKey().startsWith("port_" + name + "{node=\"" + node + "\""))
            .mapToLong(Map.Entry::getValue).sum();
    }

    /**
     * Waits until the ports are open, which is when counters appear. The socket's file appears shortly before anybody
     * listens at it. A peer that connects in between is refused, and testpmd tries only once.
     */
    LiveProcess listening() throws IOException, InterruptedException {
        until(counters -> !counters.isEmpty());
        return this;
    }

    /** Ends the process like Ctrl-C and returns its output. */
    JsonNode end() throws IOException, InterruptedException {
        end("INT");
        return result();
    }

    /** Its output, after it has ended. */
    JsonNode result() throws IOException {
        return new ObjectMapper().readTree(folder.resolve("live.out").toFile());
    }

    /** Ends the process by a signal and returns its exit code. */
    int end(final String signal) throws IOException, InterruptedException {
        signal(signal);
        return process.waitFor();
    }

    long pid() {
        return process.pid();
    }

    /** Waits until the process has ended by itself. */
    int exitCode() throws InterruptedException {
        return process.waitFor();
    }

    /** Gives the process a signal. */
    void signal(final String signal) throws IOException, InterruptedException {
        assertTrue(process.isAlive(), () -> "live has ended: " + errors());
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    }

    String errors() {
        try {
            return Files.readString(folder.resolve("live.err"));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
