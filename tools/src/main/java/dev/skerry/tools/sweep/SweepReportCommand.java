package dev.skerry.tools.sweep;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.Plot.Scale;
import dev.skerry.tools.plot.Plot.Style;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.ResourceTable;
import dev.skerry.tools.report.TableFormats;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.sweep.SweepStore.SweepRow;
import dev.skerry.tools.sweep.SweepSummary.RunTable;
import dev.skerry.tools.sweep.SweepSummary.SweepHealth;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code skerry sweep report}: means over seeds, as a table, a file, and plots. */
@Command(
    name = "report",
    description = {
        "Prints the mean over seeds of the main figures for each setting, with the 95 %% interval (Student's t) and "
            + "the number of runs, and names the runs that were not in a steady state. It writes means.csv (all "
            + "figures), runs.csv (every run), report.html (plots) and each plot as SVG into the folder.",
        ""
    },
    footer = {
        "",
        "Example, after ./skerry sweep --set load=0.1,0.2 --seeds 1-3 --out grid:",
        "  ./skerry sweep report grid --figures throughput,fct.all.p99,fct.1M-4M.mean"
    })
final class SweepReportCommand extends ToolCommand {
    private static final List<String> USUAL = List.of("offeredLoad", "throughput", "fct.all.mean", "fct.all.p99",
        "slowdown.all.mean", "slowdown.all.p99", "latencySlots.p99", "maxQueueLength");
    /** Default figures of each fabric of a comparison. */
    private static final List<String> USUAL_OF_EACH = List.of(".deliveredGbpsPerNode", ".completionUs.all.p50",
        ".completionUs.all.p99");
    private static final int MOST = 4;

    @Parameters(paramLabel = "DIR", description = "Folder of a sweep.")
    Path folder;

    @Option(names = "--figures", paramLabel = "NAME", split = ",",
        description = "Figures to print, by their names in runs.csv (default: throughput, completion times, "
            + "slowdown, cell latency and the longest queue).")
    List<String> figures = new ArrayList<>();

    @Option(names = "--x", paramLabel = "NAME",
        description = "Setting on the x axis of the plots (default: the numeric setting with the most values).")
    String along;

    @Option(names = "--format", paramLabel = "csv|parquet", defaultValue = "csv",
        description = "Also write the tables in this format; docs/sweep.md explains how to build in Parquet "
            + "(default: ${DEFAULT-VALUE}).")
    String format;

    @Override
    public Integer call() {
        final TableFormats tables = TableFormats.of(format);
        final RunTable table = new RunTable(SweepStore.all(folder));
        Choices.refuseIf(table.rows.stream().allMatch(SweepRow::isFailed), "sweep", folder, "it has no finished run",
            "start the sweep again with the same command");
        final SweepSummary summary = new SweepSummary(table);
        final List<String> chosen = chosen(summary.figures(), table.figureNames());
        final SweepPlots plots = new SweepPlots(summary, along);
        final List<String> heads = new ArrayList<>(summary.heads());
        heads.addAll(List.of("runs", "steady", "unfinished"));
        chosen.forEach(figure -> heads.add(FigureWords.of(figure).words()));
        final List<List<String>> rows = summary.groups().stream().map(group -> cells(summary, group, chosen)).toList();
        final PrintWriter out = out();
        final List<String> notes = summary.health().notes();
        final List<List<String>> lines = new ArrayList<>(List.of(heads));
        lines.addAll(rows);
        out.print(ResourceTable.aligned(lines, _ -> false));
        out.println();
        legend(chosen).forEach(out::println);
        notes.forEach(note -> out.println("! " + note));
        out.flush();
        final List<Plot> pictures = plots.of(chosen);
        try {
            final Page page = new Page("Sweep");
            notes.forEach(page::alert);
            page.heading("Sweep", folder.toAbsolutePath().normalize().getFileName().toString());
            commands(page);
            page.tiles(summary.health().tiles());
            page.section("Means over seeds", "One row for each setting.").table(heads, rows.stream()
                .map(row -> row.stream().map(SweepReportCommand::signed).toList()).toList(), false);
            legend(chosen).forEach(line -> page.text(signed(line)));
            page.end();
            page.section("Plots", "Marks are means over seeds, and strokes their 95 % intervals. Diamonds are means "
                + "marked * in the table; do not compare these.");
            pictures.forEach(page::plot);
            page.end();
            WholeFile.write(folder.resolve("means.csv"), summary.csv());
            WholeFile.write(folder.resolve("runs.csv"), table.figures());
            WholeFile.write(folder.resolve("times.csv"), table.times());
            WholeFile.write(folder.resolve("report.html"), page.finish());
            for (final Plot plot : pictures) {
                WholeFile.write(folder.resolve(plot.id() + ".svg"), PlotFigure.svg(plot));
            }
            tables.convert(folder);
        } catch (final IOException e) {
            throw SweepStore.unwritable(folder, e);
        }
        err().println("skerry: plots in " + folder.resolve("report.html"));
        return 0;
    }

