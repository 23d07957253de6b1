package dev.skerry.tools.traffic;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.Unpacked;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Splits a text file, plain or compressed with gzip, into lines and fields. Lines end with LF, CR LF or CR; the last
 * line may end with the file. Fields are separated by a comma, by blanks (spaces or tabs) or by a comma between blanks;
 * {@code #} starts a comment. There is an empty field between two commas. Not thread-safe.
 */
final class LineReader implements Closeable {
    /** Maximum length of a line in bytes, without its end. */
    static final int MAX_LINE_BYTES = 1 << 16;
    /** Result of {@link #wholeNumber} for other text. */
    static final long NOT_A_NUMBER = Long.MIN_VALUE;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final String DECIMAL = "0123456789.+-eE";
    /** Initial capacity for fields, which is enough for most lines. */
    private static final int USUAL_FIELDS = 8;

    private final String what;
    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[MAX_LINE_BYTES];
    /** Bytes of the current line. */
    private final byte[] bytes = new byte[MAX_LINE_BYTES];
    private int position;
    private int limit;
    private boolean afterCarriageReturn;
    /** Start and end of each field. */
    private int[] starts = new int[USUAL_FIELDS];
    private int[] ends = new int[USUAL_FIELDS];
    private int fieldCount;
    private boolean comma;
    private long lineNumber;

    /**
     * Opens a file.
     *
     * @param what kind of input, for errors.
     * @param file the file.
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

    /** Reads a text; error messages contain the name in place of a file. */
    LineReader(final String what, final String name, final String text) {
        this.what = what;
        this.file = Path.of(name);
        this.in = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Moves to the next line; returns false at the end of the file. */
    boolean next() {
        try {
            final int length = line();
            if (length < 0) {
                return false;
            }
            int from = 0;
            if (lineNumber++ == 0 && length >= BYTE_ORDER_MARK.length && Arrays.equals(bytes, 0, BYTE_ORDER_MARK.length,
                BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length)) {
                from = BYTE_ORDER_MARK.length;
            }
            int end = from;
            while (end < length && bytes[end] != '#') {
                end++;
            }
            while (end > from && Character.isWhitespace(bytes[end - 1] & 0xFF)) {
                end--;
            }
            while (from < end && Character.isWhitespace(bytes[from] & 0xFF)) {
                from++;
            }
            cut(from, end);
            return true;
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    /** Splits the line into fields. Regular expressions would take ten times as long and slow down short runs. */
    private void cut(final int first, final int end) {
        fieldCount = 0;
        comma = false;
        if (first == end) {
            return;
        }
        int from = first;
        for (int at = first; at < end;) {
            if (bytes[at] != ',' && !isBlank(bytes[at])) {
                at++;
                continue;
            }
            addField(from, at);
            at = afterBlanks(at, end);
            if (at < end && bytes[at] == ',') {
                comma = true;
                at = afterBlanks(at + 1, end);
            }
            from = at;
        }
        addField(from, end);
    }

    private void addField(final int from, final int end) {
        if (fieldCount == starts.length) {
            starts = Arrays.copyOf(starts, 2 * fieldCount);
            ends = Arrays.copyOf(ends, 2 * fieldCount);
        }
        starts[fieldCount] = from;
        ends[fieldCount++] = end;
    }

    private int afterBlanks(final int from, final int end) {
        int at = from;
        while (at < end && isBlank(bytes[at])) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(final byte letter) {
        return letter == ' ' || letter == '\t';
    }

    /** Reads the next line and returns its length without its end; -1 at the end of the file. */
    private int line() throws IOException {
        int next = read();
        if (afterCarriageReturn && next == '\n') {
            next = read();
        }
        if (next < 0) {
            return -1;
        }
        int length = 0;
        for (; next >= 0 && next != '\n' && next != '\r'; next = read()) {
            if (length == MAX_LINE_BYTES) {
                throw refuse(file + ":" + (lineNumber + 1), "is longer than " + MAX_LINE_BYTES + " bytes",
                    "give one flow per line", null);
            }
            bytes[length++] = (byte) next;
        }
        afterCarriageReturn = next == '\r';
        return length;
    }

    /** Returns the next byte of the file; -1 at its end. */
    private int read() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, in.read(buffer));
        }
        return limit == 0 ? -1 : buffer[position++] & 0xFF;
    }

    /** Returns the number of fields of the line; 0 for a blank line or a comment. */
    int fields() {
        return fieldCount;
    }

    /** Tells whether commas separate fields of the line. */
    boolean hasComma() {
        return comma;
    }

    /** Splits the first field at an arrow, {@code 3->4}; returns false if there is none. */
    boolean cutArrow() {
        for (int at = starts[0]; at + 1 < ends[0]; at++) {
            if (bytes[at] == '-' && bytes[at + 1] == '>') {
                addField(0, 0);
                System.arraycopy(starts, 0, starts, 1, fieldCount - 1);
                System.arraycopy(ends, 0, ends, 1, fieldCount - 1);
                ends[0] = at;
                starts[1] = at + 2;
                return true;
            }
        }
        return false;
    }

    /** Removes the last field of the line. */
    void dropLast() {
        fieldCount--;
    }

    /** Returns a field as text. */
    String text(final int field) {
        return new String(bytes, starts[field], ends[field] - starts[field], StandardCharsets.ISO_8859_1);
    }

    /** Returns a field as a whole number, or {@link #NOT_A_NUMBER}. */
    long wholeNumber(final int field) {
        try {
            return Long.parseLong(text(field));
        } catch (final NumberFormatException e) {
            return NOT_A_NUMBER;
        }
    }

    /**
     * Returns a field as a decimal number, or NaN. Suffixes, hexadecimal digits and words that Java accepts are not
     * accepted.
     */
    double number(final int field) {
        for (int at = starts[field]; at < ends[field]; at++) {
            if (DECIMAL.indexOf(bytes[at]) < 0) {
                return Double.NaN;
            }
        }
        try {
            return Double.parseDouble(text(field));
        } catch (final NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** Returns a field in quotes for a message, shortened if it is long, with {@code ?} for unprintable characters. */
    String quote(final int field) {
        return InputException.quoted(text(field));
    }

    /** Returns the file and the number of the line for a message. */
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
