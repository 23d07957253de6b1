package dev.skerry.tools.command;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.command.SweepTargets.ArrayTask;
import dev.skerry.tools.command.SweepTargets.SweptCommand;
import dev.skerry.tools.cosim.CosimCommand;
import dev.skerry.tools.cosim.CoverageCommand;
import dev.skerry.tools.cosim.HeaderCommand;
import dev.skerry.tools.cosim.SvaCommand;
import dev.skerry.tools.ctl.CtlCommand;
import dev.skerry.tools.execution.CheckpointOptions;
import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.PartCommand;
import dev.skerry.tools.input.Parts;
import dev.skerry.tools.input.SettingsFile;
import dev.skerry.tools.input.StandardOutput;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.live.LiveCommand;
import dev.skerry.tools.live.Rfc2544Command;
import dev.skerry.tools.score.ScoreCommand;
import dev.skerry.tools.stat.StatCommand;
import dev.skerry.tools.stat.WatchCommand;
import dev.skerry.tools.sweep.SweepCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The command line, {@code skerry COMMAND}. Exit codes: 0 for success, 1 for a violated invariant or a difference, 2
 * for wrong input, 3 for a comparison in which a fabric was not in a steady state; a command may define others. Every
 * error is one line on standard error; {@code --verbose} adds a stack trace.
 */
@Command(name = "skerry", addMethodSubcommands = false, mixinStandardHelpOptions = true, sortOptions = false,
    version = "skerry " + BuildVersion.TEXT, synopsisSubcommandLabel = "COMMAND", description = {
        "Cell-switched data-centre fabrics in software.",
        ""
    },
    footer = {
        "",
        "Example, Shale with 256 nodes under data-centre traffic, in a few seconds:",
        "  ./skerry run",
        "",
        "@FILE reads options from a file, one per line; options on the command line override them.",
        "",
        "Benchmarks are a module of their own, built on first use:",
        "  ./skerry bench --help"
    })
