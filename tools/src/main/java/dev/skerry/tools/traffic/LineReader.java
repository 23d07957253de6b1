package dev.skerry.tools.traffic;

import dev.skerry.tools.input.InputException;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Cuts a text file, plain or gzip, into lines that stay where they were read: a line is a range of {@link #bytes()},
 * valid until the next call of {@link #next()}. Lines end with LF, CR LF or CR; the last one may end with the file.
 * Compression is recognised by content. One thread.
 */
final class LineReader implements Closeable {
    /** Longest line in bytes, its end not counted. */
    static final int MAX_LINE_BYTES = 1 << 16;

    private static final int CHUNK_BYTES = 1 << 16;
    private static final int GZIP_MAGIC_0 = 0x1F;
    private static final int GZIP_MAGIC_1 = 0x8B;

    private final String what;
    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[MAX_LINE_BYTES + 1];
    private int position;
    private int limit;
    private boolean afterCarriageReturn;
    private int lineStart;
    private int lineEnd;
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
            this.in = open();
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    private InputStream open() throws IOException {
        final InputStream raw = new BufferedInputStream(Files.newInputStream(file), CHUNK_BYTES);
        try {
            raw.mark(2);
            final int first = raw.read();
            final boolean packed = first == GZIP_MAGIC_0 && raw.read() == GZIP_MAGIC_1;
            raw.reset();
            if (!packed && first >= 0 && file.toString().endsWith(".gz")) {
                throw refuse(file.toString(), "is named .gz but holds no gzip data", "compress it or rename it", null);
            }
            return packed ? new GZIPInputStream(raw, CHUNK_BYTES) : raw;
        } catch (final IOException | InputException e) {
            raw.close();
            throw e;
        }
    }

    /** Moves to the next line; false at the end of the file. */
    boolean next() {
        try {
            if (lineNumber == 0) {
                skipByteOrderMark();
            }
            lineStart = position;
            if (position == limit && !fill()) {
                return false;
            }
            if (afterCarriageReturn) {
                afterCarriageReturn = false;
                if (buffer[position] == '\n') {
                    lineStart = ++position;
                    if (position == limit && !fill()) {
                        return false;
                    }
                }
            }
            findEnd();
            lineNumber++;
            return true;
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    /** A byte order mark is no part of the first field. */
    private void skipByteOrderMark() throws IOException {
        boolean more = true;
        while (more && limit < 3) {
            more = fill();
        }
        if (limit >= 3 && buffer[0] == (byte) 0xEF && buffer[1] == (byte) 0xBB && buffer[2] == (byte) 0xBF) {
            position = 3;
        }
    }

    private void findEnd() throws IOException {
        int scan = position;
        while (true) {
            final byte[] bytes = buffer;
            final int end = limit;
            while (scan < end && bytes[scan] != '\n' && bytes[scan] != '\r') {
                scan++;
            }
            if (scan < end) {
                afterCarriageReturn = bytes[scan] == '\r';
                lineEnd = scan;
                position = scan + 1;
                return;
            }
            final int length = scan - lineStart;
            if (length > MAX_LINE_BYTES) {
                throw refuse(file + ":" + (lineNumber + 1), "is longer than " + MAX_LINE_BYTES + " bytes",
                    "give one flow a line", null);
            }
            if (!fill()) {
                lineEnd = limit;
                position = limit;
                return;
            }
            scan = lineStart + length;
        }
    }

    /** Moves the line under way to the front and reads more behind it; false at the end of the file. */
    private boolean fill() throws IOException {
        System.arraycopy(buffer, lineStart, buffer, 0, limit - lineStart);
        position -= lineStart;
        limit -= lineStart;
        lineStart = 0;
        final int read = in.read(buffer, limit, buffer.length - limit);
        if (read > 0) {
            limit += read;
        }
        return read > 0;
    }

    /** The array the line lies in. */
    byte[] bytes() {
        return buffer;
    }

    /** Index of the first byte of the line. */
    int start() {
        return lineStart;
    }

    /** Index behind the last byte of the line. */
    int end() {
        return lineEnd;
    }

    /** Number of the line, from 1. */
    long number() {
        return lineNumber;
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
