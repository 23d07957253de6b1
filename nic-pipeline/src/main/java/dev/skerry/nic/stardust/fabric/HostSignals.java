package dev.skerry.nic.stardust.fabric;

/**
 * What an adapter tells hosts of its queues (docs/spec/stardust.md §3.1).
 *
 * @param markBytes  a segment that joins a queue, of the ingress or of a port, with more bytes than this in it is
 *                   marked (ECN); 1 or more, {@link Long#MAX_VALUE} for no marks.
 * @param pauseBytes an adapter that holds more bytes than this for others pauses its hosts (PAUSE) until it holds less
 *                   than half; 1 or more, {@link Long#MAX_VALUE} for no pauses.
 */
public record HostSignals(long markBytes, long pauseBytes) {
    /** Hosts are told nothing. */
    public static final HostSignals NONE = new HostSignals(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Checks every bound. */
    public HostSignals {
        if (markBytes < 1 || pauseBytes < 1) {
            throw new IllegalArgumentException("an empty queue marks and pauses nothing: markBytes=" + markBytes
                + " pauseBytes=" + pauseBytes);
        }
    }

    /** Marks from some bytes on. */
    public static HostSignals marking(final long bytes) {
        return new HostSignals(bytes, Long.MAX_VALUE);
    }

    /** The same with pauses from some bytes on. */
    public HostSignals pausing(final long bytes) {
        return new HostSignals(markBytes, bytes);
    }

    /** Whether packets are ever marked. */
    public boolean marks() {
        return markBytes != Long.MAX_VALUE;
    }

    /** Whether hosts are ever paused. */
    public boolean pauses() {
        return pauseBytes != Long.MAX_VALUE;
    }
}