    /** Adds every command whose runs are in the folder to the page. */
    private void commands(final Page page) throws IOException {
        for (final String command : SweepStore.commands(folder)) {
            final List<String> words = List.of(command.split(" (?=--)"));
            page.command(words.getFirst(), words.subList(1, words.size()));
        }
    }

    private static String signed(final String text) {
        return text.replace("+-", "\u00b1");
    }

    private List<String> chosen(final SortedSet<String> there, final SortedSet<String> columns) {
        if (figures.isEmpty()) {
            final List<String> usual = Stream.concat(USUAL.stream().filter(there::contains),
                there.stream().filter(name -> USUAL_OF_EACH.stream().anyMatch(name::endsWith))).toList();
            return usual.isEmpty() ? there.stream().limit(MOST).toList() : usual;
        }
        for (final String figure : figures) {
            Choices.refuseIf(!there.contains(figure) && !(columns.contains(figure) && figure.contains(".")),
                "--figures", figure, "no run has such a number", "see the column names "
                    + "in " + folder.resolve("runs.csv"));
        }
        return figures;
    }

    private static List<String> cells(final SweepSummary summary, final List<SweepRow> group,
        final List<String> chosen) {
        final List<String> cells = new ArrayList<>();
        summary.heads().forEach(head -> cells.add(SweepSummary.cell(group, head)));
        final SweepHealth health = SweepHealth.of(group);
        cells.add(health.failed() == 0 ? Integer.toString(health.runs()) : health.runs() + ", " + health.failed()
            + " failed");
        cells.addAll(List.of(health.steadyText(), health.unfinishedText()));
        for (final String figure : chosen) {
            final SweepSummary.Mean mean = SweepSummary.mean(group, figure);
            cells.add(mean.runs() == 0 ? "-" : (health.isSound() ? "" : "*") + text(mean.mean())
                + (Double.isNaN(mean.half()) ? "" : " +- " + BigDecimal.valueOf(mean.half())
                    .round(new MathContext(2)).toPlainString()) + " (" + mean.runs() + ")");
        }
        return cells;
    }

    /** Returns an explanation of the columns, one sentence each. */
    private static List<String> legend(final List<String> chosen) {
        final List<String> lines = new ArrayList<>();
        lines.add("Mean +- half of the 95 % interval (Student's t), and in brackets the number of runs that have the "
            + "figure.");
        lines.add("*: some of the runs were not steady, had too few flows to judge, or have unfinished flows. The mean "
            + "then depends on how long the runs were: do not compare it with others. Repeat these runs with more "
            + "--slots, or, where they are saturated, with a lower --load; --drain waits for unfinished flows.");
        lines.add("steady: runs that delivered at least 90 % of the offered load while it was measured, of those that "
            + "were judged. saturated: not steady, and offered more than the fabric guarantees, so queues grow for as "
            + "long as flows arrive. unfinished: largest share of flows that did not finish.");
        final Map<String, List<String>> byUnit = new LinkedHashMap<>();
        chosen.stream().map(FigureWords::of).filter(words -> !words.unit().isEmpty())
            .forEach(words -> byUnit.computeIfAbsent(words.unit(), _ -> new ArrayList<>()).add(words.words()));
        if (byUnit.keySet().stream().anyMatch(unit -> unit.contains("cells + P"))) {
            lines.add("FCT: flow completion time in slots, from the start of a flow to its last cell, divided by "
                + "the slots that sending its cells one per slot and the propagation delay P take. Lower is better.");
        }
        byUnit.forEach((unit, words) -> lines.add(String.join(", ", words) + ": " + unit + "."));
        return lines;
    }

