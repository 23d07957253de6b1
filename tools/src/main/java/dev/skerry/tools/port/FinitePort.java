package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port whose packets may come to an end, and that may fail on its own. Only the thread that owns the port calls it.
 */
public interface FinitePort extends PacketPort {
    /** Whether no packet will come any more: all were delivered, the port failed, or it only receives. */
    boolean isExhausted();

    /**
     * Why the port failed, as one line {@code skerry: what: where: why, what to do}; empty if it has not. A port may
     * still send or receive after its other direction failed, see {@link #isUp}.
     */
    String failure();
}
