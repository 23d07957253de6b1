package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifVerdict;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Shared memory that its mapper can trust not to shrink: a memfd with the seal F_SEAL_SHRINK. Without the seal the peer
 * could truncate the file, and our next access would raise SIGBUS (docs/spec/memif.md §10).
 */
final class MemfdRegion {
    /** Maximum bytes over all regions of a peer. */
    static final long MAX_BYTES = 1L << 30;

    private MemfdRegion() {
    }

    /**
     * Creates a zeroed, sealed memory file.
     *
     * @param bytes size of the file.
     * @return its descriptor, which the caller closes, or a negated errno.
     */
    static int create(final long bytes) {
        final int fd = Libc.memfdCreate("skerry-memif", Libc.MFD_CLOEXEC | Libc.MFD_ALLOW_SEALING);
        if (fd < 0) {
            return fd;
        }
        int result = Libc.ftruncate(fd, bytes);
        if (result >= 0) {
            result = Libc.fcntl(fd, Libc.F_ADD_SEALS, Libc.F_SEAL_SHRINK);
        }
        if (result < 0) {
            Libc.close(fd);
            return result;
        }
        return fd;
    }

    /**
     * Maps a peer's memory file. Seals it first and measures it then, so that the peer cannot shrink it in between.
     *
     * @param fd      descriptor from the peer, which may refer to anything; stays the caller's.
     * @param bytes   size that the peer claims, 1 to {@link #MAX_BYTES}.
     * @param arena   arena that unmaps it on close.
     * @param verdict receives the fault.
     * @return the region, or null if it is refused.
     */
    static MemorySegment adopt(final int fd, final long bytes, final Arena arena, final MemifVerdict verdict) {
        int seals = Libc.fcntl(fd, Libc.F_GET_SEALS, 0);
        if (seals >= 0 && (seals & Libc.F_SEAL_SHRINK) == 0) {
            final int added = Libc.fcntl(fd, Libc.F_ADD_SEALS, Libc.F_SEAL_SHRINK);
            seals = added < 0 ? added : Libc.fcntl(fd, Libc.F_GET_SEALS, 0);
        }
        if (seals < 0 || (seals & Libc.F_SEAL_SHRINK) == 0) {
            verdict.raise(MemifFault.REGION_UNSEALED, seals, Libc.F_SEAL_SHRINK);
            return null;
        }
        final long size = Libc.fileBytes(fd);
        if (size < bytes) {
            verdict.raise(MemifFault.REGION_SHORT, size, bytes);
            return null;
        }
        final MemorySegment region = Libc.map(fd, bytes, arena);
        if (region == null) {
            verdict.raise(MemifFault.REGION_UNMAPPABLE, bytes, MAX_BYTES);
        }
        return region;
    }
}
