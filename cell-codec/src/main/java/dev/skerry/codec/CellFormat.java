package dev.skerry.codec;

/**
 * The size of a fabric's cells and the arithmetic between bytes and cells. A packet starts in a cell of its own and its
 * last cell is padded. Immutable; any thread may call.
 *
 * @param cellBytes   bytes of a whole cell, header included.
 * @param headerBytes bytes of the header, at least 1 and fewer than {@code cellBytes}.
 */
public record CellFormat(int cellBytes, int headerBytes) {
    /** Shale with a 12-byte header, the cell of the paper (spec/shale §1). */
    public static final CellFormat SHALE = new CellFormat(256, 12);

    /** Shale with the 16-byte header of large fabrics (spec/shale §4.3). */
    public static final CellFormat SHALE_WIDE = new CellFormat(256, 16);

    /** Shoal (spec/shoal §3). */
    public static final CellFormat SHOAL = new CellFormat(64, 8);

    /** Stardust, its check not included (spec/stardust §1). */
    public static final CellFormat STARDUST = new CellFormat(272, 16);

    /**
     * A format.
     *
     * @throws IllegalArgumentException if there is no header or no room for payload.
     */
    public CellFormat {
        if (headerBytes < 1) {
            throw new IllegalArgumentException("headerBytes must be at least 1: headerBytes=" + headerBytes);
        }
        if (cellBytes <= headerBytes) {
            throw new IllegalArgumentException(
                "a cell must be longer than its header: cellBytes=" + cellBytes + " headerBytes=" + headerBytes);
        }
    }

    /** Bytes of payload in a cell, at least 1. */
    public int payloadBytes() {
        return cellBytes - headerBytes;
    }

    /**
     * The cells a packet or flow takes.
     *
     * @param bytes its length, 0 or more; 0 bytes take no cell.
     * @return the quotient by the payload, rounded up; exact for every {@code long}.
     * @throws IllegalArgumentException if {@code bytes} is negative.
     */
    public long cellsOf(final long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative: bytes=" + bytes);
        }
        return Math.ceilDiv(bytes, payloadBytes());
    }

    /**
     * The bytes of a packet or flow that lie in its last cell; the rest of that cell is padding.
     *
     * @param bytes its length, 0 or more.
     * @return 1 to {@link #payloadBytes()}, or 0 if {@code bytes} is 0.
     * @throws IllegalArgumentException if {@code bytes} is negative.
     */
    public int lastCellBytes(final long bytes) {
        return (int) (bytes - (cellsOf(bytes) - (bytes == 0 ? 0 : 1)) * payloadBytes());
    }

    /**
     * The most bytes that fit in a number of cells.
     *
     * @param cells number of cells, 0 or more.
     * @throws IllegalArgumentException if {@code cells} is negative or the bytes exceed a {@code long}.
     */
    public long bytesOf(final long cells) {
        if (cells < 0 || cells > Long.MAX_VALUE / payloadBytes()) {
            throw new IllegalArgumentException("cells out of range: cells=" + cells);
        }
        return cells * payloadBytes();
    }
}
