package dev.skerry.tools.command;

import com.fasterxml.jackson.databind.JsonNode;

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

    /** The events of a summary that are counts: a run repeats them, but not the seconds that threads waited. */
    static Map<String, Long> counts(final JsonNode summary) {
        return summary.get("events").properties().stream().filter(event -> event.getValue().isInt())
            .collect(Collectors.toMap(Map.Entry::getKey, event -> event.getValue().asLong()));
    }

    /** Lines on standard error. */
    List<String> errors() {
        return err.lines().toList();
    }
}
