package dev.skerry.dataplane.port;

import dev.skerry.dataplane.port.PortCounter.PortCounts;

/**
 * Entry and exit point of packets. One thread owns a port and calls everything except {@link #counts}; ownership may
 * move to another thread by a safe hand-over (a thread's start or end). The two burst methods never wait, never
 * allocate, and for a port in shared memory never enter the kernel, except to wake a peer that does not poll; slower
 * work is done in {@link #poll}.
 */
public interface PacketPort extends AutoCloseable {
    /**
     * Receives as many packets as have arrived and fit the burst.
     *
     * @param into receives the packets after those that it already holds.
     * @return number of packets added, 0 if none has arrived or the port is down.
     */
    int rxBurst(PacketBurst into);

    /**
     * Requests the port to hold back packets to a port of the fabric that has no room for them, or to resume. A port
     * that can distinguish packets before delivery keeps those packets for later and delivers others. A port that reads
     * a single queue ignores the request and delivers packets in order.
     *
     * @param node   destination node of the packets.
     * @param number port at that node, from 0.
     * @param held   true to hold packets back; false when there is room again.
     */
    default void holdBack(final int node, final int number, final boolean held) {
    }

    /**
     * Sends as many packets as fit, in order. The port delivers the packets it accepts or counts them as dropped; the
     * caller keeps the others and offers them again.
     *
     * @param from  the packets.
     * @param first index of the first packet to send, 0 to {@code from.size()}.
     * @return number of packets accepted, 0 if there is no room or the port is down.
     */
    int txBurst(PacketBurst from, int first);

    /**
     * Lends transmit buffers of the port: the caller writes packets to the location from which the peer will read them,
     * and {@link #txBurst} of the whole burst, from its first packet, sends them without a copy. The loan ends with the
     * next call of the port. The initial content of the buffers is undefined.
     *
     * @param packets maximum number wanted, at least 1.
     * @return an empty burst with room for 1 to {@code packets}; null if there is no room now, or the port lends no
     *     buffers, in which case the caller sends a burst of its own.
     */
    default PacketBurst txLend(final int packets) {
        return null;
    }

    /**
     * Performs work outside the data path: peers that connect and disconnect. Call it about every millisecond; it never
     * waits. The default does nothing.
     *
     * @param nowNs the time by {@link System#nanoTime()}.
     * @return number of steps done.
     */
    default int poll(final long nowNs) {
        return 0;
    }

    /**
     * Number of packets sent and not yet read by the peer, as of the last {@link #poll}; 0 if the port cannot determine
     * it. Any thread may call.
     */
    default long unread() {
        return 0;
    }

    /** Whether a peer is connected; always true by default. */
    default boolean isUp() {
        return true;
    }

    /**
     * The port's counters, which satisfy the invariant of {@link PortCounter}. Any thread may call; threads other than
     * the owner may read slightly outdated values.
     */
    PortCounts counts();

    /** Closes the port and releases everything that it holds. May be called repeatedly. */
    @Override
    void close();

    /**
     * Closes a port that was opened for a run that did not start. If no packet was sent to the port, it leaves no
     * output, and existing output that it would have replaced is kept. Does nothing if the port is closed.
     */
    default void discard() {
        close();
    }
}
