package dev.skerry.tools.plot;

import dev.skerry.tools.plot.Plot.Axis;
import dev.skerry.tools.plot.Plot.Line;
import dev.skerry.tools.plot.Plot.Style;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Text forms of a plot: its description, and its numbers as a table and as comma-separated values. Pure functions. */
public final class PlotText {
    /** Largest number of rows of a table; of more values only every n-th is shown. */
    private static final int MOST_ROWS = 24;
    private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};
    private static final double FIRST_PREFIX = 10_000;
    private static final double LEAST_DECIMAL = 0.001;

    private PlotText() {
    }

    /** Returns one sentence for each axis, and one for the lines. */
    static String description(final Plot plot) {
        final Axis x = plot.xAxis();
        final Axis y = plot.yAxis();
        final StringBuilder text = new StringBuilder();
        text.append("Horizontal: ").append(x.title());
        if (plot.places().isEmpty()) {
            text.append(range(x));
        } else {
            text.append(", ").append(String.join(", ", plot.places()));
        }
        text.append(". Vertical: ").append(y.title()).append(range(y)).append(". ");
        final List<String> names = plot.lines().stream().map(PlotText::legend).toList();
        return text.append(names.size() == 1 ? "Shown: " : names.size() + " shown: ")
            .append(String.join("; ", names)).append('.').toString();
    }

    private static String range(final Axis axis) {
        return (axis.logarithmic() ? ", logarithmic, " : ", ") + tick(axis.low()) + " to "
            + tick(axis.high());
    }

    /** Returns the name of a line in the legend. */
    static String legend(final Line line) {
        return line.source().isEmpty() ? line.name() : line.name() + ", " + line.source();
    }

    /** Returns the heads of the table. */
    public static List<String> heads(final Plot plot) {
        final List<String> heads = new ArrayList<>(List.of(plot.xAxis().title()));
        plot.lines().forEach(line -> heads.add(legend(line)));
        return heads;
    }

    /** Returns the rows of the table: each x of any line, or every n-th of them, and the values of the lines there. */
    public static List<List<String>> rows(final Plot plot) {
        final List<Double> all = plot.lines().stream().flatMapToDouble(line -> Arrays.stream(line.x())).sorted()
            .distinct().boxed().toList();
        final int step = Math.max(1, Math.ceilDiv(all.size(), MOST_ROWS));
        final List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < all.size(); i += step) {
            rows.add(row(plot, all.get(i)));
        }
        if (!all.isEmpty() && (all.size() - 1) % step != 0) {
            rows.add(row(plot, all.getLast()));
        }
        return rows;
    }

    private static List<String> row(final Plot plot, final double x) {
        final List<String> row = new ArrayList<>();
        row.add(plot.places().isEmpty() ? number(x) : plot.places().get((int) x));
        for (final Line line : plot.lines()) {
            int at = -1;
            for (int i = 0; i < line.x().length && line.x()[i] <= x; i++) {
                at = line.x()[i] == x || line.style() == Style.STEPS ? i : -1;
            }
            row.add(at < 0 || Double.isNaN(line.y()[at]) ? "" : number(line.y()[at])
                + (line.hasInterval(at) ? " (" + number(line.low()[at]) + " to " + number(line.high()[at]) + ")" : ""));
        }
        return row;
    }

    private static String number(final double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value)
            : String.format(Locale.ROOT, "%.5g", value);
    }

    /**
     * Returns all numbers for other programs.
     *
     * @return lines {@code line,x,y}, with intervals {@code line,x,y,low,high}.
     */
    public static String csv(final Plot plot) {
        final boolean intervals = plot.lines().stream().anyMatch(line -> line.low().length > 0);
        final StringBuilder text = new StringBuilder(intervals ? "line,x,y,low,high\n" : "line,x,y\n");
        for (final Line line : plot.lines()) {
            for (int i = 0; i < line.x().length; i++) {
                text.append(quoted(legend(line))).append(',').append(line.x()[i]).append(',').append(line.y()[i]);
                if (intervals) {
                    text.append(',').append(line.hasInterval(i) ? line.low()[i] : "").append(',')
                        .append(line.hasInterval(i) ? line.high()[i] : "");
                }
                text.append('\n');
            }
        }
        return text.toString();
    }

    /** Returns a field of a file of comma-separated values. */
    public static String quoted(final String text) {
        return text.matches("[^,\"\\r\\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    /**
     * Returns the label of a tick, the same in every locale: a value without noise digits, with decimal prefixes from
     * ten thousand on and powers of ten below a thousandth.
     *
     * @param value any finite number.
     * @return its label: {@code 2e-7}, {@code 0.05}, {@code 2000}, {@code 20k}.
     */
    public static String tick(final double value) {
        if (value != 0 && Math.abs(value) < LEAST_DECIMAL) {
            return String.format(Locale.ROOT, "%.3e", value).replaceAll("\\.?0*e([+-])0*", "e$1");
        }
        double scaled = value;
        int prefix = 0;
        if (Math.abs(value) >= FIRST_PREFIX) {
            while (Math.abs(scaled) >= 1000 && prefix < PREFIXES.length - 1) {
                scaled /= 1000;
                prefix++;
            }
        }
        final String digits = String.format(Locale.ROOT, "%.6f", scaled).replaceAll("0+$", "").replaceAll("\\.$", "");
        return digits + PREFIXES[prefix];
    }
}
