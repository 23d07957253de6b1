package dev.skerry.dataplane.port;

import java.lang.foreign.MemorySegment;

/**
 * A client's buffers of one ring: one a slot, each on cache lines of its own. The client computes their places and
 * never reads them back from memory that its peer can write. Immutable.
 *
 * @param region      index of their region.
 * @param segment     that region.
 * @param offset      of the first buffer in the region, in bytes.
 * @param bufferBytes of each buffer, at least 1.
 * @param slots       number of buffers.
 */
public record MemifBuffers(int region, MemorySegment segment, long offset, int bufferBytes, int slots) {
    /**
     * Checks that they lie in the region, below 2^32.
     *
     * @throws IllegalArgumentException if they do not.
     */
    public MemifBuffers {
        final long end = offset + (long) MemifLayout.strideBytes(bufferBytes) * slots;
        if (bufferBytes < 1 || offset < 0 || end > segment.byteSize() || end > MemifLayout.INT_MASK) {
            throw new IllegalArgumentException("buffers must lie in the region: offset=" + offset + " bufferBytes="
                + bufferBytes + " slots=" + slots + " region.bytes=" + segment.byteSize());
        }
    }

    /** Offset in the region of a slot's buffer. */
    long offset(final int slot) {
        return offset + (long) slot * strideBytes();
    }

    /** Distance between buffers in bytes. */
    int strideBytes() {
        return MemifLayout.strideBytes(bufferBytes);
    }

    /** A descriptor's first word: our region, a length and flags. */
    long word(final long length, final long flags) {
        return length << MemifLayout.LENGTH_SHIFT | (long) region << MemifLayout.REGION_SHIFT | flags;
    }
}
