package dev.skerry.dataplane.memory;

import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * One block of cells of the same size, each on separate cache lines. A cell is an index from 0; its {@code cellBytes()}
 * bytes are in {@code segment()} from {@code offset(cell)} on.
 *
 * <pre>{@code
 * try (Arena arena = Arena.ofConfined()) {
 *     Slab slab = new Slab(arena, 1_000, 64);
 *     FreeList free = new FreeList(arena, 0, slab.cells());
 *     int cell = free.alloc();
 *     if (cell != Slab.NONE) {
 *         slab.segment().set(ValueLayout.JAVA_LONG, slab.offset(cell), 42);
 *         free.free(cell);
 *     }
 * }
 * }</pre>
 *
 * <p>Immutable except for the bytes. Any thread may call. Only the holder of a cell's index may touch its bytes; that
 * right is passed on with the index over a {@link dev.skerry.dataplane.ring.SpscRing} or at a barrier. {@link FreeList}
 * tracks the free cells.
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
 * S is {@link #strideBytes}, H is {@link #stackOffset}. The stack comes last, so a push beyond it hits the segment's
 * bound and no other word.
 */
public final class Slab {
    /** Alignment of slabs, of their cells and of free lists, in bytes: a cache line. */
    public static final int ALIGNMENT_BYTES = 64;

    /** No cell. */
    public static final int NONE = -1;

    private final MemorySegment segment;
    private final int cells;
    private final int cellBytes;
    private final long strideBytes;

    /**
     * Creates a slab. The initial content is that of {@code memory} (an arena provides zeros).
     *
     * @param memory    provides {@link #slabBytes} bytes, aligned to {@link #ALIGNMENT_BYTES}.
     * @param cells     number of cells, at least 1.
     * @param cellBytes size of a cell, 1 to 2^30 bytes.
     */
    public Slab(final SegmentAllocator memory, final int cells, final int cellBytes) {
        this.segment = memory.allocate(slabBytes(cells, cellBytes), ALIGNMENT_BYTES);
        this.cells = cells;
        this.cellBytes = cellBytes;
        this.strideBytes = strideBytes(cellBytes);
    }

    /** Number of cells. */
    public int cells() {
        return cells;
    }

    /** Usable bytes of a cell. */
    public int cellBytes() {
        return cellBytes;
    }

    /** The whole block, for use with {@link #offset}; slices are for tests and set-up. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Byte offset in {@link #segment()} of a cell's first byte.
     *
     * @param cell 0 to {@code cells() - 1}; anything else is caught by an assertion, or by the segment's bound.
     */
    public long offset(final int cell) {
        assert cell >= 0 && cell < cells : "no such cell: cell=" + cell + " cells=" + cells;
        return cell * strideBytes;
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
     * Size of a slab in bytes.
     *
     * @param cells     number of cells, at least 1.
     * @param cellBytes 1 to 2^30.
     */
    public static long slabBytes(final int cells, final int cellBytes) {
        Bounds.atLeast("cells", cells, 1);
        return (long) cells * strideBytes(cellBytes);
    }

    /**
     * Byte offset of the stack in a free list's segment.
     *
     * @param cells number of cells, at least 1.
     */
    public static long stackOffset(final int cells) {
        Bounds.atLeast("cells", cells, 1);
        return ((long) cells + Byte.SIZE - 1) / Byte.SIZE + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    }

    /**
     * Size of a free list in bytes, about 4.1 per cell.
     *
     * @param cells number of cells, at least 1.
     */
    public static long freeListBytes(final int cells) {
        return stackOffset(cells) + (long) cells * Integer.BYTES;
    }
}
