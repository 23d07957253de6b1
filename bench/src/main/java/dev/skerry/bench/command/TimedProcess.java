package dev.skerry.bench.command;

import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that has run to its end.
 *
 * @param code      exit code.
 * @param clock     seconds by the clock.
 * @param processor seconds of processor of all its threads and children.
 * @param output    standard output and standard error.
 */
record TimedProcess(int code, double clock, double processor, String output) {
    private static final String TIMED = "TIMEFORMAT='%R %U %S'; time \"$0\" \"$@\" >output 2>&1 </dev/null";

    /**
     * Runs a program with a folder of ours as its own.
     *
     * @throws InputException if there is no bash to time it with.
     */
    static TimedProcess run(final Path folder, final List<String> command) throws InterruptedException {
        final List<String> line = new ArrayList<>(List.of("bash", "-c", TIMED));
        line.addAll(command);
        try {
            final Path times = folder.resolve("times");
            final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile())
                .redirectError(times.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().put("LC_ALL", "C");
            final int code = builder.start().waitFor();
            final List<String> said = Files.readAllLines(times, StandardCharsets.ISO_8859_1);
            final String[] time = said.getLast().split(" ");
            return new TimedProcess(code, Double.parseDouble(time[0]),
                Double.parseDouble(time[1]) + Double.parseDouble(time[2]),
                Files.readString(folder.resolve("output"), StandardCharsets.ISO_8859_1));
        } catch (final IOException e) {
            throw new InputException("bench peers", command.getFirst(), "it cannot be run: " + e,
                "see that bash is installed and the temporary folder can be written");
        }
    }
}
