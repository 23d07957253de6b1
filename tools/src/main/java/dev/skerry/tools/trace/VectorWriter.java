package dev.skerry.tools.trace;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Writes the vectors of one scope into a file of its own. One thread. */
interface VectorWriter extends Closeable {
    /**
     * Writes one vector.
     *
     * @param time   in units of the source.
     * @param values one value per signal; bits above its width are ignored.
     * @throws IOException if the write fails.
     */
    void vector(long time, long[] values) throws IOException;

    /** ASCII text with a buffer; closing it closes the stream. */
    static Writer ascii(final OutputStream to) {
        return new BufferedWriter(new OutputStreamWriter(to, StandardCharsets.US_ASCII), 1 << 16);
    }
}
