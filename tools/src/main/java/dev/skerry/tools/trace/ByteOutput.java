package dev.skerry.tools.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes ASCII text and numbers without creating strings. One thread. */
final class ByteOutput implements AutoCloseable {
    private static final int LONGEST_NUMBER = 64;
    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX_BITS = 4;

    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];
    private int length;

    ByteOutput(final OutputStream out) {
        this.out = out;
    }

    /** Writes a text of any length. */
    ByteOutput text(final String text) throws IOException {
        return bytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Writes bytes, also more than the buffer holds. */
    ByteOutput bytes(final byte[] bytes) throws IOException {
        if (bytes.length > buffer.length) {
            flush();
            out.write(bytes);
            return this;
        }
        room(bytes.length);
        System.arraycopy(bytes, 0, buffer, length, bytes.length);
        length += bytes.length;
        return this;
    }

    /** Writes one character. */
    ByteOutput put(final char character) throws IOException {
        room(1);
        buffer[length++] = (byte) character;
        return this;
    }

    /** Writes an unsigned decimal number. */
    ByteOutput decimal(final long value) throws IOException {
        room(LONGEST_NUMBER);
        if (value < 0) {
            // An unsigned number has up to 20 digits: write all but the last, then the last.
            final long most = (value >>> 1) / 5;
            return decimal(most).decimal(value - most * 10);
        }
        if (value < 10) {
            buffer[length++] = (byte) ('0' + value);
            return this;
        }
        int digits = 2;
        for (long rest = value / 100; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = value;
        for (int at = length + digits - 1; at >= length; at--) {
            buffer[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
        return this;
    }

    /** Writes a binary number without leading zeros. */
    ByteOutput binary(final long value) throws IOException {
        room(LONGEST_NUMBER);
        for (int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1); bit >= 0; bit--) {
            buffer[length++] = (byte) ('0' + (value >>> bit & 1));
        }
        return this;
    }

    /** Writes the hexadecimal digit of the low four bits at an index. */
    static void hexDigit(final byte[] row, final int at, final long value) {
        row[at] = DIGITS[(int) value & (1 << HEX_BITS) - 1];
    }

    @Override
    public void close() throws IOException {
        try (out) {
            flush();
        }
    }

    private void room(final int bytes) throws IOException {
        if (length + bytes > buffer.length) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.write(buffer, 0, length);
        length = 0;
    }
}
