package dev.skerry.tools.input;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

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
}
