package dev.skerry.bench.port;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A testpmd process with one memif port. Its forwarding thread has a processor of its own; commands go to its standard
 * input (docs/spec/memif.md §11). Its output is complete only after it has ended.
 */
final class TestpmdProcess implements AutoCloseable {
    private static final String PROGRAM = "dpdk-testpmd";
    private static final Pattern STATISTICS = Pattern.compile("NIC statistics for port 0 +#.*?Throughput",
        Pattern.DOTALL);

    private final Path output;
    private final Process process;
    private final Writer input;

    /**
     * Starts the process, without forwarding.
     *
     * @param folder    created for its files.
     * @param role      its role: server or client.
     * @param socket    socket of the port.
     * @param processor processor of its threads; the command thread sleeps.
     */
    TestpmdProcess(final Path folder, final String role, final Path socket, final int processor) throws IOException {
        Files.createDirectories(folder);
        output = folder.resolve("testpmd.log");
        final ProcessBuilder builder = new ProcessBuilder(PROGRAM,
            "--no-huge", "-m", "128", "--no-pci", "--no-telemetry", "--lcores", "0@" + processor + ",1@" + processor,
            "--file-prefix", "skerry" + ProcessHandle.current().pid() + folder.getFileName(),
            "--vdev=net_memif0,role=" + role + ",id=0,socket=" + socket
                + ",socket-abstract=no,bsize=2048,rsize=10,zero-copy=no",
            "--", "-i", "--total-num-mbufs=8192", "--no-mlockall", "--no-flush-rx", "--burst=32", "--txpkts=64");
        builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
        builder.environment().put("XDG_RUNTIME_DIR", folder.toString());
        process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        input = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** Whether testpmd and its memif driver are installed. */
    static boolean isInstalled() {
        final boolean program = Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
        if (!program) {
            return false;
        }
        try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 5,
            (path, attributes) -> path.endsWith("librte_net_memif.so"))) {
            return files.findAny().isPresent();
        } catch (final IOException | java.io.UncheckedIOException e) {
            return false;
        }
    }

    void say(final String... commands) throws IOException {
        for (final String command : commands) {
            input.write(command + "\n");
        }
        input.flush();
    }

    /** Ends the process; returns the last value of a counter that {@code show port stats 0} printed. */
    long quit(final String counter) throws IOException, InterruptedException {
        say("stop", "quit");
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new IOException("testpmd does not end");
        }
        final List<String> shown = STATISTICS.matcher(Files.readString(output)).results()
            .map(java.util.regex.MatchResult::group).toList();
        final Matcher value = Pattern.compile(counter + ": *(\\d+)").matcher(shown.isEmpty() ? "" : shown.getLast());
        if (!value.find()) {
            throw new IOException("testpmd shows no " + counter + ": " + tail());
        }
        return Long.parseLong(value.group(1));
    }

    private String tail() throws IOException {
        final List<String> lines = Files.readAllLines(output);
        return String.join(" / ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
