package dev.skerry.tools.figure;

import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.tools.execution.Checkpoints;
import dev.skerry.tools.figure.Effort.Choice;
import dev.skerry.tools.figure.Effort.Extent;
import dev.skerry.tools.figure.Effort.Progress;
import dev.skerry.tools.input.BuildVersion;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.PartCommand;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.OutFolder;
import dev.skerry.tools.sweep.SweepTarget.RunNeeds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * {@code skerry figures}: measures the papers' figures again and prints the measured values next to the expected ones.
 */
@Command(
    name = "figures",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Reproduces figures, tables and results of the three papers and checks their values.",
        "",
        "It prints, for each value, what is expected, what is accepted and what was measured; the exit code is 1 if "
            + "a value is not accepted. Without a name, it lists the figures and how many minutes each takes.",
        ""
    },
    footer = {
        "",
        "Example, Shoal's exact rates and its incast, in a short version:",
        "  ./skerry figures shoal-rates shoal-incast --quick"
    })
public final class FiguresCommand implements PartCommand, RunNeeds.Known {
    /** All figures, by paper, in the order of the list; the names are unique. */
    public static final List<Figure> ALL = List.of(
        ShoalSchedules.FIG3, ShoalSchedules.TABLE1, ShoalSchedules.FIG11, ShoalRates.RATES, ShoalRates.INCAST,
        ShoalRates.PROTOTYPE, ShoalRates.FAIRNESS, ShoalRates.FIG14, ShoalPareto.FIG15, ShoalPareto.FIG17,
        ShoalPareto.EPOCH, ShoalPareto.FIG18, ShaleFabrics.FIG1, ShaleFabrics.FIG4, ShaleFabrics.FIG7,
        ShaleFabrics.FIG8, ShaleFabrics.FIG9, ShaleMechanisms.FIG10, ShaleMechanisms.FIG11, ShaleFabrics.FIG12,
        ShaleFabrics.FIG13, StardustFormulas.SCALING, StardustFormulas.PACKING, StardustFormulas.FIG8A,
        StardustFormulas.FIG11, StardustFormulas.RESOURCES, StardustMechanisms.HEALING, StardustMechanisms.BRING_UP,
        StardustMechanisms.FIG7, StardustUtilization.FIG9_LATENCY, StardustSingleTier.LATENCY,
        StardustSingleTier.LOW_LATENCY, StardustUtilization.FIG9_QUEUES, StardustUtilization.FIG9_OVERLOAD,
        StardustUtilization.PATTERNS, StardustSingleTier.LINE_RATE,
        StardustMechanisms.CREDIT_SIZE, StardustMechanisms.INCAST_BUFFER, StardustTransports.FIG10A,
        StardustTransports.FIG10A_PEERS, StardustTransports.FIG10B, StardustTransports.FIG10C,
        StardustTransports.FIG10C_PEERS);

    private static final double MINUTES = 60;
    /**
     * Upper bound for every figure, set by the largest ones, because the memory of a figure is not known before it
     * runs.
     */
    private static final long MOST_HEAP_BYTES = 768L << 20;
    private static final long MOST_STATE_BYTES = 1024L << 20;

    @Parameters(paramLabel = "NAME", arity = "0..*",
        description = "Figures to measure, by name; shoal, shale, stardust and all select several.")
    List<String> names = new ArrayList<>();

