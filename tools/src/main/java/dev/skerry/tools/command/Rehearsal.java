package dev.skerry.tools.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What most runs begin with, done once after a build while the JVM records which classes are loaded and linked; the
 * launcher makes a cache of that. Prints nothing. Exit code 1 if a command failed.
 */
final class Rehearsal {
    private static final String[] COMMAND_LINES = {
        "--version", "run --nodes 16 --slots 1000", "run --nodes 16 --slots 1000 --json",
        "run --nodes 16 --slots 1000 --flows", "run --nodes 256 --slots 20000 --first-hop-tokens 8 --flows",
        "run --nodes 256 --load 0.01 --slots 5000",
        "run --nodes 256 --workload permutation --slots 1000", "run --fabric shoal --nodes 64 --load 0.01 --slots 5000",
        "run --fabric shoal --nodes 64 --workload permutation --slots 2000",
        "run --fabric stardust --nodes 64 --load 0.02 --slots 500",
        "run --fabric stardust --nodes 64 --workload permutation --slots 300"
    };
    /** Lines enough for the JVM to compile what reads them. */
    private static final int TRACE_LINES = 2000;

    private Rehearsal() {
    }

    public static void main(final String[] arguments) throws IOException {
        final PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        final Path trace = Files.createTempFile("skerry-rehearsal", ".csv");
        boolean isDone = true;
        try {
            Files.writeString(trace, flows());
            for (final String line : COMMAND_LINES) {
                final List<String> words = new ArrayList<>(List.of(line.split(" ")));
                if (words.getLast().equals("--flows")) {
                    words.add(trace.toString());
                }
                isDone &= Skerry.execute(nowhere, nowhere, words.toArray(String[]::new)) == 0;
            }
        } finally {
            Files.delete(trace);
        }
        // As the program ends: the JVM looks for a logger of its exit, whose classes are worth having, too.
        System.exit(isDone ? 0 : 1);
    }

    /** A trace of small flows, one every 40 ns. */
    private static String flows() {
        final StringBuilder lines = new StringBuilder();
        for (int flow = 0; flow < TRACE_LINES; flow++) {
            lines.append(flow).append(',').append(flow & 15).append(',').append(flow * 7 + 1 & 15).append(",8000,")
                .append(flow * 4e-8).append('\n');
        }
        return lines.toString();
    }
}
