package dev.skerry.tools.input;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** A command of the program, with its help options and its output streams. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class ToolCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Creates a command; picocli sets its options before it is called. */
    protected ToolCommand() {
    }

    /** Returns the picocli data of this command: its options, and what was typed. */
    protected final CommandSpec spec() {
        return spec;
    }

    /** Returns the writer for results. */
    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Returns the writer for notices and errors. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** The options that repeat what the command does: all that were typed but --out and --json. */
    protected final List<String> words() {
        return spec.commandLine().getParseResult().matchedOptions().stream()
            .filter(option -> !option.longestName().equals("--out") && !option.longestName().equals("--json"))
            .flatMap(option -> option.arity().max() == 0 ? Stream.of(option.longestName())
                : (option.isMultiValue() && option.splitRegex().isEmpty() ? option.originalStringValues().stream()
                : Stream.of(String.join(",", option.originalStringValues())))
                .map(value -> option.longestName() + " " + value))
            .toList();
    }
}
