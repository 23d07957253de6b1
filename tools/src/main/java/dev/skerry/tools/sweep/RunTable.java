package dev.skerry.tools.sweep;

import dev.skerry.tools.report.SizeBin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs as comma-separated values, in the order of their settings and seeds. Immutable. */
final class RunTable {
    private static final String ALL = ".all.";
    private static final Pattern COUNT = Pattern.compile("(.+)[.][^.]+[.](flows|unfinished)");
    private static final List<String> STATISTICS = List.of("flows", "unfinished", "mean", "p50", "p99", "p99.9", "max");

    private final List<SweepRow> rows;
    private final SortedSet<String> settings = new TreeSet<>();

    private RunTable(final List<SweepRow> rows) {
        rows.forEach(row -> settings.addAll(row.settings().keySet()));
        Comparator<SweepRow> order = Comparator.comparing(SweepRow::command);
        for (final String name : settings) {
            order = order.thenComparing(row -> row.settings().getOrDefault(name, ""), RunTable::compare);
        }
        this.rows = rows.stream()
            .sorted(order.thenComparing(SweepRow::seed).thenComparing(SweepRow::version).thenComparing(SweepRow::id))
            .toList();
    }

    static RunTable of(final List<SweepRow> rows) {
        return new RunTable(rows);
    }

    /** Numbers by value, before texts. */
    static int compare(final String one, final String other) {
        final double a = number(one);
        final double b = number(other);
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return Double.isNaN(a) == Double.isNaN(b) ? one.compareTo(other) : Double.isNaN(a) ? 1 : -1;
        }
        return Double.compare(a, b) == 0 ? one.compareTo(other) : Double.compare(a, b);
    }

    /** A text as a number; NaN if it is none. */
    static double number(final String text) {
        try {
            return text == null || text.isEmpty() || text.length() > 40 ? Double.NaN : Double.parseDouble(text);
        } catch (final NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** The rows in order. */
    List<SweepRow> rows() {
        return rows;
    }

    /** Names of settings that are not the same in all runs. */
    List<String> varied() {
        return settings.stream().filter(name -> rows.stream()
            .map(row -> row.settings().getOrDefault(name, "")).distinct().count() > 1).toList();
    }

    /** Everything that a repeated sweep gives again. */
    String figures() {
        return csv(SweepRow::figures);
    }

    /** Seconds, and what else differs from one time to the next. */
    String times() {
        return csv(SweepRow::times);
    }

    /** Names of the columns of {@link #figures()} after the settings. */
    SortedSet<String> figureNames() {
        return names(SweepRow::figures);
    }

    private SortedSet<String> names(final Function<SweepRow, Map<String, String>> values) {
        final SortedSet<String> names = new TreeSet<>();
        rows.forEach(row -> names.addAll(values.apply(row).keySet()));
        names.addAll(ofEachBin(names));
        return names;
    }

    private String csv(final Function<SweepRow, Map<String, String>> values) {
        final SortedSet<String> names = names(values);
        final StringBuilder out = new StringBuilder();
        final List<String> heads = new ArrayList<>(List.of("id", "command", "version"));
        settings.forEach(name -> heads.add("set." + name));
        heads.add("set.seed");
        heads.addAll(names);
        line(out, heads);
        for (final SweepRow row : rows) {
            final List<String> cells = new ArrayList<>(List.of(row.id(), row.command(), row.version()));
            settings.forEach(name -> cells.add(row.settings().getOrDefault(name, "")));
            cells.add(Long.toString(row.seed()));
            names.forEach(name -> cells.add(values.apply(row).getOrDefault(name, isCount(name, values.apply(row))
                ? "0" : "")));
            line(out, cells);
        }
        return out.toString();
    }

    /** Whether a name counts flows of a bin that a run does not list, because it had none of that size. */
    private static boolean isCount(final String name, final Map<String, String> values) {
        final Matcher count = COUNT.matcher(name);
        return count.matches() && values.containsKey(count.group(1) + ALL + count.group(2));
    }

    /** Statistics for every bin of sizes: columns depend neither on what sizes there were nor on what flows carry. */
    private static Set<String> ofEachBin(final Set<String> names) {
        final Set<String> all = new TreeSet<>();
        for (final String name : names) {
            final int at = name.indexOf(ALL);
            if (at >= 0) {
                final Set<String> statistics = new TreeSet<>(STATISTICS);
                statistics.add(name.substring(at + ALL.length()));
                Stream.concat(SizeBin.words().stream(), Stream.of("all")).forEach(bin -> statistics.forEach(statistic ->
                    all.add(name.substring(0, at + 1) + bin + "." + statistic)));
            }
        }
        return all;
    }

    /** A cell that a spreadsheet would compute is a text, which it shows by an apostrophe; numbers stay. */
    private static String harmless(final String cell) {
        final boolean isNumber = cell.matches("[+-]?[0-9.]+([eE][+-]?[0-9]+)?");
        return !isNumber && cell.matches("(?s)[=+\\-@\t\r].*") ? "'" + cell : cell;
    }

    static void line(final StringBuilder out, final List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            final String cell = harmless(cells.get(i));
            out.append(i == 0 ? "" : ",").append(cell.matches("[^\",\r\n]*") ? cell
                : '"' + cell.replace("\"", "\"\"") + '"');
        }
        out.append('\n');
    }
}
