package dev.skerry.tools.figure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.tools.figure.Findings.Check;
import dev.skerry.tools.plot.Plot;
import dev.skerry.tools.plot.PlotFigure;
import dev.skerry.tools.plot.PlotText;
import dev.skerry.tools.report.Json;
import dev.skerry.tools.report.Page;
import dev.skerry.tools.report.ResourceTable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The catalogue of figures and their results as text, as JSON and as a folder of files. Without state; any thread. */
public final class FigureReport {
    private static final String[] COLUMNS = {"what", "expected", "accepted", "measured", "verdict"};

    private FigureReport() {
    }

    /** Returns the catalogue as a table. */
    public static ResourceTable catalogue(final List<Figure> figures) {
        final ResourceTable table = new ResourceTable("figures",
            "Figures, tables and results that can be measured again; minutes on one core",
            "name", "place", "minutes", "quick", "shows");
        for (final Figure figure : figures) {
            table.row(figure.name(), figure.place(), minutes(figure.minutes()), minutes(figure.quickMinutes()),
                figure.shows());
        }
        return table;
    }

    private static String minutes(final double minutes) {
        return minutes < 0.095 ? "<0.1" : String.format(Locale.ROOT, minutes < 10 ? "%.1f" : "%.0f", minutes);
    }

    /** Returns one figure as lines. */
    public static String text(final Measured measured) {
        final ResourceTable table = new ResourceTable(measured.figure().name(), heading(measured), COLUMNS);
        measured.found().checks().forEach(check -> table.row(row(check).toArray()));
        final StringBuilder text = new StringBuilder(table.toString());
        measured.found().remarks().forEach(remark -> text.append("  ").append(remark).append('\n'));
        return text.append("  ").append(closing(measured)).append('\n').toString();
    }

    private static List<String> row(final Check check) {
        return List.of(check.what(), check.expected(), check.rule().words(), check.measuredText(), verdict(check));
    }

    private static String heading(final Measured measured) {
        final Figure figure = measured.figure();
        return figure.name() + ": " + figure.paper() + ", " + figure.place() + ": " + figure.shows();
    }

    private static String closing(final Measured measured) {
        return String.format(Locale.ROOT, "%s, %.1f s", measured.verdict(), measured.seconds());
    }

    private static String verdict(final Check check) {
        return switch (check.verdict()) {
            case OK -> "ok";
            case MISSED -> "MISSED";
            case REPORTED -> "-";
        };
    }

    /** Returns all figures as one JSON object. */
    public static String json(final List<Measured> all, final Effort effort, final boolean interrupted) {
        final Json json = Json.document()
            .put("quick", effort.quick())
            .put("seed", effort.seed())
            .put("interrupted", interrupted)
            .open("figures", '[');
        for (final Measured measured : all) {
            final Figure figure = measured.figure();
            json.open(null, '{').put("name", figure.name()).put("paper", figure.paper()).put("place", figure.place())
                .put("seconds", measured.seconds()).put("processorSeconds", measured.processorSeconds())
                .put("missed", measured.missed())
                .put("blind", measured.found().checks().stream().filter(Check::blind).count())
                .open("checks", '[');
            for (final Check check : measured.found().checks()) {
                json.open(null, '{').put("what", check.what()).put("expected", check.expected())
                    .put("accepted", check.rule().words()).put("measured", check.measured())
                    .put("interval", check.interval())
                    .put("verdict", check.verdict().name().toLowerCase(Locale.ROOT)).close('}');
            }
            json.close(']').open("remarks", '[');
            measured.found().remarks().forEach(remark -> json.put(null, remark));
            json.close(']').close('}');
        }
        return json.close(']').close('}').toString();
    }

    /**
     * Writes {@code checks.csv}, {@code report.html}, and {@code FIGURE-PLOT.csv} and {@code .svg} for each plot into a
     * folder.
     *
     * @param command options that were given.
     */
    public static void write(final List<Measured> all, final List<String> command, final boolean interrupted,
        final Path folder) throws IOException {
        final StringBuilder checks = new StringBuilder("figure,what,expected,accepted,measured,verdict,interval\n");
        for (final Measured measured : all) {
            for (final Check check : measured.found().checks()) {
                checks.append(measured.figure().name()).append(',').append(PlotText.quoted(check.what())).append(',')
                    .append(PlotText.quoted(check.expected())).append(',')
                    .append(PlotText.quoted(check.rule().words())).append(',')
                    .append(check.measured()).append(',').append(verdict(check)).append(',')
                    .append(Double.isNaN(check.interval()) ? "" : check.interval()).append('\n');
            }
            for (final Plot plot : measured.found().plots()) {
                final String name = measured.figure().name() + "-" + plot.id();
                Files.writeString(folder.resolve(name + ".csv"), PlotText.csv(plot), UTF_8);
                Files.writeString(folder.resolve(name + ".svg"), PlotFigure.svg(plot), UTF_8);
            }
        }
        Files.writeString(folder.resolve("checks.csv"), checks, UTF_8);
        Files.writeString(folder.resolve("report.html"), html(all, command, interrupted), UTF_8);
    }

    private static String html(final List<Measured> all, final List<String> command, final boolean interrupted) {
        final Page page = new Page((interrupted ? "PARTIAL: " : "") + "The papers' figures, measured");
        if (interrupted) {
            page.alert("PARTIAL RESULT: interrupted, figures are missing.");
        }
        page.heading("Skerry figures", "The papers' figures, measured").command("./skerry figures", command);
        for (final Measured measured : all) {
            page.section(heading(measured), closing(measured));
            measured.found().plots().forEach(plot -> page.plot(plot.of(measured.figure().name())));
            page.table(List.of(COLUMNS), measured.found().checks().stream().map(FigureReport::row).toList(), false);
            measured.found().remarks().forEach(page::text);
            page.end();
        }
        return page.finish();
    }
}
