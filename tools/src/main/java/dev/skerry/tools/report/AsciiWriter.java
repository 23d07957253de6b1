package dev.skerry.tools.report;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Comma-separated whole numbers without a string each: millions of lines a second. One thread. */
final class AsciiWriter implements AutoCloseable {
    private static final int LONGEST_NUMBER = 20;

    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];
    private final byte[] digits = new byte[LONGEST_NUMBER];
    private int length;

    AsciiWriter(final OutputStream out) {
        this.out = out;
    }

    /** A line of text; characters above 127 are not allowed. */
    void line(final String text) throws IOException {
        flush();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.write('\n');
    }

    /** A number and the character after it. */
    void number(final long value, final char end) throws IOException {
        if (length + LONGEST_NUMBER + 1 > buffer.length) {
            flush();
        }
        // Negative remainders, so that Long.MIN_VALUE needs no case of its own.
        long rest = value < 0 ? value : -value;
        int first = LONGEST_NUMBER;
        do {
            digits[--first] = (byte) ('0' - rest % 10);
            rest /= 10;
        }
        while (rest != 0);
        if (value < 0) {
            digits[--first] = '-';
        }
        System.arraycopy(digits, first, buffer, length, LONGEST_NUMBER - first);
        length += LONGEST_NUMBER - first;
        buffer[length++] = (byte) end;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.write(buffer, 0, length);
        length = 0;
    }
}
