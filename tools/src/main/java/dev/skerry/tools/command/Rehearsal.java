package dev.skerry.tools.command;

import java.io.PrintWriter;
import java.io.Writer;

/**
 * What most runs begin with, done once after a build while the JVM records which classes are loaded and linked; the
 * launcher makes a cache of that. Prints nothing. Exit code 1 if a command failed.
 */
final class Rehearsal {
    private static final String[] COMMAND_LINES = {
        "--version", "run --nodes 16 --slots 1000", "run --nodes 16 --slots 1000 --json"
    };

    private Rehearsal() {
    }

    public static void main(final String[] arguments) {
        final PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        for (final String line : COMMAND_LINES) {
            if (Skerry.execute(nowhere, nowhere, line.split(" ")) != 0) {
                System.exit(1);
            }
        }
    }
}
