package dev.skerry.nic.packet;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.ShoalHeader;

/**
 * How packets lie in cells (docs/spec/shoal.md §3.3). A header has no room for a length, so the first cell's payload
 * begins with it:
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
 * A packet of n bytes takes ceil((n + 4) / payload) cells, one of which may be both first and last. Immutable; any
 * thread may call.
 *
 * @param cell     the format of the cells, at least 4 bytes of payload.
 * @param mtuBytes the longest packet, 0 to 2^30 - 1 bytes.
 */
public record PacketFormat(CellFormat cell, int mtuBytes) {
    /** Bytes of the length before a packet. */
    public static final int LENGTH_BYTES = Integer.BYTES;

    /** Flag of a packet's first cell, the bit that Shoal's header has it in. */
    public static final int SOP = ShoalHeader.SOP;

    /** Flag of a packet's last cell, the bit that Shoal's header has it in. */
    public static final int EOP = ShoalHeader.EOP;

    /** All flags. */
    static final int FLAGS = SOP | EOP;

    /**
     * A format.
     *
     * @throws IllegalArgumentException if the length does not fit a cell or the MTU is out of range.
     */
    public PacketFormat {
        if (cell.payloadBytes() < LENGTH_BYTES) {
            throw new IllegalArgumentException(
                "a cell must have 4 bytes of payload for the length: payloadBytes=" + cell.payloadBytes());
        }
        if (mtuBytes < 0 || mtuBytes >= 1 << 30) {
            throw new IllegalArgumentException("mtuBytes must be 0 to 2^30 - 1: mtuBytes=" + mtuBytes);
        }
    }

    /** Bytes of payload in a cell. */
    public int payloadBytes() {
        return cell.payloadBytes();
    }

    /**
     * The cells a packet takes, at least 1. It divides; a path that cuts cell by cell asks {@link #isLast} instead.
     *
     * @param length its bytes, 0 up to the MTU.
     */
    public int cells(final int length) {
        assert length >= 0 && length <= mtuBytes : "length=" + length;
        return (length + LENGTH_BYTES - 1) / payloadBytes() + 1;
    }

    /**
     * Whether a cell is the last one of its packet.
     *
     * @param length bytes of the packet.
     * @param index  of the cell in the packet, from 0.
     */
    public boolean isLast(final int length, final int index) {
        return (index + 1L) * payloadBytes() >= (long) length + LENGTH_BYTES;
    }

    /** The flags of a cell; parameters as in {@link #isLast}. */
    public int flags(final int length, final int index) {
        return (index == 0 ? SOP : 0) | (isLast(length, index) ? EOP : 0);
    }
}
