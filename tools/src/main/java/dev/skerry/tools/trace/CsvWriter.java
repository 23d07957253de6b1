package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.io.IOException;
import java.io.OutputStream;

/** Writes the vectors of a scope as CSV: one line per vector, unsigned decimal numbers. One thread. */
public final class CsvWriter implements AutoCloseable {
    private final ByteOutput out;
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
        this.out = new ByteOutput(to);
        this.bits = scope.widths();
        out.text(unit);
        for (final Signal signal : scope.signals()) {
            out.put(',').text(signal.name());
        }
        out.put('\n');
    }

    /**
     * Writes one vector.
     *
     * @param time   time in units of the header.
     * @param values one value per signal.
     * @throws IOException if the write fails.
     */
    public void vector(final long time, final long[] values) throws IOException {
        out.decimal(time);
        for (int i = 0; i < bits.length; i++) {
            out.put(',').decimal(values[i] & Scope.mask(bits[i]));
        }
        out.put('\n');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
