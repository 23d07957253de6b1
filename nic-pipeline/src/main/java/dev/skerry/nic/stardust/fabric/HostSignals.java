package dev.skerry.nic.stardust.fabric;

/**
 * What an adapter tells hosts of its queues (docs/spec/stardust.md §3.1).
 *
 * @param markBytes a segment that joins a queue, of the ingress or of a port, with more bytes than this in it is marked
 *                  (ECN); 1 or more, {@link Long#MAX_VALUE} for no marks.
 */
public record HostSignals(long markBytes) {
    /** Hosts are told nothing. */
    public static final HostSignals NONE = new HostSignals(Long.MAX_VALUE);

    /** Checks every bound. */
    public HostSignals {
        if (markBytes < 1) {
            throw new IllegalArgumentException("an empty queue marks nothing: markBytes=" + markBytes);
        }
    }

    /** Marks from some bytes on. */
    public static HostSignals marking(final long bytes) {
        return new HostSignals(bytes);
    }

    /** Whether packets are ever marked. */
    public boolean marks() {
        return markBytes != Long.MAX_VALUE;
    }
}
