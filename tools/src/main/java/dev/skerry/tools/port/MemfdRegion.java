package dev.skerry.tools.port;

import dev.skerry.dataplane.port.MemifFault;
import dev.skerry.dataplane.port.MemifVerdict;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Shared memory that cannot be cut under whoever maps it: a memory file with the seal F_SEAL_SHRINK. Without the seal
 * the peer could truncate the file, and our next access would be a SIGBUS (docs/spec/memif.md §10).
 */
final class MemfdRegion {
    /** All regions of a peer together. */
    static final long MAX_BYTES = 1L << 30;

    private MemfdRegion() {
    }

    /**
     * A zeroed, sealed memory file.
     *
     * @param bytes its size.
     * @return its descriptor, the caller's to close, or a negative error number.
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
     * Maps a peer's memory file, after it has been sealed and only then measured.
     *
     * @param fd      what the peer passed, which may be anything; stays the caller's.
     * @param bytes   what the peer says it holds, 1 to {@link #MAX_BYTES}.
     * @param arena   unmaps it when it closes.
     * @param verdict where the fault goes.
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
