package dev.skerry.nic.edge;

import java.lang.foreign.MemorySegment;

/**
 * Where the packets of a port go, and what it learns from those that come out of the fabric. One for each port, used
 * by the port's thread alone, so it needs no locks; it must not allocate or wait.
 */
public interface PortForwarding {
    /** To every other port. */
    int FLOOD = -1;
    /** To none: the packet is too short to say. */
    int NO_ADDRESS = -2;
    /** To none: the rules say so. */
    int NOWHERE = -3;

    /**
     * Where a packet goes that came in at the port.
     *
     * @param bytes  where it lies.
     * @param offset its first byte.
     * @param length its bytes, at least 1.
     * @param nowNs  the time by {@link System#nanoTime()}.
     * @return the node to go to, {@link #FLOOD}, {@link #NO_ADDRESS} or {@link #NOWHERE}.
     */
    int route(MemorySegment bytes, long offset, int length, long nowNs);

    /**
     * A packet came out of the fabric at this port.
     *
     * @param source the node it entered at.
     * @param bytes  where it lies.
     * @param offset its first byte.
     * @param length its bytes, at least 1.
     * @param nowNs  the time by {@link System#nanoTime()}.
     */
    void learn(int source, MemorySegment bytes, long offset, int length, long nowNs);
}
