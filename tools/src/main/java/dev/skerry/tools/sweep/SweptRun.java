package dev.skerry.tools.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A run under way: a process of this machine's Java with this one's options, and its folder. One thread. */
final class SweptRun {
    static final String RESULT = "result.json";
    static final String LOG = "log.txt";
    private static final int DONE = 0;
    private static final int FOUND = 1;
    private static final int NOT_STEADY = 3;

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
     * @param more  options beside those of the point.
     * @param child the class that runs a command until its input ends.
     */
    static SweptRun start(final SweepPoint point, final long bytes, final Path folder, final List<String> more,
        final String child) throws IOException {
        final List<String> words = ProgramLine.of(child);
        words.add(point.command());
        words.addAll(point.words());
        words.addAll(more);
        words.addAll(List.of("--json", "--out=" + folder.resolve("files")));
        return new SweptRun(point, bytes, folder, new ProcessBuilder(words)
            .redirectOutput(folder.resolve(RESULT).toFile())
            .redirectError(folder.resolve(LOG).toFile()).start());
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
        return keep(store, folder, point, version, process.exitValue());
    }

    /** The same for the folder of a run that has ended with a code, whoever ran it. */
    static String keep(final SweepStore store, final Path folder, final SweepPoint point, final String version,
        final int code) throws IOException {
        if (code == DONE || code == FOUND || code == NOT_STEADY) {
            try {
                store.finish(folder, SweepRow.of(point, version, code, Files.readString(folder.resolve(RESULT))));
                return null;
            } catch (final IllegalArgumentException e) {
                // It ended before its result was whole; its log says why.
                return failed(store, folder, point, version, code);
            }
        }
        return failed(store, folder, point, version, code);
    }

    private static String failed(final SweepStore store, final Path folder, final SweepPoint point,
        final String version, final int code) throws IOException {
        final List<String> lines = Files.readString(folder.resolve(LOG)).lines().toList();
        SweepStore.delete(folder);
        final String why = "exit code " + code + (lines.isEmpty() ? "" : ": " + lines.getLast()
            .replaceFirst("^skerry: ", ""));
        store.fail(SweepRow.failed(point, version, code, why));
        return why;
    }
}
