package dev.skerry.tools.sweep;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A run under way: a process of this machine's Java with this one's options, and its folder. One thread. */
final class SweptRun {
    private static final String RESULT = "result.json";
    private static final String LOG = "log.txt";
    private static final int DONE = 0;
    private static final int FOUND = 1;

    private final SweepPoint point;
    private final long bytes;
    private final Path folder;
    private final Process process;

    private SweptRun(final SweepPoint point, final long bytes, final Path folder, final Process process) {
        this.point = point;
        this.bytes = bytes;
        this.folder = folder;
        this.process = process;
    }

    /**
     * Starts a run. Its input is a pipe that nothing is written to: it ends when this process does.
     *
     * @param child the class that runs a command until its input ends.
     */
    static SweptRun start(final SweepPoint point, final long bytes, final Path folder, final String child)
        throws IOException {
        final List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("-X") || option.startsWith("--sun")).forEach(words::add);
        words.addAll(List.of("--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classPath(), child, point.command()));
        words.addAll(point.words());
        words.addAll(List.of("--json", "--out=" + folder.resolve("files")));
        return new SweptRun(point, bytes, folder, new ProcessBuilder(words)
            .redirectOutput(folder.resolve(RESULT).toFile())
            .redirectError(folder.resolve(LOG).toFile()).start());
    }

    /** Tests run on modules, users on a class path. */
    private static String classPath() {
        final String modules = System.getProperty("jdk.module.path");
        final String classes = System.getProperty("java.class.path");
        return modules == null || modules.isEmpty() ? classes : modules + File.pathSeparator + classes;
    }

    SweepPoint point() {
        return point;
    }

    /** Bytes that it was said to take. */
    long bytes() {
        return bytes;
    }

    boolean isOver() {
        return !process.isAlive();
    }

    /** Ends it and waits until it is gone; no result is kept. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /**
     * Keeps a run that is over. What a command found is a result too, if all of it was printed.
     *
     * @return null if it is among the finished, else the line that says why not.
     */
    String keep(final SweepStore store, final String version) throws IOException {
        process.getOutputStream().close();
        final int code = process.exitValue();
        if (code == DONE || code == FOUND) {
            try {
                final SweepRow row = SweepRow.of(point, version, code, Files.readString(folder.resolve(RESULT)));
                store.finish(folder, row);
                return null;
            } catch (final IllegalArgumentException e) {
                // It ended before its result was whole; its log says why.
                return failure(code);
            }
        }
        return failure(code);
    }

    private String failure(final int code) throws IOException {
        final List<String> lines = Files.readString(folder.resolve(LOG)).lines().toList();
        SweepStore.delete(folder);
        return "exit code " + code + (lines.isEmpty() ? "" : ": " + lines.getLast().replaceFirst("^skerry: ", ""));
    }
}
