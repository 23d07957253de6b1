package dev.skerry.nic.stardust.host;

/**
 * A packet of a TCP connection, one word; the connection has the number of its flow.
 *
 * <pre>
 *   63          32   31    30                            0
 *   +--------------+-----+--------------------------------+
 *   | flow         | ACK | segment, or first one missing  |
 *   +--------------+-----+--------------------------------+
 * </pre>
 */
final class TcpPacket {
    private static final long ACK = 1L << 31;

    private TcpPacket() {
    }

    static long segment(final int flow, final int number) {
        return (long) flow << Integer.SIZE | number;
    }

    static long ack(final int flow, final int expected) {
        return (long) flow << Integer.SIZE | ACK | expected;
    }

    static int flow(final long packet) {
        return (int) (packet >>> Integer.SIZE);
    }

    static boolean isAck(final long packet) {
        return (packet & ACK) != 0;
    }

    /** The number of the segment, or of the first one that the receiver misses. */
    static int number(final long packet) {
        return (int) packet & Integer.MAX_VALUE;
    }
}
