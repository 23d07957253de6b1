package dev.skerry.nic.fattree;

import dev.skerry.nic.host.TcpPacket;

/**
 * The second word of a packet; the first one is a {@link TcpPacket}, with the packet's connection, mark and number.
 *
 * <pre>
 *   63     50   49  47   46              35   34  20   19                 0
 *   +---------+--------+--------------------+--------+---------------------+
 *   | bytes   | kind   | port it came in by | path   | slot it was sent in |
 *   +---------+--------+--------------------+--------+---------------------+
 * </pre>
 *
 * The port is one of the device that holds the packet, counted there, or {@link #NO_PORT} at the host that sent it. The
 * path is the sender's choice, where senders choose; the slot counts modulo 2^20, for latencies.
 */
final class PacketWord {
    /** A segment of a flow, on its way to the flow's destination. */
    static final int SEGMENT = 0;
    /** What is left of a segment that was cut; to the destination as well. Kinds after it go to the source. */
    static final int HEADER = 1;
    /** An acknowledgement. */
    static final int ACK = 2;
    /** A request for a segment that was cut. */
    static final int NACK = 3;
    /** The right to send another segment. */
    static final int PULL = 4;
    /** A header that found no room, on its way back. */
    static final int RETURNED = 5;
    /** Stops the port at the other end of a link; it crosses that link alone. */
    static final int PAUSE = 6;
    /** Lets that port go on. */
    static final int RESUME = 7;

    /** In place of a port: the packet is at the host that sent it. */
    static final int NO_PORT = (1 << 12) - 1;
    /** The longest packet. */
    static final int MAX_BYTES = (1 << 14) - 1;
    /** Paths of a connection, at most. */
    static final int MAX_PATHS = 1 << 15;

    /** Bits of the slot. */
    static final int SLOT_BITS = 20;

    private static final int BYTES_SHIFT = 50;
    private static final int KIND_SHIFT = 47;
    private static final int PORT_SHIFT = 35;
    private static final int PATH_SHIFT = SLOT_BITS;
    private static final int SLOTS = 1 << SLOT_BITS;

    private PacketWord() {
    }

    /** A packet at the host that sends it. */
    static long of(final int kind, final int bytes, final int path, final long slot) {
        return (long) bytes << BYTES_SHIFT | (long) kind << KIND_SHIFT | (long) NO_PORT << PORT_SHIFT
            | (long) path << PATH_SHIFT | slot & SLOTS - 1;
    }

    /** The same packet as another kind, with other bytes. */
    static long as(final long word, final int kind, final int bytes) {
        return word & (1L << KIND_SHIFT) - 1 | (long) bytes << BYTES_SHIFT | (long) kind << KIND_SHIFT;
    }

    /** The same packet at the next device. */
    static long cameBy(final long word, final int port) {
        return word & ~((long) NO_PORT << PORT_SHIFT) | (long) port << PORT_SHIFT;
    }

    static int bytes(final long word) {
        return (int) (word >>> BYTES_SHIFT);
    }

    static int kind(final long word) {
        return (int) (word >>> KIND_SHIFT) & 7;
    }

    /** Whether it goes to the source of its flow. */
    static boolean goesBack(final long word) {
        return kind(word) >= ACK;
    }

    /** Whether hosts sent it beside segments, or it is what is left of one. */
    static boolean isControl(final long word) {
        return kind(word) >= HEADER && kind(word) <= RETURNED;
    }

    /** The port that it came in by, counted at its device. */
    static int port(final long word) {
        return (int) (word >>> PORT_SHIFT) & NO_PORT;
    }

    static int path(final long word) {
        return (int) (word >>> PATH_SHIFT) & MAX_PATHS - 1;
    }

    /** The slot that it was sent in, modulo 2^20; in NDP's control packets, pulls of their connection so far. */
    static int slot(final long word) {
        return (int) word & SLOTS - 1;
    }

    /** Slots since it was sent, up to 2^20. */
    static int age(final long word, final long slot) {
        return (int) (slot - word) & SLOTS - 1;
    }
}
