package dev.skerry.tools.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A named table of whole numbers, fractions and words, for people and for programs. One thread. */
public final class ResourceTable {
    private static final int DIGITS = 4;
    private static final double SMALL = 1e-3;
    private static final double LARGE = 1e3;

    private final String name;
    private final String title;
    private final String[] columns;
    private final List<Object[]> rows = new ArrayList<>();

    /**
     * An empty table.
     *
     * @param name    key of the table for programs.
     * @param title   for people: what it is and where the paper has it.
     * @param columns names of the columns, keys for programs.
     */
    public ResourceTable(final String name, final String title, final String... columns) {
        this.name = name;
        this.title = title;
        this.columns = columns.clone();
    }

    /**
     * Appends a row.
     *
     * @param cells for every column a Long, Integer, Double or String.
     * @return this.
     */
    public ResourceTable row(final Object... cells) {
        if (cells.length != columns.length) {
            throw new IllegalStateException(name + " has " + columns.length + " columns: cells=" + cells.length);
        }
        rows.add(cells.clone());
        return this;
    }

    /** The names of the columns. */
    public List<String> columns() {
        return List.of(columns);
    }

    /** The rows as texts. */
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

    /** The table as lines, words to the left, numbers to the right. */
    @Override
    public String toString() {
        final int[] widths = new int[columns.length];
        for (int column = 0; column < columns.length; column++) {
            widths[column] = columns[column].length();
            for (final Object[] row : rows) {
                widths[column] = Math.max(widths[column], text(row[column]).length());
            }
        }
        final StringBuilder out = new StringBuilder(title).append('\n');
        line(out, columns, widths);
        for (final Object[] row : rows) {
            line(out, row, widths);
        }
        return out.toString();
    }

    private void line(final StringBuilder out, final Object[] cells, final int[] widths) {
        final StringBuilder row = new StringBuilder();
        for (int column = 0; column < cells.length; column++) {
            final String text = text(cells[column]);
            final String blanks = " ".repeat(widths[column] - text.length());
            final boolean word = !rows.isEmpty() && rows.getFirst()[column] instanceof String;
            row.append("  ").append(word ? text + blanks : blanks + text);
        }
        out.append(row.toString().stripTrailing()).append('\n');
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
