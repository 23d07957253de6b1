package dev.skerry.dataplane.memory;

import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/**
 * The free cells among {@code [first, first + cells)} of a slab, last in, first out, because the cell freed last is
 * most likely in cache. One thread owns the list and makes every call. A slab that serves several threads is split into
 * ranges, one list each. Cells freed on another thread return over a {@code FreeListReturn}. {@link Slab} has an
 * example.
 *
 * <p>Held cells and cells on the stack add up to {@code cells()}; cells on their return path count as held.
 *
 * <p>With assertions enabled, one bit per cell detects immediately a cell freed twice, a cell of another list, and a
 * stack overwritten from outside. With assertions disabled a call touches only the top of the stack, and
 * {@link #verify()} finds the same faults later, except a cell freed twice and allocated again in between.
 */
public final class FreeList {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final MemorySegment segment;
    private final long stackOffset;
    private final int first;
    private final int cells;
    private int free;

    /**
     * Creates a list with all its cells free; they are allocated from {@code first} upwards.
     *
     * @param memory provides {@link Slab#freeListBytes} bytes, aligned to {@link Slab#ALIGNMENT_BYTES}.
     * @param first  index of the first cell, at least 0.
     * @param cells  number of cells, at least 1.
     */
    public FreeList(final SegmentAllocator memory, final int first, final int cells) {
        Bounds.refuseIf(first < 0 || cells > Integer.MAX_VALUE - first, "cells must lie in 0 to 2^31 - 2: first=",
            first, " cells=", cells);
        this.segment = memory.allocate(Slab.freeListBytes(cells), Slab.ALIGNMENT_BYTES);
        this.stackOffset = Slab.stackOffset(cells);
        this.first = first;
        this.cells = cells;
        this.free = cells;
        segment.asSlice(0, stackOffset).fill((byte) 0);
        for (int i = 0; i < cells; i++) {
            segment.set(INT, stackOffset + (long) i * Integer.BYTES, first + cells - 1 - i);
        }
    }

    /** Allocates a cell; {@link Slab#NONE} if none is free. */
    public int alloc() {
        final int top = free - 1;
        if (top < 0) {
            return Slab.NONE;
        }
        final int cell = segment.get(INT, stackOffset + (long) top * Integer.BYTES);
        assert contains(cell) && lend(cell) : "handed out twice or overwritten: cell=" + cell;
        free = top;
        return cell;
    }

    /**
     * Frees a cell. The caller must not touch it afterwards.
     *
     * @param cell a cell allocated by {@link #alloc()} of this list and not freed since; an assertion catches anything
     *             else.
     */
    public void free(final int cell) {
        assert contains(cell) : "foreign cell: cell=" + cell + " first=" + first + " cells=" + cells;
        assert markFree(cell) : "freed twice: cell=" + cell;
        segment.set(INT, stackOffset + (long) free * Integer.BYTES, cell);
        free++;
    }

    /** Whether a cell belongs to this list, free or not. Any thread may call. */
    public boolean contains(final int cell) {
        return cell >= first && cell - first < cells;
    }

    /** Number of cells, free or not. Any thread may call. */
    public int cells() {
        return cells;
    }

    /** Number of allocated cells that have not been freed. */
    public int held() {
        return cells - free;
    }

    /**
     * Checks that every free cell belongs to this list and none occurs twice. Time and garbage are proportional to the
     * number of cells; for {@code --check} and tests.
     *
     * @throws IllegalStateException naming the first wrong cell.
     */
    public void verify() {
        final BitSet seen = new BitSet(cells);
        for (int i = 0; i < free; i++) {
            final int cell = segment.get(INT, stackOffset + (long) i * Integer.BYTES);
            Laws.brokenIf(!contains(cell), "foreign cell: cell=", cell, " first=", first, " cells=", cells);
            Laws.brokenIf(seen.get(cell - first), "freed twice: cell=", cell);
            seen.set(cell - first);
        }
    }

    /** Sets the cell's bit; false if it was set. */
    private boolean lend(final int cell) {
        final int bit = cell - first;
        final long offset = (long) (bit >> 6) * Long.BYTES;
        final long word = segment.get(LONG, offset);
        segment.set(LONG, offset, word | 1L << bit);
        return (word & 1L << bit) == 0;
    }

    /** Clears the cell's bit; false if it was clear. */
    private boolean markFree(final int cell) {
        final int bit = cell - first;
        final long offset = (long) (bit >> 6) * Long.BYTES;
        final long word = segment.get(LONG, offset);
        segment.set(LONG, offset, word & ~(1L << bit));
        return (word & 1L << bit) != 0;
    }
}
