package dev.skerry.dataplane.port;

import dev.skerry.dataplane.port.MemifFault.MemifVerdict;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.MemorySegment;

/** Our end of one memif ring: the common part of sender and receiver. One thread. */
public abstract class MemifEnd {
    final MemifRing ring;
    final MemifRegions regions;
    /** Our own buffers if we are the client; null for a server, which uses the client's {@link #regions}. */
    final MemifBuffers buffers;
    final MemifVerdict verdict;
    final PortCounts counts;
    final int mask;
    /** Counter of the next slot. */
    int next;

    MemifEnd(final MemifRing ring, final MemifRegions regions, final MemifBuffers buffers, final MemifVerdict verdict,
        final PortCounts counts) {
        this.ring = ring;
        this.regions = regions;
        this.buffers = buffers;
        this.verdict = verdict;
        this.counts = counts;
        this.mask = ring.slots() - 1;
    }

    /** Number of packets that end in {@code slots} slots starting at {@code from}. */
    final int packets(final int from, final int slots) {
        int packets = 0;
        for (int slot = 0; slot < slots; slot++) {
            packets += (ring.word(from + slot & mask) & MemifRing.NEXT) == 0 ? 1 : 0;
        }
        return packets;
    }

    /**
     * The regions of a link, by index. Memory of another process is accessed only through these segments, whose bounds
     * hold even if one of our checks fails. Immutable.
     */
    public static final class MemifRegions {
        private final MemorySegment[] segments;

        /**
         * Creates regions 0 to n - 1.
         *
         * @param segments one segment per region, of its whole mapped length; at most 65,536.
         */
        public MemifRegions(final MemorySegment... segments) {
            this.segments = segments.clone();
        }

        /** A region, 0 to {@code count() - 1}. */
        public MemorySegment segment(final int region) {
            return segments[region];
        }

        /**
         * Whether a range lies in a region; raises the fault if not.
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

    /**
     * A client's buffers of one ring: one per slot, each on separate cache lines. The client computes their positions
     * and never reads them back from memory that its peer can write. Immutable.
     *
     * @param region      index of their region.
     * @param segment     that region.
     * @param offset      offset of the first buffer in the region, in bytes.
     * @param bufferBytes size of each buffer, at least 1.
     * @param slots       number of buffers.
     */
    public record MemifBuffers(int region, MemorySegment segment, long offset, int bufferBytes, int slots) {
        /**
         * Checks that the buffers lie in the region, below 2^32.
         *
         * @throws IllegalArgumentException if they do not.
         */
        public MemifBuffers {
            final long end = offset + (long) MemifRing.strideBytes(bufferBytes) * slots;
            Bounds.refuseIf(bufferBytes < 1 || offset < 0 || end > segment.byteSize() || end > MemifRing.INT_MASK,
                "buffers must lie in the region: offset=", offset, " bufferBytes=", bufferBytes, " slots=", slots,
                " region.bytes=", segment.byteSize());
        }

        /** Offset in the region of a slot's buffer. */
        long offset(final int slot) {
            return offset + (long) slot * strideBytes();
        }

        /** Distance between buffers in bytes. */
        int strideBytes() {
            return MemifRing.strideBytes(bufferBytes);
        }

        /** A descriptor's first word: our region, a length and flags. */
        long word(final long length, final long flags) {
            return length << MemifRing.LENGTH_SHIFT | (long) region << MemifRing.REGION_SHIFT | flags;
        }
    }
}
