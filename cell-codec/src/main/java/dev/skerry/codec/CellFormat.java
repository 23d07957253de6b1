package dev.skerry.codec;

/**
 * Cell size of a fabric, and conversion between bytes and cells. A packet starts a new cell, and its last cell is
 * padded. Immutable; any thread may call.
 *
 * @param cellBytes   bytes of a whole cell, header included.
 * @param headerBytes bytes of the header, fewer than {@code cellBytes}; 0 if cells are only a unit of bytes.
 */
public record CellFormat(int cellBytes, int headerBytes) {
    /** Shale with a header of 12 bytes, the cell of the paper (docs/spec/shale.md §1). */
    public static final CellFormat SHALE = new CellFormat(256, 12);

    /** Shale with the header of 16 bytes for large fabrics (docs/spec/shale.md §4.3). */
    public static final CellFormat SHALE_WIDE = new CellFormat(256, 16);

    /** Shoal (docs/spec/shoal.md §3). */
    public static final CellFormat SHOAL = new CellFormat(64, 8);

    /** Stardust, without the CRC (docs/spec/stardust.md §1). */
    public static final CellFormat STARDUST = new CellFormat(272, 16);

    /**
     * Checks the sizes.
     *
     * @throws IllegalArgumentException if {@code headerBytes} is out of range.
     */
    public CellFormat {
        if (headerBytes < 0) {
            throw new IllegalArgumentException("headerBytes must be at least 0: headerBytes=" + headerBytes);
        }
        if (cellBytes <= headerBytes) {
            throw new IllegalArgumentException(
                "a cell must be longer than its header: cellBytes=" + cellBytes + " headerBytes=" + headerBytes);
        }
    }

    /** Payload bytes per cell, at least 1. */
    public int payloadBytes() {
        return cellBytes - headerBytes;
    }

    /**
     * Computes the number of cells of a packet or flow.
     *
     * @param bytes length of the packet or flow, 0 or more.
     * @return the length divided by {@link #payloadBytes}, rounded up; exact for every {@code long}.
     * @throws IllegalArgumentException if {@code bytes} is negative.
     */
    public long cellsOf(final long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative: bytes=" + bytes);
        }
        return Math.ceilDiv(bytes, payloadBytes());
    }
}
