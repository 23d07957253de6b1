package dev.skerry.tools.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A named table of integers, fractions and words, for people and programs. Not thread-safe. */
public final class ResourceTable {
    private static final int DIGITS = 4;
    private static final double SMALL = 1e-3;
    private static final double LARGE = 1e3;

    private final String name;
    private final String title;
    private final String[] columns;
    private final List<Object[]> rows = new ArrayList<>();

    /**
     * Creates an empty table.
     *
     * @param name    key of the table in JSON.
     * @param title   title of the table: its content, and the section of the paper.
     * @param columns names of the columns, also their keys in JSON.
     */
    public ResourceTable(final String name, final String title, final String... columns) {
        this.name = name;
        this.title = title;
        this.columns = columns.clone();
    }

    /**
     * Appends a row.
     *
     * @param cells a Long, Integer, Double or String for each column.
     * @return this.
     */
    public ResourceTable row(final Object... cells) {
        if (cells.length != columns.length) {
            throw new IllegalStateException(name + " has " + columns.length + " columns: cells=" + cells.length);
        }
        rows.add(cells.clone());
        return this;
    }

    /** Returns the names of the columns. */
    public List<String> columns() {
        return List.of(columns);
    }

    /** Returns the rows as texts. */
    public List<List<String>> rows() {
        return rows.stream().map(row -> Arrays.stream(row).map(ResourceTable::text).toList()).toList();
    }

    /** Writes the table as an array of objects into an open object. */
    public void write(final Json json) {
        json.open(name, '[');
        for (final Object[] row : rows) {
            json.open(null, '{');
            for (int column = 0; column < columns.length; column++) {
                json.putAny(columns[column], row[column]);
            }
            json.close('}');
        }
        json.close(']');
    }

    /** Returns the table as lines, with words aligned to the left and numbers to the right. */
    @Override
    public String toString() {
        final List<List<String>> lines = new ArrayList<>(List.of(columns()));
        lines.addAll(rows());
        return title + "\n"
            + aligned(lines, column -> !rows.isEmpty() && rows.getFirst()[column] instanceof String).indent(2);
    }

    /**
     * Returns lines in which each column is as wide as its widest cell, with two blanks between columns.
     *
     * @param lines cells of each line; all lines have the same number.
     * @param left  whether a column is aligned to the left; the others are aligned to the right.
     */
    public static String aligned(final List<List<String>> lines, final IntPredicate left) {
        final int[] widths = IntStream.range(0, lines.getFirst().size())
            .map(column -> lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0)).toArray();
        final StringBuilder out = new StringBuilder();
        for (final List<String> line : lines) {
            out.append(IntStream.range(0, widths.length).mapToObj(column -> {
                final String blanks = " ".repeat(widths[column] - line.get(column).length());
                return left.test(column) ? line.get(column) + blanks : blanks + line.get(column);
            }).collect(Collectors.joining("  ")).stripTrailing()).append('\n');
        }
        return out.toString();
    }

    private static String text(final Object cell) {
        if (cell instanceof final Double number) {
            final double size = Math.abs(number);
            if (size >= LARGE || !Double.isFinite(number)) {
                return String.format(Locale.ROOT, "%,.0f", number);
            }
            if (size < SMALL) {
                return size == 0 ? "0" : String.format(Locale.ROOT, "%.2e", number);
            }
            final BigDecimal rounded = new BigDecimal(number).round(new MathContext(DIGITS));
            return rounded.setScale(Math.max(0, rounded.scale() + DIGITS - rounded.precision())).toPlainString();
        }
        return cell instanceof Long || cell instanceof Integer ? String.format(Locale.ROOT, "%,d", cell)
            : cell.toString();
    }
}
