package dev.skerry.nic.host;

/**
 * A packet of a TCP connection, one word. Where flows have one connection, it has the number of its flow.
 *
 * <pre>
 *   63          32   31    30     29                            0
 *   +--------------+-----+------+-----+-------------------------------+
 *   | connection   | ACK | MARK | NAK | segment, or first one missing |
 *   +--------------+-----+------+-----+-------------------------------+
 * </pre>
 *
 * The mark of a segment is that of a queue (ECN), and an acknowledgement echoes it, or is the congestion notification
 * of DCQCN. NAK: the segment came before one that is missing.
 */
public final class TcpPacket {
    /** Most segments of a connection. */
    static final int MAX_NUMBER = (1 << 29) - 1;

    private static final long ACK = 1L << 31;
    private static final long MARK = 1L << 30;
    private static final long NAK = 1L << 29;

    private TcpPacket() {
    }

    /** A segment of a flow. */
    public static long segment(final int flow, final int number) {
        return (long) flow << Integer.SIZE | number;
    }

    /** An acknowledgement: the receiver misses this segment first. */
    public static long ack(final int flow, final int expected) {
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

    /**
     * The same for DCQCN, whose receivers decide who is told of marks, and tell of gaps.
     *
     * @param notifies whether it is a congestion notification too.
     */
    static long answer(final long segment, final int expected, final boolean notifies) {
        return segment & -1L << Integer.SIZE | (notifies ? MARK : 0) | ACK | (number(segment) > expected ? NAK : 0)
            | expected;
    }

    /** Whether the acknowledged segment came before one that is missing. */
    static boolean isNak(final long packet) {
        return (packet & NAK) != 0;
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
