package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.TableFormats;
import dev.skerry.tools.report.WholeFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.concurrent.Callable;

/** {@code skerry sweep report}: means over seeds, as a table, a file, and plots. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
        "Prints the mean over seeds of some figures for each setting, with its 95 %% interval (Student's t), and "
            + "writes means.csv (all figures), runs.csv (every run), report.html (plots) and each plot as SVG into the "
            + "folder.",
        ""
    },
    footer = {
        "",
        "Example, after ./skerry sweep --set load=0.1,0.2 --seeds 1-3 --out grid:",
        "  ./skerry sweep report grid --figures throughput,latencySlots.p99"
    })
final class SweepReportCommand implements Callable<Integer> {
    private static final List<String> USUAL = List.of("throughput", "flowsCompleted", "latencySlots.p99",
        "maxQueueLength");
    private static final int MOST = 4;

    @Parameters(paramLabel = "DIR", description = "The folder of a sweep.")
    Path folder;

    @Option(names = "--figures", paramLabel = "NAME", split = ",",
        description = "Which figures, by their names in runs.csv (default: the usual ones of a run).")
    List<String> figures = new ArrayList<>();

    @Option(names = "--x", paramLabel = "NAME",
        description = "The setting along the plots' axis (default: the first that differs and is a number).")
    String along;

    @Option(names = "--format", paramLabel = "csv|parquet", defaultValue = "csv",
        description = "Write the tables in this format too; docs/sweep.md says how Parquet is built in (default: "
            + "${DEFAULT-VALUE}).")
    String format;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        final TableFormats tables = TableFormats.of(format);
        final RunTable table = RunTable.of(SweepStore.rows(folder));
        if (table.rows().isEmpty()) {
            throw new InputException("sweep", folder.toString(), "it has no finished run",
                "start the sweep again with the same command");
        }
        final SweepSummary summary = new SweepSummary(table);
        final List<String> chosen = chosen(summary.figures());
        final SweepPlots plots = new SweepPlots(summary, along);
        final List<String> heads = new ArrayList<>(summary.heads());
        heads.add("runs");
        heads.addAll(chosen);
        final List<List<String>> rows = summary.groups().stream().map(group -> cells(summary, group, chosen)).toList();
        final PrintWriter out = spec.commandLine().getOut();
        print(out, heads, rows);
        final Page page = new Page("Sweep").heading("Sweep", folder.toAbsolutePath().normalize().getFileName()
            .toString()).section("Means over seeds", "Mean and half of the 95 % interval (Student's t).")
            .table(heads, rows, false).end();
        page.section("Plots", "Marks are means over seeds; strokes are their 95 % interval.");
        final List<Plot> pictures = plots.of(chosen);
        pictures.forEach(page::plot);
        page.end();
        try {
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
        spec.commandLine().getErr().println("skerry: plots in " + folder.resolve("report.html"));
        return 0;
    }

    private List<String> chosen(final SortedSet<String> there) {
        if (figures.isEmpty()) {
            final List<String> usual = USUAL.stream().filter(there::contains).toList();
            return usual.isEmpty() ? there.stream().limit(MOST).toList() : usual;
        }
        for (final String figure : figures) {
            if (!there.contains(figure)) {
                throw new InputException("--figures", figure, "no run has such a number", "see the heads of "
                    + folder.resolve("runs.csv"));
            }
        }
        return figures;
    }

    private static List<String> cells(final SweepSummary summary, final List<SweepRow> group,
        final List<String> chosen) {
        final List<String> cells = new ArrayList<>();
        summary.heads().forEach(head -> cells.add(SweepSummary.cell(group, head)));
        cells.add(Integer.toString(group.size()));
        for (final String figure : chosen) {
            final SweepSummary.Mean mean = SweepSummary.mean(group, figure);
            cells.add(mean.runs() == 0 ? "-" : text(mean.mean())
                + (Double.isNaN(mean.half()) ? "" : " +- " + text(mean.half())));
        }
        return cells;
    }

    /** Four digits, as many as there are where the number is whole and not too long. */
    private static String text(final double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e9 ? Long.toString((long) value)
            : String.format(Locale.ROOT, "%.4g", value);
    }

    private static void print(final PrintWriter out, final List<String> heads, final List<List<String>> rows) {
        final int[] widths = new int[heads.size()];
        for (int i = 0; i < widths.length; i++) {
            final int column = i;
            widths[i] = Math.max(heads.get(i).length(),
                rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0));
        }
        line(out, heads, widths);
        rows.forEach(row -> line(out, row, widths));
        out.flush();
    }

    private static void line(final PrintWriter out, final List<String> cells, final int[] widths) {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? "" : "  ").append(" ".repeat(widths[i] - cells.get(i).length())).append(cells.get(i));
        }
        out.println(line);
    }
}
