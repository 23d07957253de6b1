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
    /** Most lines have fewer fields; more are made room for. */
    private static final int USUAL_FIELDS = 8;

    private final String what;
    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[MAX_LINE_BYTES];
    /** The bytes of the line. */
    private byte[] bytes = new byte[1 << 8];
    private int position;
    private int limit;
    private boolean afterCarriageReturn;
    private String[] fields = new String[USUAL_FIELDS];
    private int fieldCount;
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

    /** Reads a text; errors name it as if it were a file. */
    LineReader(final String what, final String name, final String text) {
        this.what = what;
        this.file = Path.of(name);
        this.in = new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
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
            cut(line.substring(marked ? BYTE_ORDER_MARK.length() : 0,
                comment < 0 ? line.length() : comment).strip());
            return true;
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    /** Cuts a text into fields, without regular expressions: these cost short runs a tenth of their time. */
    private void cut(final String text) {
        fieldCount = 0;
        if (text.isEmpty()) {
            return;
        }
        int from = 0;
        for (int at = 0; at < text.length();) {
            if (text.charAt(at) != ',' && !isBlank(text.charAt(at))) {
                at++;
                continue;
            }
            addField(text.substring(from, at));
            at = afterBlanks(text, at);
            if (at < text.length() && text.charAt(at) == ',') {
                at = afterBlanks(text, at + 1);
            }
            from = at;
        }
        addField(text.substring(from));
    }

    private void addField(final String field) {
        if (fieldCount == fields.length) {
            fields = Arrays.copyOf(fields, 2 * fieldCount);
        }
        fields[fieldCount++] = field;
    }

    private static int afterBlanks(final String text, final int from) {
        int at = from;
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(final char letter) {
        return letter == ' ' || letter == '\t';
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
        int length = 0;
        for (; next >= 0 && next != '\n' && next != '\r'; next = read()) {
            if (length == MAX_LINE_BYTES) {
                throw refuse(file + ":" + (lineNumber + 1), "is longer than " + MAX_LINE_BYTES + " bytes",
                    "give one flow a line", null);
            }
            if (length == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * length);
            }
            bytes[length++] = (byte) next;
        }
        afterCarriageReturn = next == '\r';
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
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
        return fieldCount;
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
        return isDecimal(fields[field]) ? Double.parseDouble(fields[field]) : Double.NaN;
    }

    /** Whether a text is digits with at most one point, perhaps with a sign and an exponent. */
    private static boolean isDecimal(final String text) {
        final int start = afterSign(text, 0);
        final int point = afterDigits(text, start);
        final int end = point < text.length() && text.charAt(point) == '.' ? afterDigits(text, point + 1) : point;
        final int digits = end - start - (end > point ? 1 : 0);
        if (digits == 0 || end == text.length()) {
            return digits > 0;
        }
        final int exponent = afterSign(text, end + 1);
        return (text.charAt(end) | ' ') == 'e' && exponent < text.length()
            && afterDigits(text, exponent) == text.length();
    }

    private static int afterSign(final String text, final int at) {
        return at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-') ? at + 1 : at;
    }

    private static int afterDigits(final String text, final int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
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
