package dev.skerry.nic.stardust.host;

/**
 * A packet of a TCP connection, one word. Where flows have one connection, it has the number of its flow.
 *
 * <pre>
 *   63          32   31    30                             0
 *   +--------------+-----+------+-------------------------------+
 *   | connection   | ACK | MARK | segment, or first one missing |
 *   +--------------+-----+------+-------------------------------+
 * </pre>
 *
 * The mark of a segment is that of a queue (ECN), and an acknowledgement echoes it.
 */
public final class TcpPacket {
    /** Most segments of a connection. */
    static final int MAX_NUMBER = (1 << 30) - 1;

    private static final long ACK = 1L << 31;
    private static final long MARK = 1L << 30;

    private TcpPacket() {
    }

    /** A segment of a flow. */
    public static long segment(final int flow, final int number) {
        return (long) flow << Integer.SIZE | number;
    }

    static long ack(final int flow, final int expected) {
        return (long) flow << Integer.SIZE | ACK | expected;
    }

    /** The same packet, marked. */
    public static long marked(final long packet) {
        return packet | MARK;
    }

    /** Whether a queue marked it, or that of the segment it acknowledges. */
    public static boolean isMarked(final long packet) {
        return (packet & MARK) != 0;
    }

    /** The acknowledgement of a segment that came, with its mark. */
    public static long answer(final long segment, final int expected) {
        return segment & -1L << Integer.SIZE | segment & MARK | ACK | expected;
    }

    /** The number of its connection, which is that of its flow where each has one. */
    public static int flow(final long packet) {
        return (int) (packet >>> Integer.SIZE);
    }

    /** Whether it acknowledges segments. */
    public static boolean isAck(final long packet) {
        return (packet & ACK) != 0;
    }

    /** The number of the segment, or of the first one that the receiver misses. */
    public static int number(final long packet) {
        return (int) packet & MAX_NUMBER;
    }
}
