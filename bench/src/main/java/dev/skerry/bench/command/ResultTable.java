package dev.skerry.bench.command;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints results as text: one block per benchmark, one line per variant, ours first. */
final class ResultTable {
    private static final String[] HEAD = {"", "score", "error", "unit", "cpu ns/op", "B/op", "ours is"};

    private ResultTable() {
    }

    static void print(final PrintWriter out, final Class<?> type, final List<Row> rows) {
        out.println();
        out.println(type.getSimpleName() + ": " + BenchmarkCatalogue.compare(type).question());
        final List<String[]> lines = new ArrayList<>();
        lines.add(HEAD);
        final Map<String, List<Row>> groups = new LinkedHashMap<>();
        for (final Row row : rows) {
            groups.computeIfAbsent(row.params(), params -> new ArrayList<>()).add(row);
        }
        groups.forEach((params, group) -> addGroup(lines, params, group));
        align(out, lines);
        out.flush();
    }

    private static void addGroup(final List<String[]> lines, final String params, final List<Row> group) {
        if (!params.isEmpty()) {
            lines.add(new String[] {params, "", "", "", "", "", ""});
        }
        final Row ours = group.stream().filter(Row::isOurs).findFirst().orElse(null);
        for (final Row row : group) {
            lines.add(new String[] {"  " + row.variant() + (row.isOurs() ? " *" : ""), number(row.score().getScore()),
                number(row.score().getScoreError()), row.score().getScoreUnit(), number(row.cpu()),
                number(row.allocated()), ours == null || row.isOurs() ? "" : factor(ours.speed() / row.speed())});
        }
    }

    private static String factor(final double ratio) {
        return String.format(Locale.ROOT, "%.2f x", ratio);
    }

    private static String number(final double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        final double size = Math.abs(value);
        return size < 0.01 ? "0" : String.format(Locale.ROOT, size < 10 ? "%.2f" : size < 1000 ? "%.1f" : "%,.0f",
            value);
    }

    private static void align(final PrintWriter out, final List<String[]> lines) {
        final int[] width = new int[HEAD.length];
        for (final String[] line : lines) {
            for (int column = 0; column < line.length; column++) {
                // A parameter line has no further columns, so it must not widen the first one.
                if (column > 0 || line[0].startsWith("  ")) {
                    width[column] = Math.max(width[column], line[column].length());
                }
            }
        }
        for (final String[] line : lines) {
            final StringBuilder text = new StringBuilder(line[0]);
            for (int column = 1; column < line.length; column++) {
                final int pad = width[column] - line[column].length();
                if (column == 1) {
                    text.append(" ".repeat(Math.max(0, width[0] - line[0].length())));
                }
                text.append("  ").append(column == 3 ? line[column] + " ".repeat(pad) : " ".repeat(pad) + line[column]);
            }
            out.println(text.toString().stripTrailing());
        }
    }
}
