package dev.skerry.dataplane.port;

import dev.skerry.dataplane.port.PortCounter.PortCounts;

/**
 * Where packets enter and leave. One thread owns a port and calls everything except {@link #counts}; ownership may move
 * to another thread by a safe hand-over (a thread's start or end). The two burst methods never wait, never allocate,
 * and for a port in shared memory never enter the kernel, except to wake a peer that does not poll; slower work is done
 * in {@link #poll}.
 */
public interface PacketPort extends AutoCloseable {
    /**
     * Takes packets that have come, as many as fit.
     *
     * @param into receives them behind those it holds.
     * @return packets added, 0 if none has come or the port is down.
     */
    int rxBurst(PacketBurst into);

    /**
     * Says whether packets to a port are to be held back for now: the fabric has no room for them. A port that can tell
     * packets apart before it gives them, gives none for that one and goes on with others; what it holds back it keeps
     * and gives later. A port that reads one queue cannot, ignores this, and gives packets in order.
     *
     * @param node   where the packets go.
     * @param number to which port at that node, from 0.
     * @param held   true: hold them back; false: there is room again.
     */
    default void holdBack(final int node, final int number, final boolean held) {
    }

    /**
     * Sends packets in order, as many as fit. The port delivers the packets it takes or counts them as dropped; the
     * caller keeps the others and offers them again.
     *
     * @param from  the packets.
     * @param first index of the first to send, 0 to {@code from.size()}.
     * @return packets taken, 0 if there is no room or the port is down.
     */
    int txBurst(PacketBurst from, int first);

    /**
     * Lends transmit buffers of the port: the caller writes packets where the peer will read them, and {@link #txBurst}
     * of the whole burst, from its first packet, sends them without a copy. The loan ends with the next call of the
     * port. The buffers' old content is undefined.
     *
     * @param packets the most wanted, at least 1.
     * @return an empty burst with room for 1 to {@code packets}; null if there is no room now, or the port lends no
     *     buffers: then send a burst of your own.
     */
    default PacketBurst txLend(final int packets) {
        return null;
    }

    /**
     * Work off the path: peers that connect and disconnect. Call it about every millisecond; it never waits. By default
     * there is none.
     *
     * @param nowNs the time by {@link System#nanoTime()}.
     * @return steps done, 0 if none.
     */
    default int poll(final long nowNs) {
        return 0;
    }

    /**
     * Packets handed over and not yet read by the peer, where a port can tell: as of the last {@link #poll}. Any thread
     * may ask.
     */
    default long unread() {
        return 0;
    }

    /** Whether a peer is connected; by default there always is. */
    default boolean isUp() {
        return true;
    }

    /**
     * The port's counters, which hold the law of {@link PortCounter}. Any thread may call; others than the owner may
     * read slightly old values.
     */
    PortCounts counts();

    /** Closes the port and releases everything it holds. May be called again. */
    @Override
    void close();

    /**
     * Closes a port that was opened for a run which then did not begin. If nothing was sent to the port, it leaves no
     * output, and what was to be replaced by it stays. Does nothing if the port is closed.
     */
    default void discard() {
        close();
    }
}
