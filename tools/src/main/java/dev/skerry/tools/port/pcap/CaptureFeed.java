package dev.skerry.tools.port.pcap;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;

/**
 * Reads a FIFO, decompressed if it is gzip, by a thread of its own: opening and reading it wait for whoever writes. A
 * bounded number of pieces waits to be polled, by one thread.
 */
final class CaptureFeed implements AutoCloseable {
    private static final int PIECE_BYTES = 1 << 16;
    private static final int PIECES = 16;
    private static final byte[] END = {};

    private final Path file;
    private final ArrayBlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(PIECES);
    private final AtomicReference<IOException> failure = new AtomicReference<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread thread = new Thread(this::read, "skerry-feed");

    CaptureFeed(final Path file) {
        this.file = file;
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        try {
            try (PushbackInputStream raw = new PushbackInputStream(Files.newInputStream(file), Short.BYTES)) {
                final byte[] magic = raw.readNBytes(Short.BYTES);
                raw.unread(magic);
                final boolean isPacked = magic.length == Short.BYTES && magic[0] == 0x1F && magic[1] == (byte) 0x8B;
                copy(isPacked ? new GZIPInputStream(raw, PIECE_BYTES) : raw);
            } catch (final IOException e) {
                failure.set(e);
            }
            pieces.put(END);
        } catch (final InterruptedException closed) {
            ended.set(true);
        }
    }

    private void copy(final InputStream from) throws IOException, InterruptedException {
        final byte[] piece = new byte[PIECE_BYTES];
        for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
            if (read > 0) {
                pieces.put(Arrays.copyOf(piece, read));
            }
        }
    }

    /** The next piece; null if none has come, or at the end. */
    byte[] poll() {
        final byte[] piece = pieces.poll();
        if (piece == END) {
            ended.set(true);
        }
        return piece == END ? null : piece;
    }

    /** Whether no more will come. */
    boolean isEnded() {
        return ended.get();
    }

    /** Why it ended early; null if it did not. */
    IOException failure() {
        return failure.get();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
