package dev.skerry.tools.sweep;

import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.sweep.SlurmEngine.SlurmClient;
import dev.skerry.tools.sweep.SlurmEngine.SlurmFolder;
import dev.skerry.tools.sweep.SlurmEngine.SlurmOptions;
import dev.skerry.tools.sweep.SweepPlan.SweepGrid;
import dev.skerry.tools.sweep.SweepPlan.SweepPoint;
import dev.skerry.tools.sweep.SweepPlan.SweepShard;
import dev.skerry.tools.sweep.SweepStore.SweepRow;
import dev.skerry.tools.sweep.SweepSummary.RunTable;
import dev.skerry.tools.sweep.SweepSummary.SweepHealth;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Unmatched;

import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** {@code skerry sweep}: a grid of settings times seeds. */
@Command(
    name = "sweep",
    subcommands = {SweepReportCommand.class, SweepCommand.Status.class, SweepCommand.Merge.class},
    description = {
        "Runs a grid of settings with several seeds each and keeps every finished run.",
        "",
        "The first word can be run (the default), compare or figures. Options that are not listed here belong to "
            + "that command; for those of run, see skerry run --help. To resume an interrupted sweep, repeat the "
            + "command; to add runs to a folder, repeat it with more values or seeds.",
        ""
    },
    footer = {
        "",
        "Example, throughput by load and tokens with three seeds each, then the means:",
        "  ./skerry sweep --nodes 64 --slots 20000 --set load=0.1:0.4:0.1 --set tokens=1,2 --seeds 1-3 \\",
        "    --out grid",
        "  ./skerry sweep report grid"
    })
