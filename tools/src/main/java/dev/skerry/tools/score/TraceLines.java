package dev.skerry.tools.score;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Lines of a recorded trace, plain or gzip: comma-separated values, with the names of the columns in the first line.
 * Not thread-safe.
 */
public final class TraceLines implements Closeable {
    private static final String READABLE = "give a readable text or gzip file";

    private final String what;
    private final Path file;
    private final BufferedReader in;
    private final List<String> columns;
    private String[] values;
    private long number;

    /**
     * Reads the names of the columns.
     *
     * @param what kind of file, for error messages.
     */
    public TraceLines(final String what, final Path file) {
        this(what, file, open(what, file));
    }

    private static InputStream open(final String what, final Path file) {
        try {
            return Unpacked.open(file);
        } catch (final NoSuchFileException e) {
            throw new InputException(what, file.toString(), "there is no such file", "give an existing one");
        } catch (final IOException e) {
            throw new InputException(what, file + ":0", "cannot be read (" + e.getMessage() + ")", READABLE);
        }
    }

    /** Reads the names of the columns of a stream. */
    public TraceLines(final String what, final Path file, final InputStream from) {
        this.what = what;
        this.file = file;
        this.in = new BufferedReader(new InputStreamReader(from, StandardCharsets.ISO_8859_1));
        final String names = line();
        Choices.refuseIf(names == null, what, file, "it is empty", "give a trace with the names of its columns");
        this.columns = Arrays.stream(names.split(",")).map(String::strip).toList();
    }

    /** Returns the names of the columns, in order. */
    public List<String> columns() {
        return columns;
    }

    /** Returns the index of a column. */
    public int column(final String name) {
        final int column = columns.indexOf(name);
        Choices.refuseIf(column < 0, what, file + ":1", "there is no column " + name,
            "name the columns in the first line, see 'skerry score --help'");
        return column;
    }

    /** Moves to the next line that is not blank; false at the end. */
    public boolean next() {
        String line = line();
        while (line != null && line.isBlank()) {
            line = line();
        }
        if (line == null) {
            return false;
        }
        values = line.split(",", -1);
        if (values.length != columns.size()) {
            throw refuse(values.length + " values in " + columns.size() + " columns", "give every column a value");
        }
        return true;
    }

    private String line() {
        try {
            number++;
            return in.readLine();
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    private InputException unreadable(final IOException e) {
        return new InputException(what, file + ":" + number, "cannot be read (" + e.getMessage() + ")", READABLE);
    }

    /** Returns a value as text. */
    String text(final int column) {
        return values[column].strip();
    }

    /** Returns a value that is a whole number in a range. */
    public int number(final int column, final int least, final int most) {
        try {
            final int value = Integer.parseInt(text(column));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw refuse(columns.get(column) + " is " + InputException.quoted(text(column)), "give a whole number from "
            + least + " to " + most);
    }

    /** Returns an error about this line. */
    public InputException refuse(final String why, final String advice) {
        return new InputException(what, file + ":" + number, why, advice);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }
}
