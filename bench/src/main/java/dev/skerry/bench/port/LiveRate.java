package dev.skerry.bench.port;

import dev.skerry.dataplane.counter.CounterView;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs {@code skerry live} as a process of its own and reads how many packets it hands to its ports. */
final class LiveRate implements AutoCloseable {
    private final Path folder;
    private final Process process;

    /**
     * Starts the process.
     *
     * @param folder  created for its counters and its output.
     * @param options options of {@code skerry live}.
     */
    LiveRate(final Path folder, final List<String> options) throws IOException {
        this.folder = Files.createDirectories(folder);
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseParallelGC",
            "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages", "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), "dev.skerry.tools.command.Skerry", "live", "--dir",
            folder.toString()));
        command.addAll(options);
        process = new ProcessBuilder(command).redirectInput(new File("/dev/null")).redirectErrorStream(true)
            .redirectOutput(folder.resolve("live.out").toFile()).start();
    }

    /** Packets handed to all ports so far. */
    long packets() throws IOException {
        final long[] sum = new long[1];
        for (final Path file : CounterView.files(folder)) {
            CounterView.open(file).filter(CounterView::isLive).ifPresent(view -> view.forEach(
                (label, value) -> sum[0] += label.startsWith("port_tx_packets{") ? value : 0));
        }
        if (!process.isAlive()) {
            throw new IOException("live has ended: " + Files.readString(folder.resolve("live.out")));
        }
        return sum[0];
    }

    /**
     * Ends the process as Ctrl-C does.
     *
     * @throws IOException if a packet was lost without being counted.
     */
    void end() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IOException("live does not end");
        }
        final String text = Files.readString(folder.resolve("live.out"));
        if (!text.contains(" held: yes")) {
            throw new IOException("live lost packets: " + text);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
