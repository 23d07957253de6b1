package dev.skerry.tools.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

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

    /** Lines on standard error. */
    List<String> errors() {
        return err.lines().toList();
    }
}
