package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One call of the command line inside the test's own process: its exit code and what it printed where. */
public record Invocation(int code, String out, String err) {
    /** Runs a command to its end. */
    public static Invocation of(final String... arguments) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int code = Skerry.execute(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Invocation(code, out.toString(), err.toString());
    }

    /** Runs a command given as one line; arguments are separated by single blanks. */
    public static Invocation ofLine(final String line) {
        return of(line.split(" "));
    }

    /** The summary of a run given as one line, which has to end well. */
    public static JsonNode summary(final String line) throws IOException {
        final Invocation run = ofLine(line.strip() + " --json");
        assertEquals(0, run.code, line + "\n" + run.err);
        return new ObjectMapper().readTree(run.out);
    }

    /** A command that is refused: exit 2, nothing on standard output, one line on standard error with these parts. */
    public static void refuses(final String line, final String... parts) {
        final Invocation run = ofLine(line);
        assertEquals(2, run.code, line + "\n" + run.err);
        assertEquals(1, run.errors().size(), run.err);
        assertTrue(run.err.startsWith("skerry: "), run.err);
        assertTrue(List.of(parts).stream().allMatch(run.err::contains), run.err);
        assertEquals("", run.out, line);
    }

    /** The events of a summary that a run repeats in every engine: not seconds of waiting, and not memory taken. */
    public static Map<String, Long> counts(final JsonNode summary) {
        return summary.get("events").properties().stream().filter(event -> event.getValue().isInt())
            .filter(event -> !"memoryBytesPerNode".equals(event.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, event -> event.getValue().asLong()));
    }

    /** A command in a process of its own. */
    public static Process start(final String line) throws IOException {
        final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
            .toString(), "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classPath(),
            Skerry.class.getName()));
        command.addAll(List.of(line.split(" ")));
        return new ProcessBuilder(command).redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Classes of this test and all they need, whether they were given as a class path or as modules. */
    static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path").map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty()).collect(Collectors.joining(File.pathSeparator));
    }

    /** Lines on standard error. */
    public List<String> errors() {
        return err.lines().toList();
    }
}
