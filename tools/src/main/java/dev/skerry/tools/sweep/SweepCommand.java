package dev.skerry.tools.sweep;

import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.Summary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code skerry sweep}: a grid of settings times seeds. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    subcommands = {SweepReportCommand.class, SweepStatusCommand.class, SweepMergeCommand.class},
    description = {
        "Runs a grid of settings, each with several seeds, several at a time, and keeps every finished run.",
        "",
        "The first word may be run (the default), compare or figures; options that are not listed here are those of "
            + "this command. The same command line goes on where it stopped, however it stopped; more values or seeds "
            + "add runs to the folder.",
        ""
    },
    footer = {
        "",
        "Example, throughput by load and tokens, three seeds each, then their means:",
        "  ./skerry sweep --nodes 64 --slots 20000 --set load=0.1:0.4:0.1 --set tokens=1,2 --seeds 1-3 --out grid",
        "  ./skerry sweep report grid"
    })
public final class SweepCommand implements Callable<Integer> {
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})([kmgt])i?b?", Pattern.CASE_INSENSITIVE);
    private static final double MEMORY_SHARE = 0.8;
    private static final int MOST_JOBS = 4096;
    private static final int FAILED = 1;

    private final SweepTarget target;
    private final String child;
    private final String task;

    @Option(names = "--set", paramLabel = "NAME=VALUES",
        description = "Values of an option: A,B,C, or FROM:TO:STEP with both ends; where values have commas or colons "
            + "themselves, A;B. May be given for several options.")
    List<String> set = new ArrayList<>();

    @Option(names = "--seeds", paramLabel = "LIST", description = "Seeds, for example 1-5 or 1,3,7-9 (default: one).")
    String seeds;

    @Option(names = "--jobs", paramLabel = "J",
        description = "Runs at a time (default: processors by --threads of a run).")
    Integer jobs;

    @Option(names = "--memory", paramLabel = "SIZE",
        description = "Memory that runs may take together, for example 16g (default: 80 %% of the machine's).")
    String memory;

    @Option(names = "--shard", paramLabel = "I/N",
        description = "Run only the I-th of N parts, for machines that divide a sweep; see sweep merge.")
    String shard;

    @Mixin
    final SlurmOptions slurm = new SlurmOptions();

    @Option(names = "--out", paramLabel = "DIR",
        description = "The folder of the sweep, which has to be given: a new one, or that of a sweep to go on with.")
    Path out;

    @Unmatched
    List<String> rest = new ArrayList<>();

    @Spec
    CommandSpec spec;

    /**
     * The command.
     *
     * @param target the commands it can run.
     * @param child  the class whose main method runs a command until its input ends.
     * @param task   the class whose main method runs the task of a file.
     */
    public SweepCommand(final SweepTarget target, final String child, final String task) {
        this.target = target;
        this.child = child;
        this.task = task;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (out == null) {
            throw new InputException("sweep", "--out", "it is missing", "name a folder for the runs");
        }
        final boolean named = !rest.isEmpty() && target.commands().contains(rest.getFirst());
        final String command = named ? rest.getFirst() : "run";
        final SweepShard part = SweepShard.of(shard);
        final boolean onSlurm = slurm.isSlurm(memory);
        final long most = onSlurm ? Long.MAX_VALUE : memoryBytes();
        if (jobs != null) {
            Choices.inRange("--jobs", jobs, 1, MOST_JOBS);
        }
        final String version = BuildVersion.here();
        final List<SweepPoint> points = SweepPlan.of(target, version, command, SweepGrid.of(set), SeedList.of(seeds),
            named ? rest.subList(1, rest.size()) : rest).of(part);
        try (StopSignal stop = StopSignal.listen();
            SweepStore store = SweepStore.open(out, part, typed(spec))) {
            final Map<String, RunNeeds> needs = needs(points, store, most);
            final Console console = System.console();
            final boolean terminal = console != null && console.isTerminal();
            final PrintWriter err = spec.commandLine().getErr();
            final int failed = onSlurm
                ? new SlurmEngine(target, SlurmFolder.of(out), slurm, jobs, version, task).run(store, points, needs,
                    stop, err, terminal)
                : new SweepPool(store, version, jobs != null ? jobs : usualJobs(points), most,
                    point -> needs.get(point.kind()).bytes(), target, child).run(points, stop, err, terminal);
            store.writeTables();
            SweepHealth.of(SweepStore.all(out)).notes().forEach(note -> err.println("skerry: sweep: " + note));
            final long done = points.stream().filter(point -> store.has(point.id())).count();
            spec.commandLine().getOut().printf(Locale.ROOT, "%,d of %,d runs in %s%s%n", done, points.size(), out,
                stop.requested() ? "; the same command goes on" : slurm.isDetached() ? "; see sweep status" : "");
            spec.commandLine().getOut().flush();
            err.flush();
            return failed == 0 ? 0 : FAILED;
        } catch (final IOException e) {
            throw SweepStore.unwritable(out, e);
        }
    }

    /** The command line as a shell reads it. */
    static String typed(final CommandSpec command) {
        return "./skerry " + command.commandLine().getParseResult().originalArgs().stream().map(Summary::word)
            .collect(Collectors.joining(" "));
    }

    /** Checks what is left to run as the runs would; seeds of one setting differ by little. */
    private Map<String, RunNeeds> needs(final List<SweepPoint> points, final SweepStore store, final long most) {
        final Map<String, RunNeeds> needs = new HashMap<>();
        for (final SweepPoint point : points) {
            if (!store.has(point.id()) && !needs.containsKey(point.kind())) {
                final RunNeeds needed = target.needs(point.command(), point.words());
                if (needed.bytes() > most) {
                    throw new InputException("--memory", memory == null ? mebibytes(most) : memory,
                        "a run needs about " + mebibytes(needed.bytes()) + ": " + String.join(" ", point.words()),
                        "give more or choose fewer nodes");
                }
                needs.put(point.kind(), needed);
            }
        }
        return needs;
    }

    private static String mebibytes(final long bytes) {
        return (bytes >> 20) + "m";
    }

    private long memoryBytes() {
        if (memory == null) {
            return (long) (MEMORY_SHARE * ((com.sun.management.OperatingSystemMXBean) ManagementFactory
                .getOperatingSystemMXBean()).getTotalMemorySize());
        }
        final Matcher size = SIZE.matcher(memory);
        if (!size.matches()) {
            throw new InputException("--memory", memory, "it is no size", "give for example 16g or 800m");
        }
        return Long.parseLong(size.group(1)) << 10 * (1 + "kmgt".indexOf(size.group(2).toLowerCase(Locale.ROOT)));
    }

    /** Runs of several threads share the processors. */
    private static int usualJobs(final List<SweepPoint> points) {
        int threads = 1;
        for (final SweepPoint point : points) {
            final SortedMap<String, String> typed = point.typed();
            final double one = RunTable.number(typed.get("threads"));
            threads = Math.max(threads, one > 1 ? (int) one : 1);
        }
        return Math.max(1, Runtime.getRuntime().availableProcessors() / threads);
    }

    /** The seeds of a sweep: {@code 1-5}, {@code 1,3,7-9}. Any thread may call. */
    static final class SeedList {
        private static final int MOST = 100_000;

        private SeedList() {
        }

        /**
         * Reads a list.
         *
         * @param typed null for none.
         * @throws InputException if it is no list of seeds.
         */
        static List<Long> of(final String typed) {
            final Set<Long> seeds = new LinkedHashSet<>();
            if (typed == null) {
                return List.of();
            }
            try {
                for (final String item : typed.split(",", -1)) {
                    final int dash = item.indexOf('-', 1);
                    final long from = Long.parseLong(dash < 0 ? item : item.substring(0, dash));
                    final long to = dash < 0 ? from : Long.parseLong(item.substring(dash + 1));
                    if (to < from || to - from < 0 || to - from >= MOST) {
                        throw wrong(typed, item + " does not lead from a seed up to another, " + MOST + " at most");
                    }
                    for (long step = 0; step <= to - from; step++) {
                        if (!seeds.add(from + step)) {
                            throw wrong(typed, "seed " + (from + step) + " stands there twice");
                        }
                    }
                }
            } catch (final NumberFormatException e) {
                throw wrong(typed, "it is no list of whole numbers");
            }
            return new ArrayList<>(seeds);
        }

        private static InputException wrong(final String typed, final String why) {
            return new InputException("--seeds", typed, why, "give for example 1-5 or 1,3,7-9");
        }
    }
}
