package dev.skerry.tools.port;

import dev.skerry.tools.input.Unpacked;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipException;

/**
 * Reads a file sequentially through a moving window, decompressing gzip. A FIFO is read by a separate thread, because
 * its writer may send nothing for a long time. Not thread-safe.
 * <pre>
 *            position            limit
 *    +----------+------------------+---------+
 *    | read     | readable         | (free)  |
 *    +----------+------------------+---------+
 *    ^ base: offset of the window's first byte in the file
 * </pre>
 */
final class CaptureBytes implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 18;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final boolean BIG_ENDIAN_MACHINE = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private final Path file;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    /** Null for a regular file. */
    private final CaptureFeed feed;
    private InputStream stream = InputStream.nullInputStream();
    private String breakage = "";
    private final Arena arena;
    private MemorySegment window;
    private long base;
    private long position;
    private long limit;
    private boolean swapped;

    /**
     * Opens a file.
     *
     * @throws IOException if the file cannot be read.
     */
    CaptureBytes(final Path file) throws IOException {
        this.file = file;
        this.feed = Files.exists(file) && !Files.isRegularFile(file) ? new CaptureFeed(file) : null;
        openStream();
        this.arena = Arena.ofShared();
        this.window = arena.allocate(2 * CHUNK_BYTES, Long.BYTES);
    }

    private void openStream() throws IOException {
        if (feed == null) {
            try {
                stream = Unpacked.open(file);
            } catch (final EOFException | ZipException e) {
                breakage = reason(e);
            }
        }
    }

    /** Returns to the first byte. */
    void rewind() throws IOException {
        position = 0;
        // A file that fits into the window is still completely in memory.
        if (base > 0) {
            stream.close();
            base = 0;
            limit = 0;
            openStream();
        }
    }

    /** Memory of the bytes that {@link #ready} made readable; they start at {@link #position}. */
    MemorySegment window() {
        return window;
    }

    /** Returns the index of the next byte in the window. */
    long position() {
        return position;
    }

    /** Returns the offset of the next byte in the file; in the decompressed data if the file is compressed. */
    long offset() {
        return base + position;
    }

    /** Returns the cause of a decompression error; empty if there is none. */
    String breakage() {
        return breakage;
    }

    /**
     * Makes bytes readable.
     *
     * @param bytes wanted number of bytes.
     * @return readable bytes, fewer than wanted only at the end.
     */
    long ready(final long bytes) {
        final long there = limit - position;
        return there >= bytes ? bytes : fetch(bytes);
    }

    /** Tells whether more bytes may arrive, so that fewer bytes than wanted do not mean the end of the file. */
    boolean isPending() {
        return feed != null && !feed.isEnded();
    }

    private long fetch(final long bytes) {
        final long there = limit - position;
        if (position + bytes > window.byteSize() - CHUNK_BYTES) {
            final MemorySegment room = bytes + CHUNK_BYTES > window.byteSize()
                ? arena.allocate(bytes + 2 * CHUNK_BYTES, Long.BYTES) : window;
            MemorySegment.copy(window, position, room, 0, there);
            window = room;
            base += position;
            position = 0;
            limit = there;
        }
        while (limit - position < bytes && read()) {
            // The loop condition reads one more piece.
        }
        return Math.min(bytes, limit - position);
    }

    private boolean read() {
        if (feed != null) {
            final byte[] piece = feed.poll();
            if (piece != null) {
                MemorySegment.copy(piece, 0, window, ValueLayout.JAVA_BYTE, limit, piece.length);
                limit += piece.length;
            } else if (feed.failure() != null && breakage.isEmpty()) {
                breakage = reason(feed.failure());
            }
            return piece != null;
        }
        if (!breakage.isEmpty()) {
            return false;
        }
        try {
            final int read = stream.read(chunk, 0, CHUNK_BYTES);
            if (read <= 0) {
                return false;
            }
            MemorySegment.copy(chunk, 0, window, ValueLayout.JAVA_BYTE, limit, read);
            limit += read;
            return true;
        } catch (final IOException e) {
            breakage = reason(e);
            return false;
        }
    }

    private static String reason(final IOException e) {
        return switch (e) {
            case EOFException _ -> "the gzip data end too early";
            case ZipException _ -> "the gzip data are damaged";
            default -> "the file cannot be read (" + e.getMessage() + ")";
        };
    }

    /** Skips readable bytes. */
    void skip(final long bytes) {
        position += bytes;
    }

    /** Sets the byte order of the following numbers. */
    void order(final ByteOrder order) {
        swapped = order == ByteOrder.BIG_ENDIAN != BIG_ENDIAN_MACHINE;
    }

    /** Returns an unsigned 16-bit number at an offset from {@link #position}. */
    int u16(final long ahead) {
        final short value = window.get(SHORT, position + ahead);
        return (swapped ? Short.reverseBytes(value) : value) & 0xFFFF;
    }

    /** Returns an unsigned 32-bit number at an offset from {@link #position}. */
    long u32(final long ahead) {
        final int value = window.get(INT, position + ahead);
        return (swapped ? Integer.reverseBytes(value) : value) & 0xFFFF_FFFFL;
    }

    /** Returns a 64-bit number at an offset from {@link #position}. */
    long i64(final long ahead) {
        final long value = window.get(LONG, position + ahead);
        return swapped ? Long.reverseBytes(value) : value;
    }

    /** Returns an unsigned byte at an offset from {@link #position}. */
    int u8(final long ahead) {
        return window.get(ValueLayout.JAVA_BYTE, position + ahead) & 0xFF;
    }

    @Override
    public void close() {
        try {
            stream.close();
            if (feed != null) {
                feed.close();
            }
        } catch (final IOException e) {
            // Nothing is lost if closing fails, because the file was only read.
        } finally {
            arena.close();
        }
    }

    /**
     * Reads a FIFO, decompressing gzip, on a thread of its own, because opening and reading a FIFO block until its
     * writer acts. A bounded number of pieces is queued for one consumer thread.
     */
    private static final class CaptureFeed implements AutoCloseable {
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
                try (InputStream from = Unpacked.open(file)) {
                    copy(from);
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

        /** Returns the next piece; null if none has arrived, or at the end. */
        byte[] poll() {
            final byte[] piece = pieces.poll();
            if (piece == END) {
                ended.set(true);
            }
            return piece == END ? null : piece;
        }

        /** Tells whether the end has been reached. */
        boolean isEnded() {
            return ended.get();
        }

        /** Returns the cause of a premature end; null if there is none. */
        IOException failure() {
            return failure.get();
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
