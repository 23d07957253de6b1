package dev.skerry.tools.command;

import dev.skerry.tools.sweep.SweptTask;

import java.io.IOException;
import java.nio.file.Path;

/** The process of one task of a sweep's job array. */
final class ArrayTask {
    private ArrayTask() {
    }

    /** Runs the task of a file and exits with its code. */
    public static void main(final String[] arguments) throws IOException {
        System.exit(SweptTask.run(Path.of(arguments[0]), Skerry::execute));
    }
}
