package dev.skerry.tools.input;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Files that may be gzip, which is detected by content. */
public final class Unpacked {
    private static final int CHUNK_BYTES = 1 << 16;

    private Unpacked() {
    }

    /**
     * Opens a file: a {@link GZIPInputStream} if it is gzip, else the plain content.
     *
     * @param file the file.
     * @return its content, unpacked.
     * @throws IOException if the file cannot be read, or its gzip header is damaged.
     */
    public static InputStream open(final Path file) throws IOException {
        final InputStream raw = new BufferedInputStream(Files.newInputStream(file), CHUNK_BYTES);
        try {
            raw.mark(2);
            final boolean packed = (raw.read() | raw.read() << Byte.SIZE) == GZIPInputStream.GZIP_MAGIC;
            raw.reset();
            return packed ? new GZIPInputStream(raw, CHUNK_BYTES) : raw;
        } catch (final IOException e) {
            raw.close();
            throw e;
        }
    }
}
