package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Cuts the packets that one credit lets go into cells (Stardust §3.4, spec/stardust §3.4): a run of bytes, before each
 * packet its length in two bytes, cut wherever a cell is full. Only the last cell may be short where packets share
 * cells freely.
 *
 * <pre>
 *   CONTINUOUS   | len P0 .. P0 len P1 | .. P1 .. | P1 len P2 P2 |       first start of the cells: 0, none, some offset
 *   SIMPLE       | len P0 .. P0 len P1 | .. P1 | len P2 .. |            no more than two packets in a cell
 *   NONE         | len P0 .. | .. P0 | len P1 .. | .. P1 |               every packet starts a cell
 * </pre>
 *
 * <p>A cell's payload is written where the sink says, once, and handed over when it is known whether it is the last one
 * of its credit. Without prefix the bytes are those of the paper's figures, but nobody can take them apart. Nothing
 * allocates. One thread.
 */
public final class CellPacker {
    /** The longest packet. */
    public static final int MAX_PACKET_BYTES = 9_216;
    /** Bytes of the length before a packet. */
    public static final int PREFIX_BYTES = 2;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Packing packing;
    private final int payloadBytes;
    private final int prefixBytes;
    private final MemorySegment cells;
    private final Sink sink;
    private long at;
    private int filled;
    private int packetsInCell;
    private int firstStart = StardustHeader.NO_START;

    /** Whether packets share cells. */
    public enum Packing {
        /** Packets follow each other without regard to cells. */
        CONTINUOUS,
        /** A cell holds parts of two packets at most: one ends in it and another one starts. */
        SIMPLE,
        /** Each packet starts a cell, the last cell of each is short. */
        NONE
    }

    /** Gives room for cells and takes them. */
    public interface Sink {
        /** The offset, in the packer's segment, at which the payload of the next cell shall be written. */
        long open();

        /**
         * A cell is complete.
         *
         * @param payload     offset of its payload, as {@link #open} gave it.
         * @param length      bytes of payload.
         * @param firstStart  offset in the payload of the first packet that starts there, or
         *                    {@link StardustHeader#NO_START}.
         * @param endOfCredit whether it is the last one of its credit.
         */
        void close(long payload, int length, int firstStart, boolean endOfCredit);
    }

    /**
     * A packer between two credits.
     *
     * @param packing      whether packets share cells.
     * @param payloadBytes of a full cell, 1 to 512.
     * @param prefix       whether lengths stand before packets.
     * @param cells        where the cells lie.
     * @param sink         gets them.
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
     * Cells that packets of one length take in one credit.
     *
     * @param bytes   of each, its prefix not included.
     * @param packets how many.
     * @param prefix  whether lengths stand before packets.
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
     * With simple packing: what is left, for the start of the next packet, of the cell in which a packet ends.
     *
     * @param bytes of the packet, its prefix included.
     * @param room  what the packet before it left, 0 for the first one.
     * @return 0 if the next packet begins a cell.
     */
    public static int roomAfter(final int bytes, final int room, final int payloadBytes) {
        final int more = bytes - room;
        return more <= 0 ? 0 : (payloadBytes - more % payloadBytes) % payloadBytes;
    }

    /**
     * Appends a packet.
     *
     * @param source where it lies.
     * @param offset its first byte.
     * @param bytes  its length, 1 to 9,216.
     * @throws IllegalArgumentException if the length is none of a packet; the credit goes on without it.
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

    /** Ends the credit: its last cell goes out. Does nothing if it had no packet. */
    public void finish() {
        flush(true);
    }

    private void putPrefix(final int bytes) {
        if (filled + PREFIX_BYTES <= payloadBytes) {
            cells.set(SHORT, at + filled, (short) bytes);
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
