package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Packs the packets of a credit into cells (Stardust §3.4, docs/spec/stardust.md §3.4). The packets, each preceded by
 * its length in two bytes, form a byte sequence that is cut where a cell is full. With CONTINUOUS packing only the last
 * cell is short.
 *
 * <pre>
 *   CONTINUOUS   | len P0 .. P0 len P1 | .. P1 .. | P1 len P2 P2 |       first starts: 0, none, some offset
 *   SIMPLE       | len P0 .. P0 len P1 | .. P1 | len P2 .. |            at most two packets in a cell
 *   NONE         | len P0 .. | .. P0 | len P1 .. | .. P1 |               every packet starts a cell
 * </pre>
 *
 * <p>A payload is copied once, to the location that the sink provides, and is passed on as soon as it is known whether
 * its cell is the last one of the credit. Without lengths the bytes match the paper's figures but cannot be parsed.
 * Does not allocate. One thread.
 */
public final class CellPacker {
    /** Maximum length of a packet in bytes. */
    public static final int MAX_PACKET_BYTES = 9_216;
    /** Size of the length field before a packet, in bytes. */
    public static final int PREFIX_BYTES = 2;


    private final Packing packing;
    private final int payloadBytes;
    private final int prefixBytes;
    private final MemorySegment cells;
    private final Sink sink;
    private long at;
    private int filled;
    private int packetsInCell;
    private int firstStart = StardustHeader.NO_START;

    /** How packets share cells. */
    public enum Packing {
        /** Packets follow each other regardless of cells. */
        CONTINUOUS,
        /** A cell holds parts of at most two packets: one ends in it, another starts. */
        SIMPLE,
        /** Every packet starts a cell; its last cell is short. */
        NONE
    }

    /** Provides memory for cells and receives them. */
    public interface Sink {
        /** Returns the offset in the packer's segment for the payload of the next cell. */
        long open();

        /**
         * Receives a complete cell.
         *
         * @param payload     offset of its payload, as returned by {@link #open}.
         * @param length      bytes of payload.
         * @param firstStart  offset in the payload of the first packet that starts in the cell, or
         *                    {@link StardustHeader#NO_START}.
         * @param endOfCredit whether the cell is the last one of its credit.
         */
        void close(long payload, int length, int firstStart, boolean endOfCredit);
    }

    /**
     * Creates a packer that is between two credits.
     *
     * @param packing      how packets share cells.
     * @param payloadBytes payload of a full cell, 1 to 512 bytes.
     * @param prefix       whether each packet is preceded by its length.
     * @param cells        segment of the cells.
     * @param sink         receives the cells.
     * @throws IllegalArgumentException if {@code payloadBytes} is out of range.
     */
    public CellPacker(final Packing packing, final int payloadBytes, final boolean prefix, final MemorySegment cells,
        final Sink sink) {
        requirePayload(payloadBytes);
        this.packing = packing;
        this.payloadBytes = payloadBytes;
        this.prefixBytes = prefix ? PREFIX_BYTES : 0;
        this.cells = cells;
        this.sink = sink;
    }

    /**
     * Computes the number of cells of a credit whose packets have equal length.
     *
     * @param packing      how packets share cells.
     * @param payloadBytes payload of a full cell, 1 to 512 bytes.
     * @param bytes        length of each packet without its prefix, 1 to 9,216.
     * @param packets      number of packets.
     * @param prefix       whether each packet is preceded by its length.
     * @throws IllegalArgumentException if {@code payloadBytes} or {@code bytes} is out of range.
     */
    public static long cellsOf(final Packing packing, final int payloadBytes, final int bytes, final long packets,
        final boolean prefix) {
        requirePayload(payloadBytes);
        requirePacket(bytes);
        final int each = bytes + (prefix ? PREFIX_BYTES : 0);
        return switch (packing) {
            case NONE -> packets * Math.ceilDiv(each, payloadBytes);
            case CONTINUOUS -> Math.ceilDiv(packets * each, payloadBytes);
            case SIMPLE -> {
                long cells = 0;
                int room = 0;
                for (long packet = 0; packet < packets; packet++) {
                    final int more = each - room;
                    cells += more > 0 ? Math.ceilDiv(more, payloadBytes) : 0;
                    room = roomAfter(each, room, payloadBytes);
                }
                yield cells;
            }
        };
    }

    /**
     * Computes, for SIMPLE packing, the free bytes left for the next packet in the cell in which a packet ends.
     *
     * @param bytes        length of the packet, prefix included.
     * @param room         free bytes left by the previous packet, 0 for the first packet.
     * @param payloadBytes payload of a full cell.
     * @return bytes; 0 if the next packet starts a cell.
     */
    public static int roomAfter(final int bytes, final int room, final int payloadBytes) {
        final int more = bytes - room;
        return more <= 0 ? 0 : (payloadBytes - more % payloadBytes) % payloadBytes;
    }

    /**
     * Appends a packet.
     *
     * @param source segment of the packet.
     * @param offset first byte of the packet.
     * @param bytes  length of the packet, 1 to 9,216.
     * @throws IllegalArgumentException if the length is out of range; the credit continues without this packet.
     */
    public void add(final MemorySegment source, final long offset, final int bytes) {
        requirePacket(bytes);
        if (filled == payloadBytes || packing == Packing.NONE || packing == Packing.SIMPLE && packetsInCell == 2) {
            flush(false);
        }
        if (filled == 0) {
            at = sink.open();
        }
        packetsInCell++;
        if (firstStart == StardustHeader.NO_START) {
            firstStart = filled;
        }
        if (prefixBytes != 0) {
            putPrefix(bytes);
        }
        int copied = 0;
        while (copied < bytes) {
            if (filled == payloadBytes) {
                flush(false);
                at = sink.open();
                packetsInCell = 1;
            }
            final int part = Math.min(bytes - copied, payloadBytes - filled);
            MemorySegment.copy(source, offset + copied, cells, at + filled, part);
            filled += part;
            copied += part;
        }
    }

    /** Ends the credit and passes its last cell, if any, to the sink. */
    public void finish() {
        flush(true);
    }

    private void putPrefix(final int bytes) {
        if (filled + PREFIX_BYTES <= payloadBytes) {
            cells.set(Wire.SHORT, at + filled, (short) bytes);
            filled += PREFIX_BYTES;
            return;
        }
        cells.set(ValueLayout.JAVA_BYTE, at + filled++, (byte) (bytes >>> Byte.SIZE));
        flush(false);
        at = sink.open();
        packetsInCell = 1;
        cells.set(ValueLayout.JAVA_BYTE, at, (byte) bytes);
        filled = 1;
    }

    private void flush(final boolean endOfCredit) {
        if (filled > 0) {
            sink.close(at, filled, firstStart, endOfCredit);
            filled = 0;
            packetsInCell = 0;
            firstStart = StardustHeader.NO_START;
        }
    }

    private static void requirePacket(final int bytes) {
        if (bytes < 1 || bytes > MAX_PACKET_BYTES) {
            throw new IllegalArgumentException("a packet has 1 to " + MAX_PACKET_BYTES + " bytes: bytes=" + bytes);
        }
    }

    private static void requirePayload(final int payloadBytes) {
        if (payloadBytes < 1 || payloadBytes > StardustHeader.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("a cell has 1 to " + StardustHeader.MAX_PAYLOAD_BYTES
                + " bytes of payload: payloadBytes=" + payloadBytes);
        }
    }
}
