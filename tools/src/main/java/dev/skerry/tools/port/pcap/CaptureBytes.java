package dev.skerry.tools.port.pcap;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The bytes of a file from front to back: mapped whole, or if it is packed, unpacked piece by piece into a window that
 * moves on. One thread.
 * <pre>
 *            position            limit
 *    +----------+------------------+---------+
 *    | read     | can be read      | (room)  |     a mapped file has no room: its limit is its end
 *    +----------+------------------+---------+
 *    ^ base: the window's first byte in the file
 * </pre>
 */
final class CaptureBytes implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 18;
    private static final int GZIP_MAGIC = 0x8B1F;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final boolean BIG_ENDIAN_MACHINE = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private final Path file;
    private final Arena arena;
    private final boolean packed;
    private final byte[] chunk;
    private InputStream stream;
    private MemorySegment window;
    private long base;
    private long position;
    private long limit;
    private boolean swapped;
    private String breakage = "";

    /** Opens a regular file. */
    CaptureBytes(final Path file) throws IOException {
        this.file = file;
        this.arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            packed = all.byteSize() >= Short.BYTES
                && (all.get(SHORT.withOrder(ByteOrder.LITTLE_ENDIAN), 0) & 0xFFFF) == GZIP_MAGIC;
            chunk = packed ? new byte[CHUNK_BYTES] : null;
            window = packed ? arena.allocate(2 * CHUNK_BYTES, Long.BYTES) : all;
            limit = packed ? 0 : all.byteSize();
            if (packed) {
                openStream();
            }
        } catch (final IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private void openStream() throws IOException {
        final InputStream raw = Files.newInputStream(file);
        try {
            stream = new GZIPInputStream(new BufferedInputStream(raw, CHUNK_BYTES), CHUNK_BYTES);
        } catch (final IOException e) {
            raw.close();
            stream = InputStream.nullInputStream();
            breakage = reason(e);
        }
    }

    /** Goes back to the first byte. */
    void rewind() throws IOException {
        position = 0;
        if (packed) {
            stream.close();
            base = 0;
            limit = 0;
            breakage = "";
            openStream();
        }
    }

    /** Where the bytes that {@link #ready} promised lie, from {@link #position} on. */
    MemorySegment window() {
        return window;
    }

    /** Index of the next byte in the window. */
    long position() {
        return position;
    }

    /** Offset of the next byte in the file, or in what it unpacks to. */
    long offset() {
        return base + position;
    }

    /** Why a packed file cannot be unpacked any further; empty if it can or is not packed. */
    String breakage() {
        return breakage;
    }

    /**
     * Makes bytes readable.
     *
     * @param bytes how many are wanted.
     * @return how many are there, fewer than that at the end only.
     */
    long ready(final long bytes) {
        final long there = limit - position;
        return there >= bytes ? bytes : packed ? fetch(bytes) : there;
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
            // One more piece.
        }
        return Math.min(bytes, limit - position);
    }

    private boolean read() {
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

    /** Moves over bytes that are ready. */
    void skip(final long bytes) {
        position += bytes;
    }

    /** Says in which byte order numbers are from here on. */
    void order(final ByteOrder order) {
        swapped = order == ByteOrder.BIG_ENDIAN != BIG_ENDIAN_MACHINE;
    }

    /** The unsigned 16-bit number some bytes ahead. */
    int u16(final long ahead) {
        final short value = window.get(SHORT, position + ahead);
        return (swapped ? Short.reverseBytes(value) : value) & 0xFFFF;
    }

    /** The unsigned 32-bit number some bytes ahead. */
    long u32(final long ahead) {
        final int value = window.get(INT, position + ahead);
        return (swapped ? Integer.reverseBytes(value) : value) & 0xFFFF_FFFFL;
    }

    /** The 64-bit number some bytes ahead. */
    long i64(final long ahead) {
        final long value = window.get(LONG, position + ahead);
        return swapped ? Long.reverseBytes(value) : value;
    }

    /** The unsigned byte some bytes ahead. */
    int u8(final long ahead) {
        return window.get(ValueLayout.JAVA_BYTE, position + ahead) & 0xFF;
    }

    @Override
    public void close() {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (final IOException e) {
            // It was only read.
        } finally {
            arena.close();
        }
    }
}
