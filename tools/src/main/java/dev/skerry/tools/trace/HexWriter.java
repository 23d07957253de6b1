package dev.skerry.tools.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;

/**
 * Writes the vectors of a scope for {@code $readmemh}: one line per vector, with its signals as in a packed struct, the
 * first in the most significant bits. {@link SvPackage} writes the struct. One thread.
 *
 * <pre>
 *   bits - 1                                   0
 *   +----------+----------+-- .. --+-----------+
 *   | signal 0 | signal 1 |        | signal n-1|      zero bits on the left complete a digit
 *   +----------+----------+-- .. --+-----------+
 * </pre>
 */
public final class HexWriter implements VectorWriter {
    private static final int HEX_BITS = 4;

    private final Writer out;
    private final int[] bits;
    private final char[] row;

    /**
     * Creates a file without vectors.
     *
     * @param to    stream of the file; {@link #close} closes it.
     * @param scope scope of the vectors.
     * @throws IOException if the write fails.
     */
    public HexWriter(final OutputStream to, final Scope scope) throws IOException {
        this.out = VectorWriter.ascii(to);
        this.bits = scope.widths();
        final int digits = (scope.bits() + HEX_BITS - 1) / HEX_BITS;
        this.row = new char[digits + 1];
        row[digits] = '\n';
        out.append("// vectors of ").append(SvPackage.nameOf(scope)).append("::vector_t\n");
    }

    @Override
    public void vector(final long time, final long[] values) throws IOException {
        int at = row.length - 2;
        long rest = 0;
        int restBits = 0;
        for (int i = bits.length - 1; i >= 0; i--) {
            final long value = values[i] & Scope.mask(bits[i]);
            // Up to three bits wait for a full digit. Bits shifted out at the top become the next rest.
            long low = value << restBits | rest;
            final long high = restBits == 0 ? 0 : value >>> Long.SIZE - restBits;
            int have = Math.min(bits[i] + restBits, Long.SIZE);
            final int over = bits[i] + restBits - have;
            for (; have >= HEX_BITS; have -= HEX_BITS) {
                row[at--] = digit(low);
                low >>>= HEX_BITS;
            }
            rest = over > 0 ? high : low;
            restBits = over > 0 ? over : have;
        }
        if (restBits > 0) {
            row[at] = digit(rest);
        }
        out.write(row);
    }

    private static char digit(final long value) {
        return Character.forDigit((int) value & (1 << HEX_BITS) - 1, 1 << HEX_BITS);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
