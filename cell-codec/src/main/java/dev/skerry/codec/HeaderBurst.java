package dev.skerry.codec;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Headers of many cells in columns, one array per field: entry i of each array belongs to cell i of the burst. A burst
 * writes the same bytes and finds the same first fault as one call per cell, in less time (bench/results):
 *
 * <pre>
 *   offset        o0 o1 o2 ..     first byte of the cell, in any order, at any alignment
 *   source        s0 s1 s2 ..     encode: columns to words (vectorised loops), words to cells (a scalar loop)
 *   destination   d0 d1 d2 ..     decode: cells to words (a scalar loop), words to columns and faults
 *   ..
 * </pre>
 *
 * <p>The arrays belong to the burst and never change. To write, fill in {@link #offset} and the fields of the first
 * cells; to read, fill in {@link #offset} only. Nothing allocates after construction. One thread.
 */
public abstract sealed class HeaderBurst permits ShaleHeaderBurst, ShoalHeaderBurst {
    static final long WRONG_LENGTH = 1L << HeaderFault.WRONG_LENGTH.ordinal();
    private static final int CRC = HeaderFault.CRC.ordinal();
    private static final int SOURCE = HeaderFault.SOURCE.ordinal();
    private static final int DESTINATION = HeaderFault.DESTINATION.ordinal();

    final long[] offset;
    final int[] source;
    final int[] destination;
    final int[] sequence;
    /** Words whose remainder is the check, or 0 if they contain a correct check. */
    final long[] checks;
    /** One bit per fault, numbered by {@link HeaderFault#ordinal}: the lowest is the first fault. */
    final long[] faults;

    private final int bytes;
    private final long lastNode;

    /**
     * Columns.
     *
     * @param capacity maximum number of cells, at least 1.
     * @param bytes    bytes from the offset on that must lie in the segment.
     * @param nodes    number of node ids; source and destination are below it.
     */
    HeaderBurst(final int capacity, final int bytes, final int nodes) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
        }
        this.bytes = bytes;
        this.lastNode = nodes - 1;
        offset = new long[capacity];
        source = new int[capacity];
        destination = new int[capacity];
        sequence = new int[capacity];
        checks = new long[capacity];
        faults = new long[capacity];
    }

    /** Maximum number of cells of a burst. */
    public final int capacity() {
        return offset.length;
    }

    /** Offset of the first byte of each cell in its segment. */
    public final long[] offset() {
        return offset;
    }

    /** Originators, node ids. */
    public final int[] source() {
        return source;
    }

    /** Destinations, node ids; a cell to its own source carries no data. */
    public final int[] destination() {
        return destination;
    }

    /** Sequence numbers; encoding keeps the low bits that the header holds. */
    public final int[] sequence() {
        return sequence;
    }

    /**
     * The first fault of a cell of the last burst decoded.
     *
     * @param cell its place in the burst, below {@link #capacity}.
     * @return the fault, or {@link HeaderFault#NONE}.
     */
    public final HeaderFault fault(final int cell) {
        return HeaderFault.first(faults[cell]);
    }

    /**
     * Writes the headers of cells 0 to {@code count} - 1, checks included. Fields are asserted, not checked.
     *
     * @param cells segment of the cells; a payload that the check covers is already in place.
     * @param count number of cells, 0 to {@link #capacity}.
     * @throws IndexOutOfBoundsException if a cell does not lie in the segment or {@code count} is out of range; nothing
     *     is written then.
     */
    public final void encode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, capacity());
        assert areSendable(count);
        requireInside(cells.byteSize() - bytes, count);
        write(cells, count);
    }

    /**
     * Reads and validates the headers of cells 0 to {@code count} - 1. The fields of a cell with a fault are undefined,
     * except where the format says otherwise.
     *
     * @param cells segment of the cells.
     * @param count number of cells, 0 to {@link #capacity}.
     * @return number of cells with a {@link #fault}.
     * @throws IndexOutOfBoundsException if {@code count} is out of range; a cell outside the segment is
     *     {@link HeaderFault#WRONG_LENGTH} instead.
     */
    public final int decode(final MemorySegment cells, final int count) {
        Objects.checkFromIndexSize(0, count, capacity());
        return read(cells, cells.byteSize() - bytes, count);
    }

    /** Asserts that the fields of all cells are valid in this fabric; returns true. */
    abstract boolean areSendable(int count);

    /** Writes the headers of cells that lie in the segment. */
    abstract void write(MemorySegment cells, int count);

    /**
     * Reads headers into the columns and sets all their faults. A cell outside the segment is not read and has
     * {@link #WRONG_LENGTH}.
     *
     * @param last last offset of a cell that lies in the segment.
     * @return number of cells with a fault.
     */
    abstract int read(MemorySegment cells, long last, int count);

    // C2 vectorises the loops over arrays only while they are small. That is why words pass through arrays between two
    // loops, here and in the subclasses.

    /** Completes words whose check is still 0. */
    final void addChecks(final long[] words, final int count) {
        final long[] checks = this.checks;
        for (int i = 0; i < count; i++) {
            words[i] |= Crc8.remainderOfFolded(checks[i]);
        }
    }

    /** Marks cells with a wrong check. */
    final void markChecks(final int count) {
        final long[] checks = this.checks;
        final long[] faults = this.faults;
        for (int i = 0; i < count; i++) {
            faults[i] |= -Crc8.remainderOfFolded(checks[i]) >>> 63 << CRC;
        }
    }

    /**
     * Marks node ids, and one more field of the format, that are out of range.
     *
     * @param limited column of that field, 0 and more.
     * @param limit   values of the column are below it.
     * @param fault   ordinal of the fault otherwise; a constant in the caller, so that C2 inlines it.
     * @return number of cells with any fault.
     */
    final int markRanges(final int[] limited, final int limit, final int fault, final int count) {
        final long lastNode = this.lastNode;
        final long last = limit - 1;
        final int[] source = this.source;
        final int[] destination = this.destination;
        final long[] faults = this.faults;
        long refused = 0;
        for (int i = 0; i < count; i++) {
            final long all = faults[i] | lastNode - source[i] >>> 63 << SOURCE
                | lastNode - destination[i] >>> 63 << DESTINATION
                | last - limited[i] >>> 63 << fault;
            faults[i] = all;
            refused += -all >>> 63;
        }
        return (int) refused;
    }

    private void requireInside(final long last, final int count) {
        final long[] offset = this.offset;
        long outside = 0;
        for (int i = 0; i < count; i++) {
            outside |= offset[i] | last - offset[i];
        }
        if (outside < 0) {
            throw new IndexOutOfBoundsException("a cell does not lie in the segment: last possible offset=" + last);
        }
    }
}
