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

/** {@code skerry live} as a process of its own, and what its counters say meanwhile. */
final class LiveProcess implements AutoCloseable {
    /** Longer than the counters take to be shown: two looks that see the same see a standstill. */
    private static final long LOOK_MS = 100;

    private final Path folder;
    private final Process process;

    LiveProcess(final Path folder, final String line) throws IOException {
        this.folder = folder;
        this.process = start(folder.resolve("live.out"), folder.resolve("live.err"),
            "live --json --dir " + folder.resolve("counters") + " " + line);
    }

    private static Process start(final Path out, final Path err, final String line) throws IOException {
        final String classes = Stream.of("jdk.module.path", "java.class.path").map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty()).collect(Collectors.joining(File.pathSeparator));
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
            "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classes,
            "dev.skerry.tools.command.Skerry"));
        command.addAll(List.of(line.split(" ")));
        return new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectOutput(out.toFile())
            .redirectError(err.toFile()).start();
    }

    /** Its counters now, by label; empty if there are none yet. */
    Map<String, Long> counters() throws IOException {
        final Map<String, Long> counters = new HashMap<>();
        for (final Path file : CounterView.files(folder.resolve("counters"))) {
            CounterView.open(file).filter(CounterView::isLive).ifPresent(view -> view.forEach(counters::put));
        }
        return counters;
    }

    /** Waits until its counters say something; only the test's own time limit, which interrupts it, bounds the wait. */
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

    /** The sum of a counter over its ports at a node. */
    static long count(final Map<String, Long> counters, final String name, final int node) {
        return counters.entrySet().stream()
            .filter(counter -> counter.getKey().startsWith("port_" + name + "{node=\"" + node + "\""))
            .mapToLong(Map.Entry::getValue).sum();
    }

    /**
     * Waits until its ports are open, which is when it has counters. The file of a socket is there a moment before
     * anybody listens at it, and who connects in that moment, as testpmd does but once, is turned away.
     */
    LiveProcess listening() throws IOException, InterruptedException {
        until(counters -> !counters.isEmpty());
        return this;
    }

    /** Ends it as Ctrl-C does; what it printed. */
    JsonNode end() throws IOException, InterruptedException {
        assertTrue(process.isAlive(), () -> "live has ended: " + errors());
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        process.waitFor();
        return new ObjectMapper().readTree(folder.resolve("live.out").toFile());
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
