package dev.skerry.nic.stardust.fabric;

import java.util.Objects;

/**
 * What an adapter tells hosts of its queues (docs/spec/stardust.md §3.1).
 *
 * @param marks      which segments are marked (ECN) that join a queue, of the ingress or of a port.
 * @param pauseBytes an adapter that holds more bytes than this for others pauses its hosts (PAUSE) until it holds less
 *                   than half; 1 or more, {@link Long#MAX_VALUE} for no pauses.
 */
public record HostSignals(MarkLaw marks, long pauseBytes) {
    /** Hosts are told nothing. */
    public static final HostSignals NONE = new HostSignals(MarkLaw.NONE, Long.MAX_VALUE);

    /** Checks every bound. */
    public HostSignals {
        Objects.requireNonNull(marks);
        if (pauseBytes < 1) {
            throw new IllegalArgumentException("an empty queue pauses nothing: pauseBytes=" + pauseBytes);
        }
    }

    /** Marks from some bytes on. */
    public static HostSignals marking(final long bytes) {
        return marking(MarkLaw.above(bytes));
    }

    /** Marks by some law. */
    public static HostSignals marking(final MarkLaw law) {
        return new HostSignals(law, Long.MAX_VALUE);
    }

    /** The same with pauses from some bytes on. */
    public HostSignals pausing(final long bytes) {
        return new HostSignals(marks, bytes);
    }

    /** Whether hosts are ever paused. */
    public boolean pauses() {
        return pauseBytes != Long.MAX_VALUE;
    }
}