    /** Returns four digits, or all digits of a whole number that is not too long. */
    private static String text(final double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e9 ? Long.toString((long) value)
            : String.format(Locale.ROOT, "%.4g", value);
    }

    /** Figures of a sweep against one of its settings, with a line for each combination of the others. */
    static final class SweepPlots {
        /** Suffix of the name of a line: its means over runs that were not all steady, or have unfinished flows. */
        private static final String UNSOUND = "* not to be compared";

        private final SweepSummary summary;
        private final String along;

        /**
         * Creates the plots.
         *
         * @param along the setting; null for the one with the most values, among settings that are numbers in all runs.
         * @throws InputException if there is no such setting, or it is no number.
         */
        SweepPlots(final SweepSummary summary, final String along) {
            this.summary = summary;
            this.along = along != null ? along : summary.heads().stream().filter(this::isNumber)
                .max(Comparator.comparingLong(this::values).thenComparing(head -> -summary.heads().indexOf(head)))
                .orElse(null);
            Choices.refuseIf(along != null && !(summary.heads().contains(along) && isNumber(along)), "--x", along,
                "it is not a setting with several values that are all numbers", "use one of " + String.join(", ",
                summary.heads().stream().filter(this::isNumber).toList()));
        }

        private long values(final String head) {
            return summary.groups().stream().map(group -> SweepSummary.cell(group, head)).distinct().count();
        }

        private boolean isNumber(final String head) {
            return summary.groups().stream().noneMatch(group ->
                Double.isNaN(RunTable.number(SweepSummary.cell(group, head))));
        }

        /** Returns a plot for each figure; none if no setting can be an axis. */
        List<Plot> of(final List<String> figures) {
            final List<Plot> plots = new ArrayList<>();
            if (along == null) {
                return plots;
            }
            final Map<String, List<List<SweepRow>>> lines = new LinkedHashMap<>();
            for (final List<SweepRow> group : summary.groups()) {
                final List<String> others = summary.heads().stream().filter(head -> !head.equals(along))
                    .map(head -> head + " " + SweepSummary.cell(group, head)).toList();
                lines.computeIfAbsent(others.isEmpty() ? "mean" : String.join(", ", others), _ -> new ArrayList<>())
                    .add(group);
            }
            for (final String figure : figures) {
                final FigureWords words = FigureWords.of(figure);
                final Plot plot = new Plot(figure.replaceAll("[^A-Za-z0-9.-]", "-"), words.words() + " by "
                    + FigureWords.of(along).words(), FigureWords.of(along).whole(), Scale.LINEAR, words.whole(),
                    Scale.LINEAR);
                for (final Map.Entry<String, List<List<SweepRow>>> line : lines.entrySet()) {
                    add(plot, figure, line.getKey(), line.getValue());
                }
                plots.add(plot);
            }
            return plots;
        }

        private void add(final Plot plot, final String figure, final String name, final List<List<SweepRow>> groups) {
            final List<List<SweepRow>> sorted = groups.stream().sorted((one, other) -> RunTable.compare(
                SweepSummary.cell(one, along), SweepSummary.cell(other, along))).toList();
            final double[] x = new double[sorted.size()];
            final double[] mean = new double[x.length];
            final double[] low = new double[x.length];
            final double[] high = new double[x.length];
            final double[] unsound = new double[x.length];
            for (int i = 0; i < x.length; i++) {
                final SweepSummary.Mean one = SweepSummary.mean(sorted.get(i), figure);
                final boolean isSound = SweepHealth.of(sorted.get(i)).isSound();
                final double value = one.runs() == 0 ? Double.NaN : one.mean();
                x[i] = RunTable.number(SweepSummary.cell(sorted.get(i), along));
                mean[i] = isSound ? value : Double.NaN;
                unsound[i] = isSound ? Double.NaN : value;
                low[i] = mean[i] - one.half();
                high[i] = mean[i] + one.half();
            }
            plot.add(name, Style.DOTS, x, mean, low, high);
            if (!Arrays.stream(unsound).allMatch(Double::isNaN)) {
                plot.addPublished(name, UNSOUND, x, unsound);
            }
        }
    }

