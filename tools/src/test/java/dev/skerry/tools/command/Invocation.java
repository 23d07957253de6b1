package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One call of the command line inside the test's own process: its exit code and what it printed where. */
record Invocation(int code, String out, String err) {
    /** Runs a command to its end. */
    static Invocation of(final String... arguments) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int code = Skerry.execute(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Invocation(code, out.toString(), err.toString());
    }

    /** Runs a command given as one line; arguments are separated by single blanks. */
    static Invocation ofLine(final String line) {
        return of(line.split(" "));
    }

    /** The summary of a run given as one line, which has to end well. */
    static JsonNode summary(final String line) throws IOException {
        final Invocation run = ofLine(line.strip() + " --json");
        assertEquals(0, run.code, line + "\n" + run.err);
        return new ObjectMapper().readTree(run.out);
    }

    /** A command that is refused: exit 2, nothing on standard output, one line on standard error with these parts. */
    static void refuses(final String line, final String... parts) {
        final Invocation run = ofLine(line);
        assertEquals(2, run.code, line + "\n" + run.err);
        assertEquals(1, run.errors().size(), run.err);
        assertTrue(run.err.startsWith("skerry: "), run.err);
        assertTrue(List.of(parts).stream().allMatch(run.err::contains), run.err);
        assertEquals("", run.out, line);
    }

    /** The events of a summary that a run repeats in every engine: not seconds of waiting, and not memory taken. */
    static Map<String, Long> counts(final JsonNode summary) {
        return summary.get("events").properties().stream().filter(event -> event.getValue().isInt())
            .filter(event -> !"memoryBytesPerNode".equals(event.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, event -> event.getValue().asLong()));
    }

    /** Lines on standard error. */
    List<String> errors() {
        return err.lines().toList();
    }
}
