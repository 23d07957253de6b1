package dev.skerry.codec;

/** What the headers of many cells have in columns, whosever they are. One thread. */
final class BurstColumns {
    /** First byte of each cell in its segment. */
    final long[] offset;
    /** Originators. */
    final int[] source;
    /** Where the cells go. */
    final int[] destination;
    /** A bit for each fault of the cell, numbered as the faults are: the lowest is the first. */
    final long[] faults;

    /**
     * Columns for so many cells.
     *
     * @throws IllegalArgumentException if there is no room for a cell.
     */
    BurstColumns(final int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1: capacity=" + capacity);
        }
        this.offset = new long[capacity];
        this.source = new int[capacity];
        this.destination = new int[capacity];
        this.faults = new long[capacity];
    }

    /** The bit of a fault. */
    static long bit(final HeaderFault fault) {
        return 1L << fault.ordinal();
    }

    /**
     * Refuses cells that do not lie in their segment.
     *
     * @param last  the last offset at which one still does.
     * @param count cells of the burst.
     * @throws IndexOutOfBoundsException if one of them lies elsewhere.
     */
    void requireInside(final long last, final int count) {
        final long[] at = offset;
        long outside = 0;
        for (int i = 0; i < count; i++) {
            outside |= at[i] | last - at[i];
        }
        if (outside < 0) {
            throw new IndexOutOfBoundsException("a cell does not lie in the segment: last possible offset=" + last);
        }
    }

    /** The first fault of a cell, or {@link HeaderFault#NONE}. */
    HeaderFault fault(final int cell) {
        return HeaderFault.first(faults[cell]);
    }
}