    /**
     * The meaning of a column of {@code runs.csv}, for people.
     *
     * @param words text in place of its name.
     * @param unit  its unit; empty if the words contain it.
     */
    private record FigureWords(String words, String unit) {
        private static final Pattern OF_BIN = Pattern.compile("(fct|slowdown|completionUs)[.]([^.]+)[.](.+)");
        private static final Pattern OF_FABRIC = Pattern.compile("fabrics[.]([^.]+)[.](.+)");
        private static final Pattern LATENCY = Pattern.compile("latencySlots[.](.+)");
        private static final String SLOT = "cells per node, slot and channel";
        private static final String GBPS = "Gb/s per node";
        private static final String CELLS = "cells";
        private static final Map<String, FigureWords> NAMED = Map.ofEntries(
            Map.entry("throughput", new FigureWords("throughput", SLOT)),
            Map.entry("offeredLoad", new FigureWords("offered load", SLOT)),
            Map.entry("offeredGbpsPerNode", new FigureWords("offered", GBPS)),
            Map.entry("deliveredGbpsPerNode", new FigureWords("delivered", GBPS)),
            Map.entry("deliveredLoad", new FigureWords("delivered load", SLOT)),
            Map.entry("load", new FigureWords("load", SLOT)),
            Map.entry("gigabitsPerSecondPerNode", new FigureWords("payload rate", GBPS)),
            Map.entry("flowsStarted", new FigureWords("flows started", "")),
            Map.entry("flowsCompleted", new FigureWords("flows completed", "")),
            Map.entry("flowsUnfinished", new FigureWords("unfinished flows", "")),
            Map.entry("maxQueueLength", new FigureWords("longest queue", CELLS)),
            Map.entry("maxBufferOccupancy", new FigureWords("largest buffer of a node", CELLS)),
            Map.entry("maxActiveBuckets", new FigureWords("maximum active buckets of a node", "")),
            Map.entry("maxReorderCells", new FigureWords("maximum reordering distance", CELLS)),
            Map.entry("slots", new FigureWords("slots", "")),
            Map.entry("propagation-ns", new FigureWords("propagation delay", "ns")),
            Map.entry("slot-ns", new FigureWords("slot", "ns")),
            Map.entry("cell-bytes", new FigureWords("cell", "bytes")),
            Map.entry("flow-bytes", new FigureWords("flow", "bytes")),
            Map.entry("h", new FigureWords("h", "phases of the schedule")));

        /** Returns the words for a column or a setting; an unknown one keeps its name. */
        static FigureWords of(final String name) {
            final Matcher fabric = OF_FABRIC.matcher(name);
            if (fabric.matches()) {
                final FigureWords of = of(fabric.group(2));
                return new FigureWords(fabric.group(1) + " " + of.words, of.unit);
            }
            final Matcher bin = OF_BIN.matcher(name);
            if (bin.matches()) {
                final String of = (bin.group(1).equals("slowdown") ? "slowdown" : "FCT") + " " + bin.group(3)
                    + (bin.group(2).equals("all") ? "" : ", " + bin.group(2));
                return new FigureWords(of, switch (bin.group(1)) {
                    case "fct" -> "slots / (cells + P)";
                    case "slowdown" -> "times the flow alone";
                    default -> "us";
                });
            }
            final Matcher latency = LATENCY.matcher(name);
            return latency.matches() ? new FigureWords("cell latency " + latency.group(1), "slots")
                : NAMED.getOrDefault(name, new FigureWords(name, ""));
        }

        /** Returns words and unit in one line. */
        String whole() {
            return unit.isEmpty() ? words : words + " (" + unit + ")";
        }
    }
}
