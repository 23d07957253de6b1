package dev.skerry.tools.traffic;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Cuts a text file, plain or gzip, into lines and these into fields. Lines end with LF, CR LF or CR; the last one may
 * end with the file. Fields are separated by a comma, by blanks (space or tab) or by a comma between blanks; {@code #}
 * starts a comment. Two commas hold an empty field between them. One thread.
 */
final class LineReader implements Closeable {
    /** Longest line in bytes, its end not counted. */
    static final int MAX_LINE_BYTES = 1 << 16;
    /** What {@link #wholeNumber} returns for other text. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE;

    private static final int MAX_QUOTED = 40;
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";
    private static final Pattern SEPARATOR = Pattern.compile("[ \t]*,[ \t]*|[ \t]+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    private final String what;
    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[MAX_LINE_BYTES];
    private int position;
    private int limit;
    private boolean afterCarriageReturn;
    private String[] fields;
    private long lineNumber;

    /**
     * Opens a file.
     *
     * @param what kind of input, as errors name it.
     * @param file what to read.
     */
    LineReader(final String what, final Path file) {
        this.what = what;
        this.file = file;
        if (Files.isDirectory(file)) {
            throw refuse(file.toString(), "is a folder", "give the path of a file", null);
        }
        try {
            this.in = Unpacked.open(file);
            if (!(in instanceof GZIPInputStream) && file.toString().endsWith(".gz") && Files.size(file) > 0) {
                in.close();
                throw refuse(file.toString(), "is named .gz but holds no gzip data", "compress it or rename it", null);
            }
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    /** Moves to the next line; false at the end of the file. */
    boolean next() {
        try {
            final String line = line();
            if (line == null) {
                return false;
            }
            final boolean marked = lineNumber++ == 0 && line.startsWith(BYTE_ORDER_MARK);
            final int comment = line.indexOf('#');
            final String text = line.substring(marked ? BYTE_ORDER_MARK.length() : 0,
                comment < 0 ? line.length() : comment).strip();
            fields = text.isEmpty() ? new String[0] : SEPARATOR.split(text, -1);
            return true;
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    /** The bytes of the next line, a character each; null at the end of the file. */
    private String line() throws IOException {
        int next = read();
        if (afterCarriageReturn && next == '\n') {
            next = read();
        }
        if (next < 0) {
            return null;
        }
        final StringBuilder line = new StringBuilder();
        for (; next >= 0 && next != '\n' && next != '\r'; next = read()) {
            if (line.length() == MAX_LINE_BYTES) {
                throw refuse(file + ":" + (lineNumber + 1), "is longer than " + MAX_LINE_BYTES + " bytes",
                    "give one flow a line", null);
            }
            line.append((char) next);
        }
        afterCarriageReturn = next == '\r';
        return line.toString();
    }

    private int read() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, in.read(buffer));
        }
        return limit == 0 ? -1 : buffer[position++] & 0xFF;
    }

    /** Number of fields of the line; 0 of a blank line or a comment. */
    int fields() {
        return fields.length;
    }

    /** A field as it is. */
    String text(final int field) {
        return fields[field];
    }

    /** A field as a whole number, or {@link #NOT_A_NUMBER}. */
    long wholeNumber(final int field) {
        try {
            return Long.parseLong(fields[field]);
        } catch (final NumberFormatException e) {
            return NOT_A_NUMBER;
        }
    }

    /** A field as a decimal number, or NaN. */
    double number(final int field) {
        return DECIMAL.matcher(fields[field]).matches() ? Double.parseDouble(fields[field]) : Double.NaN;
    }

    /** A field in quotes for a message: shortened if long, with {@code ?} for what does not print. */
    String quote(final int field) {
        final String text = fields[field];
        final boolean isLong = text.length() > MAX_QUOTED;
        return "'" + (isLong ? text.substring(0, MAX_QUOTED) : text).replaceAll("[^ -~]", "?")
            + (isLong ? "...'" : "'");
    }

    /** The place of the line for a message. */
    String where() {
        return file + ":" + lineNumber;
    }

    private InputException unreadable(final IOException e) {
        final String here = file + ":" + (lineNumber + 1);
        return switch (e) {
            case NoSuchFileException _ -> refuse(file.toString(), "there is no such file", "give an existing one", e);
            case AccessDeniedException _ -> refuse(file.toString(), "may not be read", "change its permissions", e);
            case EOFException _ -> refuse(here, "the gzip data end too early", "copy or compress the file again", e);
            case ZipException _ -> refuse(here, "the gzip data are damaged", "copy or compress the file again", e);
            default -> refuse(here, "cannot be read (" + e.getMessage() + ")", "check the file and its disk", e);
        };
    }

    private InputException refuse(final String where, final String why, final String advice, final Throwable cause) {
        final InputException refusal = new InputException(what, where, why, advice);
        if (cause != null) {
            refusal.initCause(cause);
        }
        return refusal;
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
