package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A real DPDK process with one memif port, controlled through its standard input (docs/spec/memif.md §11). Its output
 * goes to a file, which is complete once the process has ended. Debian 12 has it in the packages {@code dpdk-dev},
 * {@code librte-net-memif23} and {@code librte-mempool-ring23}; it needs no huge pages and no network card.
 *
 * <p>Its exit code is 0 even if the socket could not be bound; the log then has {@code Failed to}. A stale socket file
 * causes {@code Address already in use}: remove it first. The server must listen before the client starts; the socket
 * file appears 0.2 s after the start, before testpmd listens. Output to a file or pipe is block-buffered. Without
 * {@code --stats-period}, the end of its standard input ends testpmd at once.
 */
final class Testpmd implements AutoCloseable {
    private static final String PROGRAM = "dpdk-testpmd";
    private static final String DRIVER = "librte_net_memif.so";

    private final Path output;
    private final Process process;
    private final Writer input;

    /**
     * Starts the process without forwarding.
     *
     * @param folder folder for its files.
     * @param role   its role: server or client.
     * @param socket path of the memif socket.
     */
    Testpmd(final Path folder, final String role, final Path socket) throws IOException {
        output = folder.resolve("testpmd.log");
        final String cores = Runtime.getRuntime().availableProcessors() > 1 ? "0@0,1@1" : "0@0,1@0";
        final ProcessBuilder builder = new ProcessBuilder(PROGRAM,
            "--no-huge", "-m", "64", "--no-pci", "--no-telemetry", "--lcores", cores,
            "--file-prefix", "skerry" + ProcessHandle.current().pid() + role,
            "--vdev=net_memif0,role=" + role + ",id=0,socket=" + socket
                + ",socket-abstract=no,bsize=2048,rsize=10,zero-copy=no",
            "--", "-i", "--total-num-mbufs=4096", "--no-mlockall", "--no-flush-rx", "--txpkts=64");
        builder.environment().put("RUNTIME_DIRECTORY", folder.toString());
        builder.environment().put("XDG_RUNTIME_DIR", folder.toString());
        process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        input = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** Whether the program and its memif driver are installed. */
    static boolean isInstalled() {
        if (!PcapRig.areInstalled(PROGRAM)) {
            return false;
        }
        try (Stream<Path> files = Files.find(Path.of("/usr/lib"), 5, (path, attributes) -> path.endsWith(DRIVER))) {
            return files.findAny().isPresent();
        } catch (final IOException | UncheckedIOException e) {
            return false;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void say(final String... commands) throws IOException {
        for (final String command : commands) {
            input.write(command + "\n");
        }
        input.flush();
    }

    /** Ends the process and returns the values of a counter. */
    List<Long> quit(final String counter) throws IOException, InterruptedException {
        say("quit");
        process.waitFor();
        return values(counter);
    }

    /** Values of a counter after the process has ended, one per {@code show port stats 0}. */
    List<Long> values(final String counter) throws IOException {
        final Matcher statistics = Pattern.compile("NIC statistics for port 0 +#.*?Throughput", Pattern.DOTALL)
            .matcher(Files.readString(output));
        final List<Long> values = new ArrayList<>();
        while (statistics.find()) {
            final Matcher value = Pattern.compile(counter + ": *(\\d+)").matcher(statistics.group());
            assertTrue(value.find(), () -> "no " + counter + " in " + statistics.group());
            values.add(Long.parseLong(value.group(1)));
        }
        return values;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
