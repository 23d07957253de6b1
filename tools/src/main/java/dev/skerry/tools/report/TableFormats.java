package dev.skerry.tools.report;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.TableFormat.Column;
import dev.skerry.tools.report.TableFormat.Kind;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes tables in a format that the user chooses, in addition to the CSV files of a folder. Parts with further formats
 * are jars in one of the {@link dev.skerry.tools.input.Parts}, or on the class path. Not thread-safe.
 */
public final class TableFormats {
    private static final String OPTION = "--format";
    private static final String CSV = ".csv";
    /** Columns of names and hashes, which may look like numbers. */
    private static final Pattern TEXTS = Pattern.compile("id|version|command|(.*[.])?digest");
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]{0,17})");
    /** Whole numbers that do not fit into 64 bits are treated as text, because a double would round them. */
    private static final Pattern REAL = Pattern.compile(
        "-?(NaN|Infinity|[0-9]{1,18}([.][0-9]{1,40})?([eE][-+]?[0-9]{1,3})?)");

    /** Null for CSV only. */
    private final TableFormat format;

    private TableFormats(final TableFormat format) {
        this.format = format;
    }

    /**
     * Returns the format with a name.
     *
     * @param name {@code csv}, or the name of a format in a part.
     * @throws InputException if there is no such format.
     */
    public static TableFormats of(final String name) {
        if (name.equals("csv")) {
            return new TableFormats(null);
        }
        Choices.refuseIf(!name.equals("parquet"), OPTION, name, "there is no such format", "use csv or parquet");
        return new TableFormats(ServiceLoader.load(TableFormat.class).stream().map(ServiceLoader.Provider::get)
            .filter(part -> part.name().equals(name)).findFirst().orElseThrow(() -> new InputException(OPTION, name,
                "the part that writes it is not built", "build it once with mvn -Pparquet package, or use csv")));
    }

    /**
     * Converts every CSV file of a folder to this format, in the same folder.
     *
     * @throws IOException if a file cannot be written.
     */
    public void convert(final Path folder) throws IOException {
        if (format == null) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path csv : files.filter(file -> file.toString().endsWith(CSV)).sorted().toList()) {
                final String name = csv.getFileName().toString();
                format.write(csv, columns(csv), csv.resolveSibling(name.substring(0, name.length()
                    - CSV.length() + 1) + format.name()));
            }
        }
    }

    /**
     * Determines the columns of a file: a column has integers if all its values are integers, doubles if all are
     * numbers, otherwise text.
     *
     * @throws IOException if the file cannot be read, or a line has more or fewer values than the first one.
     */
    static List<Column> columns(final Path csv) throws IOException {
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

    /** Returns the values of a record, which may span several lines; null at the end. */
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
                // Two consecutive quotes represent one quote.
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
