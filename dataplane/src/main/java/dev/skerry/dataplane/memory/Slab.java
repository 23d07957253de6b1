package dev.skerry.dataplane.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * One block of cells of the same size, each on a cache line of its own (see {@link SlabLayout}). A cell is an index
 * from 0; its bytes are {@code segment()} from {@code offset(cell)} on, {@code cellBytes()} of them.
 *
 * <p>Immutable except for the bytes. Any thread may call. Only the holder of a cell's index may touch its bytes; that
 * right travels with the index over a {@link dev.skerry.dataplane.ring.SpscRing} or at a barrier. {@link FreeList}
 * knows which cells are free.
 */
public final class Slab {
    /** No cell. */
    public static final int NONE = -1;

    private final MemorySegment segment;
    private final int cells;
    private final int cellBytes;
    private final long strideBytes;

    /**
     * A slab of cells with all bytes as {@code memory} gives them (an arena gives zeros).
     *
     * @param memory    gives the {@link SlabLayout#slabBytes} bytes, aligned to {@link SlabLayout#ALIGNMENT_BYTES}.
     * @param cells     number of cells, at least 1.
     * @param cellBytes size of a cell, 1 to 2^30 bytes.
     */
    public Slab(final SegmentAllocator memory, final int cells, final int cellBytes) {
        this.segment = memory.allocate(SlabLayout.slabBytes(cells, cellBytes), SlabLayout.ALIGNMENT_BYTES);
        this.cells = cells;
        this.cellBytes = cellBytes;
        this.strideBytes = SlabLayout.strideBytes(cellBytes);
    }

    /** Number of cells. */
    public int cells() {
        return cells;
    }

    /** Usable bytes of a cell. */
    public int cellBytes() {
        return cellBytes;
    }

    /** The whole block, to be used with {@link #offset}; slices are for tests and set-up. */
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
}
