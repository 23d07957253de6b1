package dev.skerry.dataplane.port;

import java.lang.foreign.MemorySegment;

/**
 * The regions of a link, by index. Memory of another process is accessed only through these segments, whose bounds hold
 * even if a check of ours fails. Immutable.
 */
public final class MemifRegions {
    private final MemorySegment[] segments;

    /**
     * Regions 0 to n - 1.
     *
     * @param segments each of its whole mapped length; at most 65,536 of them.
     */
    public MemifRegions(final MemorySegment... segments) {
        this.segments = segments.clone();
    }

    /** A region, 0 to {@code count() - 1}. */
    public MemorySegment segment(final int region) {
        return segments[region];
    }

    /**
     * Whether bytes lie in a region; raises the fault if not.
     *
     * @param region  any unsigned 16-bit number.
     * @param offset  any unsigned 32-bit number.
     * @param length  any unsigned 32-bit number.
     * @param verdict receives the fault.
     */
    boolean holds(final int region, final long offset, final long length, final MemifVerdict verdict) {
        if (region >= segments.length) {
            verdict.raise(MemifFault.DESCRIPTOR_REGION, region, segments.length);
            return false;
        }
        final long bytes = segments[region].byteSize();
        if (offset + length > bytes) {
            verdict.raise(MemifFault.DESCRIPTOR_RANGE, offset + length, bytes);
            return false;
        }
        return true;
    }
}
