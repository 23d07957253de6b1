package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

import java.io.IOException;
import java.io.OutputStream;

/** Writes the vectors of a scope as comma-separated unsigned decimal numbers, a line a vector. One thread. */
public final class CsvWriter implements AutoCloseable {
    private final ByteOutput out;
    private final int[] bits;

    /**
     * Begins a file with its header line.
     *
     * @param to    takes the file; closed with this.
     * @param scope what is traced.
     * @param unit  what time counts: slot or clock.
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

    /** One vector. */
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
