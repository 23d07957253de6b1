package dev.skerry.dataplane.memory;

import dev.skerry.dataplane.check.Bounds;

/**
 * Where cells lie in a {@link Slab}, and the words of a {@link FreeList} in its segment.
 *
 * <pre>
 *   slab                                       free list
 *   byte                                       byte
 *     0 +--------------------------+             0 +------------------------------------------+
 *       | cell 0, cellBytes        |               | held: a bit a cell, set while it is lent  |
 *       | (up to a multiple of 64) |               | out; kept with assertions on only         |
 *     S +--------------------------+               | (up to a multiple of 64)                  |
 *       | cell 1                   |             H +------------------------------------------+
 *   2*S +--------------------------+               | stack: 4 bytes a cell, bottom first       |
 *       | ...                      |               +------------------------------------------+
 * </pre>
 *
 * S is {@link #strideBytes}, H is {@link #stackOffset}. Every cell starts on a cache line. The stack comes last, so
 * a push beyond it hits the segment's bound and no other word.
 */
public final class SlabLayout {
    /** Alignment of slabs, of their cells and of free lists, in bytes: a cache line. */
    public static final int ALIGNMENT_BYTES = 64;

    private SlabLayout() {
    }

    /**
     * Distance between cells in bytes: {@code cellBytes} rounded up to a multiple of {@link #ALIGNMENT_BYTES}.
     *
     * @param cellBytes 1 to 2^30.
     */
    public static int strideBytes(final int cellBytes) {
        Bounds.require("cellBytes", cellBytes, 1, 1 << 30);
        return cellBytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    }

    /**
     * Bytes of a slab.
     *
     * @param cells     number of cells, at least 1.
     * @param cellBytes 1 to 2^30.
     */
    public static long slabBytes(final int cells, final int cellBytes) {
        checkCells(cells);
        return (long) cells * strideBytes(cellBytes);
    }

    /**
     * Byte offset of the stack in a free list's segment.
     *
     * @param cells number of cells, at least 1.
     */
    public static long stackOffset(final int cells) {
        checkCells(cells);
        return ((long) cells + Byte.SIZE - 1) / Byte.SIZE + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    }

    /**
     * Bytes of a free list: about 4.1 a cell.
     *
     * @param cells number of cells, at least 1.
     */
    public static long freeListBytes(final int cells) {
        return stackOffset(cells) + (long) cells * Integer.BYTES;
    }

    private static void checkCells(final int cells) {
        Bounds.atLeast("cells", cells, 1);
    }
}
