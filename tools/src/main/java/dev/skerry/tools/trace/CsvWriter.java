package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;

/** Writes the vectors of a scope as CSV: one line per vector, unsigned decimal numbers. One thread. */
public final class CsvWriter implements VectorWriter {
    private final Writer out;
    private final int[] bits;

    /**
     * Writes the header line.
     *
     * @param to    stream of the file; {@link #close} closes it.
     * @param scope scope of the vectors.
     * @param unit  unit of time: slot or clock.
     * @throws IOException if the write fails.
     */
    public CsvWriter(final OutputStream to, final Scope scope, final String unit) throws IOException {
        this.out = VectorWriter.ascii(to);
        this.bits = scope.widths();
        out.write(unit);
        for (final Signal signal : scope.signals()) {
            out.append(',').append(signal.name());
        }
        out.append('\n');
    }

    @Override
    public void vector(final long time, final long[] values) throws IOException {
        out.write(Long.toString(time));
        for (int i = 0; i < bits.length; i++) {
            out.append(',').append(Long.toUnsignedString(values[i] & Scope.mask(bits[i])));
        }
        out.append('\n');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
