package dev.skerry.nic.host;

/**
 * A packet of a TCP connection, one word. If flows have one connection each, its number is that of the flow.
 *
 * <pre>
 *   63          32   31    30     29                            0
 *   +--------------+-----+------+-----+-------------------------------+
 *   | connection   | ACK | MARK | NAK | segment, or first one missing |
 *   +--------------+-----+------+-----+-------------------------------+
 * </pre>
 *
 * A queue sets MARK of a segment (ECN). In an acknowledgement, it echoes the mark or is the congestion notification of
 * DCQCN. NAK: the acknowledged segment arrived while an earlier one is missing.
 */
public final class TcpPacket {
    /** Maximum number of segments of a connection. */
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

    /** An acknowledgement with the first missing segment. */
    public static long ack(final int flow, final int expected) {
        return (long) flow << Integer.SIZE | ACK | expected;
    }

    /** The packet with its mark set. */
    public static long marked(final long packet) {
        return packet | MARK;
    }

    /** Whether the packet, or the segment that it acknowledges, was marked. */
    public static boolean isMarked(final long packet) {
        return (packet & MARK) != 0;
    }

    /** The acknowledgement of a segment, which echoes its mark. */
    public static long answer(final long segment, final int expected) {
        return segment & -1L << Integer.SIZE | segment & MARK | ACK | expected;
    }

    /**
     * The acknowledgement of a segment for DCQCN, whose receivers limit congestion notifications and report gaps.
     *
     * @param notifies whether it is also a congestion notification.
     */
    static long answer(final long segment, final int expected, final boolean notifies) {
        return segment & -1L << Integer.SIZE | (notifies ? MARK : 0) | ACK | (number(segment) > expected ? NAK : 0)
            | expected;
    }

    /** Whether the acknowledged segment arrived while an earlier one is missing. */
    static boolean isNak(final long packet) {
        return (packet & NAK) != 0;
    }

    /** The number of the packet's connection, which is that of its flow if flows have one connection each. */
    public static int flow(final long packet) {
        return (int) (packet >>> Integer.SIZE);
    }

    /** Whether the packet acknowledges segments. */
    public static boolean isAck(final long packet) {
        return (packet & ACK) != 0;
    }

    /** The number of the segment, or of the first missing one. */
    public static int number(final long packet) {
        return (int) packet & MAX_NUMBER;
    }
}
