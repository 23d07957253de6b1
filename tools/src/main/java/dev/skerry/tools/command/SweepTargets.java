package dev.skerry.tools.command;

import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions.KindOptions;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.PartCommand;
import dev.skerry.tools.sweep.RunName;
import dev.skerry.tools.sweep.SweepTarget;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import dev.skerry.tools.sweep.SweptTask;
import dev.skerry.tools.traffic.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The commands that a sweep can run, with their own command lines. Not thread-safe. */
final class SweepTargets implements SweepTarget {
    private static final Set<String> NOT_THE_RUN = Set.of("--out", "--json", "--keep", "--publish", "--verbose",
        "--help", "--version");

    /** Names of options by fabric. */
    private final Map<String, Set<String>> names = new HashMap<>();

    @Override
    public List<String> commands() {
        return List.of("run", "compare", "figures");
    }

    @Override
    public List<String> owned(final String command, final List<String> words, final List<String> fabrics) {
        if (!command.equals("run") || fabrics.size() < 2) {
            return words;
        }
        final ParseResult parsed = parse(command, words);
        final Set<String> own = names(parsed.matchedOptionValue("--fabric", ""));
        final Set<String> foreign = fabrics.stream().flatMap(fabric -> names(fabric).stream())
            .filter(name -> !own.contains(name)).collect(Collectors.toSet());
        return parsed.matchedOptions().stream().filter(option -> !foreign.contains(option.longestName()))
            .map(KindOptions::word).toList();
    }

    private Set<String> names(final String fabric) {
        return names.computeIfAbsent(fabric, name -> FabricKind.named(name).optionNames());
    }

    @Override
    public Resolved resolve(final String command, final List<String> words) {
        final ParseResult parsed = parse(command, words);
        final SortedMap<String, String> typed = new TreeMap<>();
        final SortedMap<String, String> all = new TreeMap<>();
        for (final OptionSpec option : parsed.commandSpec().options()) {
            if (!NOT_THE_RUN.contains(option.longestName())) {
                final String text = text(option.getValue());
                all.put(option.longestName(), identified(option, text));
                if (parsed.hasMatchedOption(option) && !option.longestName().equals("--seed")) {
                    typed.put(option.longestName().substring(2), text);
                }
            }
        }
        final List<String> names = parsed.matchedPositionals().stream().flatMap(one -> one.originalStringValues()
            .stream()).toList();
        if (!names.isEmpty()) {
            all.put("names", names.toString());
            typed.put("names", String.join(" ", names));
        }
        if (parsed.commandSpec().userObject() instanceof final RunCommand run) {
            run.resolved().forEach((name, value) -> {
                if (!Set.of("flows", "faults", "workload").contains(name)) {
                    all.put("setting " + name, value);
                }
            });
        }
        return new Resolved(typed, all, Long.parseLong(all.get("--seed")));
    }

    @Override
    public RunNeeds needs(final String command, final List<String> words) {
        return switch (parse(command, words).commandSpec().userObject()) {
            case final RunCommand run -> run.needs(resumes(words));
            case final RunNeeds.Known other -> other.needs();
            default -> throw new IllegalStateException(command);
        };
    }

    @Override
    public double forecastSeconds(final String command, final List<String> words) {
        return parse(command, words).commandSpec().userObject() instanceof final RunCommand run
            ? run.forecastSeconds() : Double.NaN;
    }

    @Override
    public List<String> keeping(final String command, final Path folder) {
        return command.equals("figures") ? List.of("--keep=" + folder) : List.of();
    }

    /** Tells whether a run accepts the options of checkpoints. Nothing is written to the folder. */
    private boolean resumes(final List<String> words) {
        final List<String> more = new ArrayList<>(words);
        more.add("--checkpoint=" + System.getProperty("java.io.tmpdir"));
        try {
            ((RunCommand) parse("run", more).commandSpec().userObject()).refuse();
            return true;
        } catch (final InputException e) {
            return false;
        }
    }

    private ParseResult parse(final String command, final List<String> words) {
        final CommandLine root = new CommandLine(CommandSpec.create().name("skerry"));
        root.addSubcommand(switch (command) {
            case "run" -> new RunCommand();
            case "compare" -> new CompareCommand();
            default -> PartCommand.named(command);
        });
        root.setExpandAtFiles(false);
        final List<String> line = new ArrayList<>(words);
        line.addFirst(command);
        return root.parseArgs(line.toArray(String[]::new)).subcommand();
    }

    /** Returns a value in which the name of a file is replaced by a hash of its contents. */
    private static String identified(final OptionSpec option, final String text) {
        final String sizes = Workload.filePrefix(text);
        if (text.isEmpty() || sizes == null && !(option.getValue() instanceof Path)) {
            return text;
        }
        final Path file = Path.of(sizes == null ? text : text.substring(sizes.length()));
        try {
            if (Files.isRegularFile(file)) {
                return (sizes == null || sizes.equals("file:") ? "" : sizes) + "content " + RunName.content(file);
            }
        } catch (final IOException e) {
            throw new InputException(option.longestName(), text, "it cannot be read (" + e + ")", "give another file");
        }
        throw new InputException(option.longestName(), text, "there is no such file", "give an existing file");
    }

    private static String text(final Object value) {
        if (value == null) {
            return "";
        }
        return value.getClass().isArray() ? Arrays.deepToString(new Object[] {value}) : value.toString();
    }

    /** Process of one run in a sweep, which ends with its parent process. */
    static final class SweptCommand {
        private static final int ABANDONED = 143;

        private SweptCommand() {
        }

        /**
         * Runs a command and exits with its code. If standard input ends first, it exits immediately, because the
         * parent process has ended.
         */
        public static void main(final String[] arguments) throws IOException {
            Thread.ofPlatform().daemon().name("skerry-parent").start(SweptCommand::watchParent);
            Skerry.main(arguments);
        }

        private static void watchParent() {
            try {
                while (System.in.read() >= 0) {
                    continue;
                }
            } catch (final IOException e) {
                Runtime.getRuntime().halt(ABANDONED);
            }
            Runtime.getRuntime().halt(ABANDONED);
        }
    }

    /** Process of one task in a job array of a sweep. */
    static final class ArrayTask {
        private ArrayTask() {
        }

        /** Runs the task in a file and exits with its code. */
        public static void main(final String[] arguments) throws IOException {
            System.exit(SweptTask.run(Path.of(arguments[0]), Skerry::execute));
        }
    }
}
