package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/** A port whose packets may come to an end, and which may fail on its own. Its owner's thread calls. */
public interface FinitePort extends PacketPort {
    /** Whether no packet will come any more: all have been handed out, the port has failed, or it only takes. */
    boolean isExhausted();

    /**
     * Why the port failed, as one line {@code skerry: what: where: why, what to do}; empty if it has not. A port may
     * still deliver or take after half of it failed, see {@link #isUp}.
     */
    String failure();
}