public final class SweepCommand extends ToolCommand {
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})([kmgt])i?b?", Pattern.CASE_INSENSITIVE);
    private static final double MEMORY_SHARE = 0.8;
    private static final int MOST_JOBS = 4096;
    private static final int MOST_SEEDS = 100_000;
    private static final int FAILED = 1;

    private final SweepTarget target;
    private final String child;
    private final String task;

    @Option(names = "--set", paramLabel = "NAME=VALUES",
        description = "Values of an option: A,B,C, or FROM:TO:STEP, both ends included. If values contain commas or "
            + "colons, separate them with semicolons: A;B. Can be given for several options.")
    List<String> set = new ArrayList<>();

    @Option(names = "--seeds", paramLabel = "LIST",
        description = "Seeds, for example 1-5 or 1,3,7-9 (default: one seed).")
    String seeds;

    @Option(names = "--jobs", paramLabel = "J",
        description = "Number of runs at a time (default: processors divided by the threads of a run).")
    Integer jobs;

    @Option(names = "--memory", paramLabel = "SIZE",
        description = "Total memory of the runs that are active at the same time, for example 16g (default: 80 %% of "
            + "the machine's).")
    String memory;

    @Option(names = "--shard", paramLabel = "I/N",
        description = "Run only the I-th of N parts, to divide a sweep over machines; see sweep merge.")
    String shard;

    @Mixin
    final SlurmOptions slurm = new SlurmOptions();

    @Option(names = "--out", paramLabel = "DIR",
        description = "Folder of the sweep (required): a new one, or that of a sweep to continue.")
    Path out;

    @Unmatched
    List<String> rest = new ArrayList<>();

    /**
     * Creates the command.
     *
     * @param target the commands that it can run.
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
        Choices.refuseIf(out == null, "sweep", "--out", "it is missing", "name a folder for the runs");
        final boolean named = !rest.isEmpty() && target.commands().contains(rest.getFirst());
        final String command = named ? rest.getFirst() : "run";
        final SweepShard part = SweepShard.of(shard);
        final boolean onSlurm = slurm.isSlurm(memory);
        final long most = onSlurm ? Long.MAX_VALUE : memoryBytes();
        if (jobs != null) {
            Choices.inRange("--jobs", jobs, 1, MOST_JOBS);
        }
        final String version = BuildVersion.here();
        final List<SweepPoint> points = SweepPlan.of(target, version, command, SweepGrid.of(set), seeds(seeds),
            named ? rest.subList(1, rest.size()) : rest, part);
        try (StopSignal stop = StopSignal.listen();
            SweepStore store = SweepStore.open(out, part, typed(spec()))) {
            final Map<String, RunNeeds> needs = needs(points, store, most);
            final Console console = System.console();
            final boolean terminal = console != null && console.isTerminal();
            final PrintWriter err = err();
            final int failed = onSlurm
                ? new SlurmEngine(target, new SlurmFolder(out), store, slurm, jobs, version, task).run(points, needs,
                    stop, err, terminal)
                : new SweepPool(store, version, jobs != null ? jobs : usualJobs(points), most,
                    point -> needs.get(point.kind()).bytes(), target, child).run(points, stop, err, terminal);
            store.writeTables();
            SweepHealth.of(SweepStore.all(out)).notes().forEach(note -> err.println("skerry: sweep: " + note));
            final long done = points.stream().filter(point -> store.has(point.id())).count();
            out().printf(Locale.ROOT, "%,d of %,d runs in %s%s%n", done, points.size(), out,
                stop.requested() ? "; the same command goes on" : slurm.detached ? "; see sweep status" : "");
            out().flush();
            err.flush();
            return failed == 0 ? 0 : FAILED;
        } catch (final IOException e) {
            throw SweepStore.unwritable(out, e);
        }
    }

    /** Returns the command line as a shell reads it. */
    static String typed(final CommandSpec command) {
        return "./skerry " + command.commandLine().getParseResult().originalArgs().stream().map(Summary::word)
            .collect(Collectors.joining(" "));
    }

    /** Checks the remaining runs as the runs themselves would; seeds of one setting have nearly the same needs. */
    private Map<String, RunNeeds> needs(final List<SweepPoint> points, final SweepStore store, final long most) {
        final Map<String, RunNeeds> needs = new HashMap<>();
        for (final SweepPoint point : points) {
            if (!store.has(point.id()) && !needs.containsKey(point.kind())) {
                final RunNeeds needed = target.needs(point.command(), point.words());
                Choices.refuseIf(needed.bytes() > most, "--memory", memory == null ? mebibytes(most) : memory,
                    "a run needs about " + mebibytes(needed.bytes()) + ": " + String.join(" ", point.words()),
                    "give more or choose fewer nodes");
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
        Choices.refuseIf(!size.matches(), "--memory", memory, "it is no size", "give for example 16g or 800m");
        return Long.parseLong(size.group(1)) << 10 * (1 + "kmgt".indexOf(size.group(2).toLowerCase(Locale.ROOT)));
    }

    /** Returns the default number of jobs; runs with several threads share the processors. */
    private static int usualJobs(final List<SweepPoint> points) {
        int threads = 1;
        for (final SweepPoint point : points) {
            final SortedMap<String, String> typed = point.typed();
            final double one = RunTable.number(typed.get("threads"));
            threads = Math.max(threads, one > 1 ? (int) one : 1);
        }
        return Math.max(1, Runtime.getRuntime().availableProcessors() / threads);
    }

    /**
     * Parses the seeds of a sweep: {@code 1-5}, {@code 1,3,7-9}.
     *
     * @param typed text as typed; null for none.
     * @throws InputException if it is not a list of seeds.
     */
    static List<Long> seeds(final String typed) {
        final Set<Long> seeds = new LinkedHashSet<>();
        if (typed == null) {
            return List.of();
        }
        try {
            for (final String item : typed.split(",", -1)) {
                final int dash = item.indexOf('-', 1);
                final long from = Long.parseLong(dash < 0 ? item : item.substring(0, dash));
                final long to = dash < 0 ? from : Long.parseLong(item.substring(dash + 1));
                refuseSeeds(to < from || to - from < 0 || to - from >= MOST_SEEDS, typed, item
                    + " does not lead from a seed up to another, " + MOST_SEEDS + " at most");
                for (long step = 0; step <= to - from; step++) {
                    refuseSeeds(!seeds.add(from + step), typed, "seed " + (from + step) + " is listed twice");
                }
            }
        } catch (final NumberFormatException e) {
            refuseSeeds(true, typed, "it is no list of whole numbers");
        }
        return new ArrayList<>(seeds);
    }

    private static void refuseSeeds(final boolean wrong, final String typed, final String why) {
        Choices.refuseIf(wrong, "--seeds", typed, why, "give for example 1-5 or 1,3,7-9");
    }

    /** {@code skerry sweep merge}: merges finished runs of several folders. */
    @Command(
        name = "merge",
        description = {
            "Copies the finished runs of several folders, for example the shards of a sweep, into one. Runs that "
                + "are already there are kept.",
            ""
        },
        footer = {
            "",
            "Example, a sweep in two parts:",
            "  ./skerry sweep --set load=0.1,0.2 --shard 1/2 --out part1",
            "  ./skerry sweep --set load=0.1,0.2 --shard 2/2 --out part2",
            "  ./skerry sweep merge part1 part2 --out all"
        })
    static final class Merge extends ToolCommand {
        @Parameters(paramLabel = "DIR", arity = "1..*", description = "Folders of sweeps.")
        List<Path> folders = new ArrayList<>();

        @Option(names = "--out", paramLabel = "DIR",
            description = "Folder for the runs (required): a new one, or that of a sweep.")
        Path out;

        @Override
        public Integer call() {
            Choices.refuseIf(out == null, "sweep merge", "--out", "it is missing", "name a folder for the runs");
            final List<List<SweepRow>> rows = folders.stream().map(SweepStore::rows).toList();
            try (SweepStore store = SweepStore.open(out, SweepShard.of(null), SweepCommand.typed(spec()))) {
                int taken = 0;
                for (int i = 0; i < folders.size(); i++) {
                    Choices.refuseIf(Files.isSameFile(folders.get(i), out), "--out", out, "it is among the "
                        + "folders to merge", "leave it out there");
                    for (final SweepRow row : rows.get(i)) {
                        taken += store.take(folders.get(i), row.id()) ? 1 : 0;
                    }
                }
                store.writeTables();
                out().printf(Locale.ROOT, "%,d runs copied, %,d runs in %s%n", taken,
                    SweepStore.rows(out).size(), out);
                out().flush();
                return 0;
            } catch (final IOException e) {
                throw SweepStore.unwritable(out, e);
            }
        }
    }

    /** {@code skerry sweep status}: shows finished, running, waiting and failed runs. */
    @Command(
        name = "status",
        description = {
            "Shows the progress of a sweep: finished and running runs, and why runs failed. With --engine slurm, it "
                + "also shows what Slurm reports about unfinished runs.",
            ""
        },
        footer = {
            "",
            "Example, after ./skerry sweep --set load=0.1,0.2 --engine slurm --detach --out grid:",
            "  ./skerry sweep status grid"
        })
    static final class Status extends ToolCommand {
        @Parameters(paramLabel = "DIR", description = "Folder of a sweep.")
        Path folder;

        @Option(names = "--runs", description = "Also print a line for each unfinished run.")
        boolean each;

        @Override
        public Integer call() throws InterruptedException {
            final PrintWriter out = out();
            try {
                final Set<String> finished = SweepStore.finished(folder);
                out.printf(Locale.ROOT, "%,d runs finished%n", finished.size());
                final SlurmFolder slurm = new SlurmFolder(folder);
                if (slurm.isThere()) {
                    slurm(out, slurm, finished);
                } else {
                    out.printf(Locale.ROOT, "%,d runs under way on this machine%n", SweepStore.running(folder));
                }
                out.flush();
                return 0;
            } catch (final IOException e) {
                throw new InputException("sweep", folder.toString(), "its state cannot be told (" + e.getMessage()
                    + ")",
                    "try again when Slurm answers");
            }
        }

        private void slurm(final PrintWriter out, final SlurmFolder slurm, final Set<String> finished)
            throws IOException, InterruptedException {
            final Map<String, List<String>> states = new TreeMap<>();
            final Set<String> printed = new HashSet<>(finished);
            for (final SlurmClient.Seen task : SlurmClient.tasks(slurm.jobName())) {
                final List<String> ids = slurm.ids(task.array());
                if (!task.isOver() && task.index() < ids.size() && printed.add(ids.get(task.index()))) {
                    states.computeIfAbsent(task.state() + (task.isRunning() ? " on " + task.node() : task.reason()
                        .equals("None") ? "" : ", " + task.reason()), _ -> new ArrayList<>())
                        .add(slurm.task(task.array(), task.index()).point().line());
                }
            }
            for (final int array : slurm.arrays()) {
                final List<String> ids = slurm.ids(Integer.toString(array));
                for (int i = 0; i < ids.size(); i++) {
                    if (printed.add(ids.get(i))) {
                        final String why = slurm.failure(ids.get(i));
                        states.computeIfAbsent("not finished and in no queue, the same command tries them again",
                            _ -> new ArrayList<>()).add(slurm.task(Integer.toString(array), i).point().line() + ": "
                            + (why == null ? "its job ended without a word" : why));
                    }
                }
            }
            states.forEach((state, lines) -> {
                out.printf(Locale.ROOT, "%,d runs %s%n", lines.size(), state);
                if (each) {
                    lines.forEach(line -> out.println("  " + line));
                }
            });
        }
    }
}
