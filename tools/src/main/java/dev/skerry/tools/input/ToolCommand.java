package dev.skerry.tools.input;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** A command of the program: its help options, and where it prints. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class ToolCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Creates a command; picocli sets its options before it is called. */
    protected ToolCommand() {
    }

    /** What picocli knows of this command: its options, and what was typed. */
    protected final CommandSpec spec() {
        return spec;
    }

    /** Where results are printed. */
    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Where notices and errors are printed. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
