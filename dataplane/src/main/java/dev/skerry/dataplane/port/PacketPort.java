package dev.skerry.dataplane.port;

/**
 * A door for packets. One thread owns a port and calls everything but {@link #counts}; the right to call may move to
 * another thread over an edge of its own (a thread's start, its end). The two burst methods never wait, never allocate
 * and never enter the kernel for a port in shared memory; what may take longer is in {@link #poll}.
 */
public interface PacketPort extends AutoCloseable {
    /**
     * Takes the packets that have come, as many as there is room for.
     *
     * @param into where they go, behind those it holds.
     * @return how many were added, 0 if none has come or the port is down.
     */
    int rxBurst(PacketBurst into);

    /**
     * Sends packets, in order, as many as there is room for. Those taken are the port's to deliver or to count as
     * dropped; the others stay the caller's, to be offered again.
     *
     * @param from  the packets.
     * @param first index of the first to send, 0 to {@code from.size()}.
     * @return how many were taken, 0 if there is no room or the port is down.
     */
    int txBurst(PacketBurst from, int first);

    /**
     * Lends transmit buffers of the port itself: who makes packets writes them where the peer will read them, and
     * {@link #txBurst} of the whole burst, from its first packet, sends them without a copy. The loan ends with the
     * next call of the port. What stands in the buffers is not to be relied upon.
     *
     * @param packets wanted, at least 1.
     * @return an empty burst with room for 1 to that many; null if there is no room now, or the port has no buffers
     *     that its peer could not take away meanwhile: then offer a burst of your own.
     */
    default PacketBurst txLend(final int packets) {
        return null;
    }

    /**
     * Work off the path: peers that come and go. To be called again and again, every millisecond or so; never waits.
     *
     * @param nowNs the time by {@link System#nanoTime()}.
     * @return how many things were done, 0 if none.
     */
    int poll(long nowNs);

    /** Whether packets can travel now. */
    boolean isUp();

    /** The port's counters; another thread may read them, and sees values that are somewhat old. */
    PortCounts counts();

    /** Ends the port and gives back all it holds. May be called again. */
    @Override
    void close();
}