public final class Skerry implements Runnable {
    private static final int VIOLATED = 1;
    private static final int WRONG_INPUT = 2;
    private static final String[] ASKING_VERSION = {"--version"};
    private static final String QUIET = "--quiet";
    private static final String ALL_HELP = "--help-all";
    private static final Set<String> HELP = Set.of("-h", "--help", ALL_HELP);
    /** The commands, in the order of the help. */
    private static final List<String> COMMANDS = List.of("run", "compare", "sweep", "live", "rfc2544", "ctl", "stat",
        "watch", "pieo", "trace", "cosim", "coverage", "score", "header", "sva", "resources", "figures",
        "completion");
    /** The commands in optional parts. */
    private static final Set<String> PARTS = Set.of("resources", "figures");

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "On error, print a stack trace.")
    boolean verbose;

    @Option(names = QUIET, scope = ScopeType.INHERIT, description = "Suppress progress and notices.")
    boolean quiet;

    @Option(names = ALL_HELP, scope = ScopeType.INHERIT, description = "Show all options and exit.")
    boolean helpForAll;

    @Spec
    CommandSpec spec;

    private Skerry() {
    }

    /** Runs a command and exits with its code. */
    public static void main(final String[] arguments) {
        final StandardOutput output = StandardOutput.install();
        System.exit(execute(new PrintWriter(System.out, true), new PrintWriter(System.err, true), output::failure,
            arguments));
    }

    /** Runs a command and returns its exit code. */
    static int execute(final PrintWriter out, final PrintWriter err, final String... arguments) {
        return execute(out, err, () -> "", arguments);
    }

    /** Runs a command and returns its exit code, which is not 0 if its output could not be written completely. */
    private static int execute(final PrintWriter out, final PrintWriter err, final Supplier<String> unwritten,
        final String... arguments) {
        StopSignal.command();
        int lost = 0;
        try {
            final int code = command(out, err, arguments);
            out.flush();
            final String why = unwritten.get();
            if (!why.isEmpty()) {
                err.println("skerry: standard output: " + why + ": the output is incomplete, free space or write "
                    + "it elsewhere");
                err.flush();
                lost = VIOLATED;
            }
            return code != 0 ? code : lost;
        } finally {
            StopSignal.said(lost);
        }
    }

    /** Returns the named fabric; null if none is named. */
    private static String fabric(final List<String> words) {
        final int at = words.indexOf("--fabric");
        return at >= 0 && at + 1 < words.size() ? words.get(at + 1) : words.stream()
            .filter(word -> word.startsWith("--fabric=")).findFirst().map(word -> word.substring(9)).orElse(null);
    }

    private static int command(final PrintWriter out, final PrintWriter err, final String... arguments) {
        final Skerry skerry = new Skerry();
        try {
            if (Arrays.equals(arguments, ASKING_VERSION)) {
                // Scripts often ask for the version, so the answer does not set up any options.
                out.println("skerry " + BuildVersion.TEXT);
                return 0;
            }
            Parts.join();
            final String[] words = asked(SettingsFile.expand(arguments));
            CheckpointOptions.guard(Arrays.asList(words));
            final CommandLine line = new CommandLine(skerry);
            needed(words).forEach(name -> line.addSubcommand(command(name, arguments)));
            final List<String> asked = Arrays.asList(words);
            // Only a sweep accepts unknown options, which it passes on. Picocli also applies this setting to its
            // subcommands.
            line.getSubcommands().values().forEach(command -> command.getSubcommands().values()
                .forEach(below -> below.setUnmatchedArgumentsAllowed(false)));
            final String fabric = fabric(asked);
            if (fabric != null && asked.stream().anyMatch(HELP::contains)) {
                FabricKind.named(fabric);
            }
            HelpPages.install(line, asked.contains(ALL_HELP), fabric);
            refuseHelpOfNothing(line, words, arguments);
            final StringWriter held = new StringWriter();
            final int code = line
                .setOut(out)
                .setErr(asked.contains(QUIET) ? new PrintWriter(held) : err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(100)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler((e, args) -> {
                    // The error may have occurred before --verbose was parsed.
                    skerry.verbose |= Arrays.asList(args).contains("--verbose");
                    return skerry.failed(err, WRONG_INPUT, oneLine(e), e);
                })
                .setExecutionExceptionHandler((e, command, parsed) -> skerry.failed(err, command.getCommandName(), e))
                .execute(asked.stream().map(word -> word.equals(ALL_HELP) ? "--help" : word).toArray(String[]::new));
            if (code != 0) {
                err.print(held);
                err.flush();
            }
            return code;
        } catch (final InputException e) {
            return skerry.failed(err, e.exitCode(), e.getMessage(), e);
        } catch (final OutOfMemoryError e) {
            return skerry.failed(err, WRONG_INPUT, "skerry: memory: " + e.getMessage()
                + ": there is not enough for this run, choose fewer nodes or flows, or give Java more with "
                + "SKERRY_JAVA_OPTIONS=-Xmx...", e);
        } catch (final Error e) {
            return skerry.failed(err, VIOLATED, internalError("skerry", e), e);
        }
    }

    /** Replaces {@code help COMMAND} by {@code COMMAND --help}. */
    private static String[] asked(final String... words) {
        if (words.length == 0 || !words[0].equals("help")) {
            return words;
        }
        final List<String> moved = new ArrayList<>(Arrays.asList(words).subList(1, words.length));
        if (!moved.contains(ALL_HELP) && (moved.isEmpty() || COMMANDS.contains(moved.getFirst()))) {
            moved.add("--help");
        }
        return moved.toArray(String[]::new);
    }

    /** Refuses {@code help COMMAND WORD} if the word is not a subcommand of the command. */
    private static void refuseHelpOfNothing(final CommandLine line, final String[] words, final String... typed) {
        if (typed.length > 0 && typed[0].equals("help") && words.length > 2 && COMMANDS.contains(words[0])) {
            Choices.refuseIf(!words[1].startsWith("-")
                && !line.getSubcommands().get(words[0]).getSubcommands().containsKey(words[1]), "help", words[1],
                words[0] + " has no such command", "leave it out");
        }
    }

    /**
     * Returns the commands that the arguments may refer to. Setting up the options of a command takes some
     * milliseconds, so only the requested command is set up.
     */
    private static List<String> needed(final String... arguments) {
        return Arrays.stream(arguments).filter(argument -> !argument.equals("--verbose") && !argument.equals(QUIET))
            .findFirst()
            .filter(COMMANDS::contains).map(List::of).orElseGet(Skerry::there);
    }

    /** Returns all commands, except those in absent parts. */
    private static List<String> there() {
        return COMMANDS.stream().filter(name -> !PARTS.contains(name) || PartCommand.find(name).isPresent()).toList();
    }

    /** Returns a command line with all commands, for completion. */
    static CommandLine withAllCommands() {
        final CommandLine line = new CommandLine(new Skerry());
        there().forEach(name -> line.addSubcommand(command(name)));
        return line;
    }

    private static Object command(final String name, final String... typed) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "compare" -> new CompareCommand();
            case "sweep" -> new SweepCommand(new SweepTargets(), SweptCommand.class.getName(),
                ArrayTask.class.getName());
            case "live" -> new LiveCommand(typed);
            case "rfc2544" -> new Rfc2544Command();
            case "ctl" -> new CtlCommand();
            case "stat" -> new StatCommand();
            case "watch" -> new WatchCommand();
            case "pieo" -> new PieoCommand();
            case "trace" -> new TraceCommand();
            case "cosim" -> new CosimCommand();
            case "coverage" -> new CoverageCommand();
            case "score" -> new ScoreCommand();
            case "header" -> new HeaderCommand();
            case "sva" -> new SvaCommand();
            case "completion" -> new CompletionCommand();
            default -> PartCommand.named(name);
        };
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    private int failed(final PrintWriter err, final String command, final Exception failure) {
        if (failure instanceof final InputException e) {
            return failed(err, e.exitCode(), failure.getMessage(), failure);
        }
        // A failure of a worker is wrapped in an IllegalStateException. After unwrapping, only an IllegalStateException
        // indicates a violated invariant.
        final Throwable met = failure instanceof IllegalStateException && failure.getCause() != null
            ? failure.getCause() : failure;
        if (met instanceof final OutOfMemoryError e) {
            throw e;
        }
        final String line = met instanceof IllegalStateException
            ? "skerry: " + command + ": invariant: " + failure.getMessage() + ", please report it with the command line"
            : internalError(command, met);
        return failed(err, VIOLATED, line, failure);
    }

    private int failed(final PrintWriter err, final int code, final String line, final Throwable failure) {
        err.println(line.replaceAll("\\p{Cntrl}+", " "));
        if (verbose) {
            failure.printStackTrace(err);
        }
        err.flush();
        return code;
    }

    private static String internalError(final String command, final Throwable failure) {
        if (failure instanceof IndexOutOfBoundsException && Boolean.getBoolean(Region.BOUNDS)) {
            return "skerry: " + command + ": --resume: an index of the checkpoint points outside its memory: "
                + failure.getMessage() + ", use another checkpoint, or start again without --resume";
        }
        return "skerry: " + command + ": internal error: " + failure
            + ", please report it with the command line and --verbose";
    }

    private static String oneLine(final ParameterException e) {
        final String command = e.getCommandLine().getCommandSpec().qualifiedName();
        final String help = ", see '" + command + " --help'";
        final String message = e.getMessage().replaceAll("\\s*\\R\\s*", " ")
            .replaceFirst("^Invalid value for option '[^']*'[^:]*: ", "")
            .replaceFirst("is not an? (int|long)$", "is not a whole number").replaceFirst("a double$", "a number");
        if (e instanceof final UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            final String typed = unmatched.getUnmatched().getFirst();
            final List<String> suggestions = unmatched.getSuggestions();
            // For commands, picocli suggests words that are not similar to the typed one.
            return "skerry: command line: " + typed + ": there is no such option or command"
                + (suggestions.isEmpty() || !typed.startsWith("-") && COMMANDS.containsAll(suggestions)
                ? Choices.nearest(typed, COMMANDS.stream().filter(name -> !name.equals(typed)).toList())
                : "; did you mean " + String.join(" or ", suggestions) + "?") + help;
        }
        final String where = e.getArgSpec() == null ? command
            : e.getArgSpec().isOption() ? ((CommandLine.Model.OptionSpec) e.getArgSpec()).longestName()
            : e.getArgSpec().paramLabel();
        return "skerry: command line: " + where + ": " + message + help;
    }
}
