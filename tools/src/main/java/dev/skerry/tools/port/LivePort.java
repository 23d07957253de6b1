package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port that says of itself what a run reports: whether it has come to its end or failed, and what happens at its
 * other end. The thread that owns the port calls, except where any may.
 */
public interface LivePort extends PacketPort {
    /** Whether no packet will come any more: all were delivered, the port failed, or it only receives. */
    default boolean isExhausted() {
        return false;
    }

    /**
     * Why the port failed, as one line {@code skerry: what: where: why, what to do}; empty if it has not. A port may
     * still send or receive after its other direction failed, see {@link #isUp}.
     */
    default String failure() {
        return "";
    }

    /** Last change at the other end, in one line; empty before the first. Any thread. */
    default String status() {
        return "";
    }

    /** MTU of the network interface at the other end when the port was opened; 0 if there is none. */
    default int interfaceMtu() {
        return 0;
    }
}