    @Option(names = "--quick",
        description = "Short version: fewer seeds, shorter runs and smaller fabrics (default: as in the paper).")
    boolean quick;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
        description = "First of the seeds (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(names = "--slots", paramLabel = "T", defaultValue = "0",
        description = "Slots of each run of Shale's Figures 9 to 13, shorter or longer (default: as in the figure).")
    int slots;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "0",
        description = "Nodes of Shale's Figures 9 to 11: 256 with five seeds, 1296 with two, or 10000 with one "
            + "(default: 10000; 256 with --quick).")
    int nodes;

    @Option(names = "--h", paramLabel = "H", split = ",",
        description = "Only runs of Shale's Figures 10 to 13 with these numbers of phases; rules about others are "
            + "skipped.")
    SortedSet<Integer> phases = new TreeSet<>();

    @Option(names = "--cc", paramLabel = "PARTS", split = ",",
        description = "Only runs of Shale's Figures 10 and 11 with these mechanisms, which may be your own; rules "
            + "about others are skipped.")
    SortedSet<String> mechanisms = new TreeSet<>();

    @Option(names = "--threads", paramLabel = "W", defaultValue = "1",
        description = "Number of threads; the values do not depend on it (default: ${DEFAULT-VALUE}).")
    int threads;

    @Option(names = "--out", paramLabel = "DIR",
        description = "New folder for checks.csv, report.html and the points of every plot.")
    Path out;

    @Option(names = "--keep", paramLabel = "DIR",
        description = "Keep finished runs in this folder and reuse them, so that the same command continues where it "
            + "stopped. It keeps all runs of Shale and Shoal, and each seed of Stardust's figures with several seeds.")
    Path keep;

    @Option(names = "--json", description = "Print the results as JSON.")
    boolean json;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        Choices.inRange("--threads", threads, 1, 1024);
        final PrintWriter print = spec.commandLine().getOut();
        if (names.isEmpty()) {
            Choices.refuse("--keep", keep, "no figure is named", "name one or leave it out");
            if (out != null) {
                throw new InputException("--out", out.toString(), "no figure is named", "name one or leave it out");
            }
            list(print);
            return 0;
        }
        final List<Figure> figures = chosen();
        final Extent extent = extent(figures);
        if (out != null) {
            OutFolder.checkFree(out);
        }
        try (StopSignal stop = StopSignal.listen()) {
            return measure(figures, extent, stop, print);
        }
    }

    /** Returns the choices of the user; refuses a choice that does not apply to one of the figures. */
    private Extent extent(final List<Figure> figures) {
        Choices.inRange("--slots", slots, 0, 1_000_000_000);
        Choices.inRange("--nodes", nodes, 0, 1_000_000);
        final Extent extent = new Extent(slots, nodes, phases, mechanisms);
        for (final String cc : mechanisms) {
            try {
                Mechanisms.of(cc);
            } catch (final IllegalArgumentException e) {
                throw new InputException("--cc", cc, "there are no such mechanisms",
                    "join parts with +, as run takes them");
            }
        }
        for (final Choice choice : extent.chosen()) {
            figures.forEach(figure -> check(figure, choice, extent.words(choice)));
        }
        return extent;
    }

    private static void check(final Figure figure, final Choice choice, final String typed) {
        final List<String> words = figure.choices().get(choice);
        if (words == null) {
            throw new InputException(choice.option, typed, figure.name() + " does not support this option",
                "leave out one or the other");
        }
        for (final String word : typed.split(",")) {
            if (!words.isEmpty() && !words.contains(word)) {
                throw new InputException(choice.option, word, figure.name() + " has no such run",
                    "use some of " + String.join(", ", words));
            }
        }
    }

    private void list(final PrintWriter print) {
        if (json) {
            final Json text = Json.document();
            FigureReport.catalogue(ALL).write(text);
            print.print(text.close('}'));
        } else {
            print.print(FigureReport.catalogue(ALL));
        }
        print.flush();
    }

    /** Returns the figures that the user named; refuses an unknown name. */
    List<Figure> chosen() {
        final Set<Figure> chosen = new LinkedHashSet<>();
        for (final String name : names) {
            final List<Figure> found = ALL.stream()
                .filter(figure -> name.equals("all") || figure.name().equals(name)
                    || figure.paper().toLowerCase(Locale.ROOT).equals(name))
                .toList();
            if (found.isEmpty()) {
                throw new InputException("figures", name, "there is no such figure",
                    "see './skerry figures' for their names" + Choices.nearest(name,
                    ALL.stream().map(figure -> figure.name()).toList()));
            }
            chosen.addAll(found);
        }
        return List.copyOf(chosen);
    }

    /** Returns the needs of the process; refuses an unknown name. */
    @Override
    public RunNeeds needs() {
        chosen();
        return new RunNeeds(MOST_HEAP_BYTES, MOST_STATE_BYTES, threads, false);
    }

    private int measure(final List<Figure> figures, final Extent extent, final StopSignal stop,
        final PrintWriter print) {
        final PrintWriter err = spec.commandLine().getErr();
        final Effort effort = new Effort(quick, seed, extent, threads, keep == null ? KeptRuns.NONE
            : KeptRuns.in(keep, BuildVersion.engines(), BuildVersion.here()), Progress.NONE);
        cost(figures, quick).ifPresent(line -> err.println("skerry: figures: " + line));
        err.flush();
        final List<Measured> all = new ArrayList<>();
        for (final Figure figure : figures) {
            final Measured measured = Measured.of(figure, effort, stop::requested, err);
            if (measured == null) {
                break;
            }
            all.add(measured);
            if (!json) {
                print.print((all.size() > 1 ? "\n" : "") + FigureReport.text(measured));
                print.flush();
            }
        }
        final boolean interrupted = all.size() < figures.size();
        if (interrupted && effort.kept().hasGrown()) {
            stop.endWith(Checkpoints.STOPPED);
        }
        if (json) {
            print.print(FigureReport.json(all, effort, interrupted));
            print.flush();
        }
        if (out != null) {
            err.println("skerry: results in " + OutFolder.write(out, interrupted,
                folder -> FigureReport.write(all, command(extent), interrupted, folder)));
        }
        return verdict(all, err);
    }

    /** Returns the recorded time of the figures and how to shorten it; empty below one minute. */
    static Optional<String> cost(final List<Figure> figures, final boolean quick) {
        final double minutes = minutes(figures, quick);
        if (minutes < 1) {
            return Optional.empty();
        }
        final String shorter = figures.stream().flatMap(figure -> figure.choices().keySet().stream()).distinct()
            .sorted().map(choice -> choice.option).collect(Collectors.joining(", "));
        return Optional.of(String.format(Locale.ROOT, "about %,.0f minutes on one core%s, and up to %,d MiB of memory%s"
            + "%s; with --keep DIR the same command resumes", minutes, minutes < 2 * MINUTES ? "" : String.format(
            Locale.ROOT, " (%,.0f hours)", minutes / MINUTES), MOST_HEAP_BYTES + MOST_STATE_BYTES >> 20, quick ? ""
            : String.format(Locale.ROOT, "; --quick takes %,.0f minutes", Math.ceil(minutes(figures, true))),
            shorter.isEmpty() ? "" : "; " + shorter + " choose shorter or fewer runs"));
    }

    private static double minutes(final List<Figure> figures, final boolean quick) {
        return figures.stream().mapToDouble(figure -> quick ? figure.quickMinutes() : figure.minutes())
            .sum();
    }

    /** Prints the figures that missed a rule and returns the exit code. */
    static int verdict(final List<Measured> all, final PrintWriter err) {
        final List<Measured> missed = all.stream().filter(measured -> measured.missed() > 0).toList();
        if (!missed.isEmpty()) {
            err.printf(Locale.ROOT, "skerry: figures: %d of %d figures miss a rule: %s%n", missed.size(), all.size(),
                missed.stream().map(measured -> measured.figure().name()).collect(Collectors.joining(", ")));
        }
        err.flush();
        return missed.isEmpty() ? 0 : 1;
    }

    private List<String> command(final Extent extent) {
        final List<String> words = new ArrayList<>(names);
        if (quick) {
            words.add("--quick");
        }
        words.add("--seed " + seed);
        extent.chosen().forEach(choice -> words.add(choice.option + ' ' + extent.words(choice)));
        words.add("--threads " + threads);
        return words;
    }
}
