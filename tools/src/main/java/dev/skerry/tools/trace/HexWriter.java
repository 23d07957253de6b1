package dev.skerry.tools.trace;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes the vectors of a scope for {@code $readmemh}: a line a vector, its signals side by side as in a packed struct,
 * the first one in the most significant bits. {@link SvPackage} describes them. One thread.
 *
 * <pre>
 *   bits - 1                                   0
 *   +----------+----------+-- .. --+-----------+
 *   | signal 0 | signal 1 |        | signal n-1|      to the left as many zeros as complete a digit
 *   +----------+----------+-- .. --+-----------+
 * </pre>
 */
public final class HexWriter implements AutoCloseable {
    private static final int HEX_BITS = 4;

    private final ByteOutput out;
    private final int[] bits;
    private final byte[] row;

    /**
     * Begins a file.
     *
     * @param to    takes the file; closed with this.
     * @param scope what is traced.
     */
    public HexWriter(final OutputStream to, final Scope scope) throws IOException {
        this.out = new ByteOutput(to);
        this.bits = scope.widths();
        final int digits = (scope.bits() + HEX_BITS - 1) / HEX_BITS;
        this.row = new byte[digits + 1];
        row[digits] = '\n';
        out.text("// vectors of ").text(SvPackage.nameOf(scope)).text("::vector_t\n");
    }

    /** One vector. */
    public void vector(final long[] values) throws IOException {
        int at = row.length - 2;
        long rest = 0;
        int restBits = 0;
        for (int i = bits.length - 1; i >= 0; i--) {
            final long value = values[i] & Scope.mask(bits[i]);
            // Up to three bits wait for their digit; what they push out at the top waits in turn.
            long low = value << restBits | rest;
            final long high = restBits == 0 ? 0 : value >>> Long.SIZE - restBits;
            int have = Math.min(bits[i] + restBits, Long.SIZE);
            final int over = bits[i] + restBits - have;
            for (; have >= HEX_BITS; have -= HEX_BITS) {
                ByteOutput.hexDigit(row, at--, low);
                low >>>= HEX_BITS;
            }
            rest = over > 0 ? high : low;
            restBits = over > 0 ? over : have;
        }
        if (restBits > 0) {
            ByteOutput.hexDigit(row, at, rest);
        }
        out.bytes(row);
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
