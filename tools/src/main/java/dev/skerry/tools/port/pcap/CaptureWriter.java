package dev.skerry.tools.port.pcap;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a capture of whole Ethernet frames with stamps in nanoseconds, little-endian. {@link PcapRecords} and {@link
 * PcapngBlocks} draw the layouts. Records gather in a buffer, which is written when it is full and by {@link #flush}.
 * On a full disk, the file ends after the last packet that fits. One thread; no allocation per packet.
 */
final class CaptureWriter implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int ENHANCED_HEADER = 28;
    private static final int ENHANCED_BYTES = ENHANCED_HEADER + 4;
    private static final int RECORD_LENGTH = 8;
    private static final int BLOCK_LENGTH = 4;
    private static final int BLOCK_CAPTURED = 20;
    private static final int NANO_POWER = 9;
    private static final int USER_APPLICATION = 4;
    private static final long SECOND_NS = 1_000_000_000;
    private static final String APPLICATION = "skerry";
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final CaptureFile file;
    private final boolean blocks;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer;
    private final ByteBuffer view;
    private int used;
    private int headerBytes;
    private long lostPackets;
    private long lostBytes;
    private boolean closed;

    /**
     * Opens a file and buffers its header.
     *
     * @throws InputException if it cannot be created.
     */
    CaptureWriter(final PcapSettings settings) {
        file = CaptureFile.create(settings.out(),
            settings.out().toString().endsWith(PcapSettings.GZIP), settings.overwrite());
        blocks = settings.format() == CaptureFormat.PCAPNG;
        buffer = arena.allocate(BUFFER_BYTES + CapturedPacket.MAX_BYTES + ENHANCED_BYTES + Long.BYTES, Long.BYTES);
        view = buffer.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        used = blocks ? sections() : header();
        headerBytes = used;
    }

    private int header() {
        CaptureStream.begin(view);
        return view.position();
    }

    private int sections() {
        final int section = 28 + 4 + 8 + 4;
        final int face = 20 + 8 + 4;
        view.putInt(PcapngBlocks.SECTION).putInt(section).putInt(PcapngBlocks.BYTE_ORDER).putInt(1).putLong(-1)
            .putShort((short) USER_APPLICATION).putShort((short) APPLICATION.length())
            .put(APPLICATION.getBytes(US_ASCII)).position(section - 4).putInt(section);
        return view.putInt(PcapngBlocks.INTERFACE).putInt(face).putInt(CapturedPacket.ETHERNET)
            .putInt(CapturedPacket.MAX_BYTES).putShort((short) PcapngBlocks.TSRESOL).putShort((short) 1)
            .putInt(NANO_POWER).putInt(0).putInt(face).position();
    }

    /**
     * Appends a packet.
     *
     * @param source  memory of the packet.
     * @param offset  offset of its first byte.
     * @param length  1 to {@link CapturedPacket#MAX_BYTES}.
     * @param seconds of its stamp, since 1970.
     * @param nanos   of its stamp, below a second.
     * @throws IOException if the write fails; {@link #lostPackets} then counts the loss. Close the writer.
     */
    void append(final MemorySegment source, final long offset, final int length, final long seconds, final int nanos)
        throws IOException {
        if (used >= BUFFER_BYTES) {
            flush();
        }
        final int at = used;
        if (blocks) {
            final int padded = length + 3 & ~3;
            final long stamp = seconds * SECOND_NS + nanos;
            view.clear().position(at).putInt(PcapngBlocks.ENHANCED).putInt(padded + ENHANCED_BYTES).putInt(0)
                .putInt((int) (stamp >>> Integer.SIZE)).putInt((int) stamp).putInt(length).putInt(length);
            // Zeroes the padding. Without padding, the packet overwrites this zero.
            buffer.set(INT, at + ENHANCED_HEADER + padded - 4, 0);
            MemorySegment.copy(source, offset, buffer, at + ENHANCED_HEADER, length);
            buffer.set(INT, at + ENHANCED_HEADER + padded, padded + ENHANCED_BYTES);
            used = at + ENHANCED_BYTES + padded;
        } else {
            CaptureStream.record(view.clear().position(at), seconds * SECOND_NS + nanos, length, length);
            MemorySegment.copy(source, offset, buffer, at + PcapRecords.RECORD_HEADER, length);
            used = at + PcapRecords.RECORD_HEADER + length;
        }
    }

    /** Writes the buffer to the file. Returns false if the buffer was empty. */
    boolean flush() throws IOException {
        if (used == 0) {
            return false;
        }
        final long before = file.fileBytes();
        view.limit(used).position(0);
        try {
            file.write(view);
        } catch (final IOException e) {
            file.abandon(file.isPlain() ? before + count(view.position()) : before + count(0));
            closed = true;
            throw e;
        }
        used = 0;
        headerBytes = 0;
        return true;
    }

    /**
     * Counts the packets lost from a buffer of which only {@code written} bytes reached the file. Returns the end of
     * the last whole packet.
     */
    private long count(final int written) {
        int at = headerBytes;
        int whole = written < at ? 0 : at;
        while (at < used) {
            final int length = buffer.get(INT, at + (blocks ? BLOCK_CAPTURED : RECORD_LENGTH));
            at += blocks ? buffer.get(INT, at + BLOCK_LENGTH) : PcapRecords.RECORD_HEADER + length;
            if (at > written) {
                lostPackets++;
                lostBytes += length;
            } else {
                whole = at;
            }
        }
        return whole;
    }

    /** Appended packets that did not reach the file. */
    long lostPackets() {
        return lostPackets;
    }

    /** Bytes of those packets. */
    long lostBytes() {
        return lostBytes;
    }

    /** Error message for a failed write. */
    String failure(final IOException e) {
        return new InputException(PcapSettings.KIND, file.name().toString(),
            "cannot be written on (" + CaptureFile.reason(e) + ")",
            "make room or choose another place; what was written stays in this file").getMessage();
    }

    /** Completes the file, unless it has failed. */
    void finish() throws IOException {
        if (!closed) {
            flush();
            closed = true;
            file.finish();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            file.abandon(file.fileBytes());
        }
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
