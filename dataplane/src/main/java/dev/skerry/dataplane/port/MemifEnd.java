package dev.skerry.dataplane.port;

/** Our end of one memif ring: what sender and receiver have in common. One thread. */
abstract class MemifEnd {
    final MemifRing ring;
    final MemifRegions regions;
    /** Our own buffers as a client; null for a server, which uses the client's {@link #regions}. */
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

    /** Packets that end in some slots from one on. */
    final int packets(final int from, final int slots) {
        int packets = 0;
        for (int slot = 0; slot < slots; slot++) {
            packets += (ring.word(from + slot & mask) & MemifLayout.NEXT) == 0 ? 1 : 0;
        }
        return packets;
    }
}
