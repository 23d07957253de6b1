package dev.skerry.nic.edge;

import java.lang.foreign.MemorySegment;

/**
 * Decides where the packets of a port go, and learns addresses from packets that leave the fabric there. One object per
 * port; only the port's thread calls, so it needs no locks. It must not allocate or wait.
 */
public interface PortForwarding {
    /** Send to every other port. */
    int FLOOD = -1;
    /** Drop: the packet is too short for addresses. */
    int NO_ADDRESS = -2;
    /** Drop: the rules give no port. */
    int NOWHERE = -3;

    /**
     * Decides where a packet goes that entered at the port.
     *
     * @param bytes  memory of the packet.
     * @param offset offset of its first byte.
     * @param length bytes of the packet, at least 1.
     * @param nowNs  the current time, by {@link System#nanoTime()}.
     * @return the number of the destination port, {@link #FLOOD}, {@link #NO_ADDRESS} or {@link #NOWHERE}.
     */
    int route(MemorySegment bytes, long offset, int length, long nowNs);

    /**
     * Learns from a packet that leaves the fabric at this port.
     *
     * @param source the number of the port at which it entered.
     * @param bytes  memory of the packet.
     * @param offset offset of its first byte.
     * @param length bytes of the packet, at least 1.
     * @param nowNs  the current time, by {@link System#nanoTime()}.
     */
    void learn(int source, MemorySegment bytes, long offset, int length, long nowNs);
}
