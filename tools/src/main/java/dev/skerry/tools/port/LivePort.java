package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketPort;

/**
 * A port that reports its own state: whether it is exhausted or has failed, and what happens at its other end. Used by
 * the thread that owns the port, except for methods that any thread may call.
 */
public interface LivePort extends PacketPort {
    /** Tells whether no more packets will arrive: all were delivered, the port failed, or it has no input. */
    default boolean isExhausted() {
        return false;
    }

    /**
     * Returns the cause of a failure as one line {@code skerry: what: where: why, what to do}; empty if the port has
     * not failed. A port may still send or receive after the other direction has failed, see {@link #isUp}.
     */
    default String failure() {
        return "";
    }

    /**
     * Returns the last change at the other end in one line; empty before the first change. Any thread may call this.
     */
    default String status() {
        return "";
    }

    /** Returns the MTU of the network interface at the other end when the port was opened; 0 if there is none. */
    default int interfaceMtu() {
        return 0;
    }
}
