package dev.skerry.tools.report;

import dev.skerry.tools.report.TableFormat.Column;
import dev.skerry.tools.report.TableFormat.Kind;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The columns of a CSV file of ours, by all its lines. */
final class TableColumns {
    /** Names and hashes, which may look like numbers. */
    private static final Pattern TEXTS = Pattern.compile("id|version|command|(.*[.])?digest");
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    /** Whole numbers too long for 64 bits are names: a double would round them. */
    private static final Pattern REAL = Pattern.compile(
        "-?(NaN|Infinity|[0-9]{1,18}([.][0-9]{1,40})?([eE][-+]?[0-9]{1,3})?)");

    private TableColumns() {
    }

    /**
     * Reads a file: a column is of whole numbers if every value is one, of numbers if every value is one, else of text.
     *
     * @throws IOException if it cannot be read, or a line has more or fewer values than the first.
     */
    static List<Column> of(final Path csv) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(csv)) {
            final List<String> heads = record(in);
            if (heads == null) {
                throw new IOException(csv + " has no first line");
            }
            final Kind[] kinds = new Kind[heads.size()];
            for (List<String> values = record(in); values != null; values = record(in)) {
                if (values.size() != kinds.length) {
                    throw new IOException(csv + " has " + kinds.length + " columns and a line of " + values.size());
                }
                for (int i = 0; i < kinds.length; i++) {
                    kinds[i] = widest(kinds[i], values.get(i));
                }
            }
            final List<Column> columns = new ArrayList<>();
            for (int i = 0; i < kinds.length; i++) {
                columns.add(new Column(heads.get(i), kinds[i] == null || TEXTS.matcher(heads.get(i)).matches()
                    ? Kind.TEXT : kinds[i]));
            }
            return columns;
        }
    }

    private static Kind widest(final Kind before, final String value) {
        if (value.isEmpty() || before == Kind.TEXT) {
            return before;
        }
        final boolean whole = WHOLE.matcher(value).matches();
        final boolean real = whole || REAL.matcher(value).matches();
        return whole && before != Kind.REAL ? Kind.WHOLE : real ? Kind.REAL : Kind.TEXT;
    }

    /** The values of one record, which may have more than one line; null at the end. */
    private static List<String> record(final BufferedReader in) throws IOException {
        String line = in.readLine();
        if (line == null) {
            return null;
        }
        if (line.indexOf('"') < 0) {
            return Arrays.asList(line.split(",", -1));
        }
        final List<String> values = new ArrayList<>();
        final StringBuilder value = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length() || quoted; i++) {
            if (i == line.length()) {
                final String more = in.readLine();
                if (more == null) {
                    throw new IOException("a quote is left open");
                }
                line += "\n" + more;
            }
            final char sign = line.charAt(i);
            if (sign == '"') {
                quoted = !quoted;
                // Two in a row are one.
                if (quoted && i > 0 && line.charAt(i - 1) == '"') {
                    value.append(sign);
                }
            } else if (sign == ',' && !quoted) {
                values.add(value.toString());
                value.setLength(0);
            } else {
                value.append(sign);
            }
        }
        values.add(value.toString());
        return values;
    }
}
