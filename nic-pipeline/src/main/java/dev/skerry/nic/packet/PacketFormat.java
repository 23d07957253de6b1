package dev.skerry.nic.packet;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.schedule.check.Bounds;

/**
 * Layout of packets in cells (docs/spec/shoal.md §3.3). A cell header has no length field, so the payload of the first
 * cell begins with the length:
 *
 * <pre>
 *   first cell (sop)                    cells between          last cell (eop)
 *   +--------+--------+----------+      +--------+-------+     +--------+------+---------+
 *   | header | length | bytes    |      | header | bytes |     | header | bytes| zeros   |
 *   |        | 4, BE  |          |      |        |       |     |        |      |         |
 *   +--------+--------+----------+      +--------+-------+     +--------+------+---------+
 *            +----- payload -----+                                      +--- payload ----+
 * </pre>
 *
 * A packet of n bytes takes ceil((n + 4) / payload) cells. A single cell may be both first and last. Immutable; any
 * thread may call.
 *
 * @param cell     the format of the cells, with at least 4 bytes of payload.
 * @param mtuBytes maximum packet size, 0 to 2^30 - 1 bytes.
 */
public record PacketFormat(CellFormat cell, int mtuBytes) {
    /** Bytes of the length field before a packet. */
    public static final int LENGTH_BYTES = Integer.BYTES;

    /** Flag of a packet's first cell: the same bit as in Shoal's header. */
    public static final int SOP = ShoalHeader.SOP;

    /** Flag of a packet's last cell: the same bit as in Shoal's header. */
    public static final int EOP = ShoalHeader.EOP;

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if the length field does not fit a cell or the MTU is out of range.
     */
    public PacketFormat {
        Bounds.refuseIf(cell.payloadBytes() < LENGTH_BYTES,
            "a cell must have 4 bytes of payload for the length: payloadBytes=", cell.payloadBytes());
        Bounds.refuseIf(mtuBytes < 0 || mtuBytes >= 1 << 30, "mtuBytes must be 0 to 2^30 - 1: mtuBytes=", mtuBytes);
    }

    /** Bytes of payload in a cell. */
    public int payloadBytes() {
        return cell.payloadBytes();
    }

    /**
     * Number of cells of a packet, at least 1. This divides; code that cuts cell by cell should use {@link #isLast}.
     *
     * @param length bytes of the packet, 0 up to the MTU.
     */
    public int cells(final int length) {
        assert length >= 0 && length <= mtuBytes : "length=" + length;
        return (length + LENGTH_BYTES - 1) / payloadBytes() + 1;
    }

    /**
     * Whether a cell is the last one of its packet.
     *
     * @param length bytes of the packet.
     * @param index  index of the cell in the packet, from 0.
     */
    public boolean isLast(final int length, final int index) {
        return (index + 1L) * payloadBytes() >= (long) length + LENGTH_BYTES;
    }

    /** Number of cells by length of the packet in bytes, 0 to the MTU: a table avoids a division per packet. */
    public char[] cellsOf() {
        final char[] cells = new char[mtuBytes + 1];
        for (int length = 0; length < cells.length; length++) {
            cells[length] = (char) cells(length);
        }
        return cells;
    }

    /** The flags of a cell; parameters as in {@link #isLast}. */
    public int flags(final int length, final int index) {
        return (index == 0 ? SOP : 0) | (isLast(length, index) ? EOP : 0);
    }
}
