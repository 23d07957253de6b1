package dev.skerry.nic.fattree;

import dev.skerry.nic.host.TcpPacket;

/**
 * The second word of a packet; the first one is a {@link TcpPacket} with the packet's connection, mark and number.
 *
 * <pre>
 *   63     50   49  47   46              35   34  20   19                 0
 *   +---------+--------+--------------------+--------+---------------------+
 *   | bytes   | kind   | port of arrival    | path   | slot of sending     |
 *   +---------+--------+--------------------+--------+---------------------+
 * </pre>
 *
 * The port is an index at the device that holds the packet, or {@link #NO_PORT} at the sending host. The path is set if
 * senders select paths; otherwise the field holds the next bits of the slot. The slot is for latencies, which are
 * modulo 2^20 slots if senders select paths and modulo 2^31 otherwise.
 */
final class PacketWord {
    /** A segment of a flow, on its way to the flow's destination. */
    static final int SEGMENT = 0;
    /** A trimmed segment, on its way to the destination. All later kinds but pauses go to the source. */
    static final int HEADER = 1;
    /** An acknowledgement. */
    static final int ACK = 2;
    /** A request for a trimmed segment. */
    static final int NACK = 3;
    /** Permission to send another segment. */
    static final int PULL = 4;
    /** A header that did not fit a queue, on its way back to the source. */
    static final int RETURNED = 5;
    /** Pauses the port at the other end of a link. */
    static final int PAUSE = 6;
    /** Resumes that port. */
    static final int RESUME = 7;

    /** Value used instead of a port at the sending host. */
    static final int NO_PORT = (1 << 12) - 1;
    /** Maximum size of a packet. */
    static final int MAX_BYTES = (1 << 14) - 1;
    /** Maximum number of paths of a connection. */
    static final int MAX_PATHS = 1 << 15;

    /** Number of bits of the slot. */
    static final int SLOT_BITS = 20;

    private static final int BYTES_SHIFT = 50;
    private static final int KIND_SHIFT = 47;
    private static final int PORT_SHIFT = 35;
    private static final int PATH_SHIFT = SLOT_BITS;
    private static final int SLOTS = 1 << SLOT_BITS;

    private PacketWord() {
    }

    /** A packet at its sending host. */
    static long of(final int kind, final int bytes, final int path, final long slot) {
        return (long) bytes << BYTES_SHIFT | (long) kind << KIND_SHIFT | (long) NO_PORT << PORT_SHIFT
            | (long) path << PATH_SHIFT | slot & SLOTS - 1;
    }

    /** A packet at its sending host, whose path the switches select. */
    static long of(final int kind, final int bytes, final long slot) {
        return of(kind, bytes, (int) (slot >>> SLOT_BITS) & MAX_PATHS - 1, slot);
    }

    /** The packet with another kind and size. */
    static long as(final long word, final int kind, final int bytes) {
        return word & (1L << KIND_SHIFT) - 1 | (long) bytes << BYTES_SHIFT | (long) kind << KIND_SHIFT;
    }

    /** The packet at the next device, with its port of arrival. */
    static long cameBy(final long word, final int port) {
        return word & ~((long) NO_PORT << PORT_SHIFT) | (long) port << PORT_SHIFT;
    }

    static int bytes(final long word) {
        return (int) (word >>> BYTES_SHIFT);
    }

    static int kind(final long word) {
        return (int) (word >>> KIND_SHIFT) & 7;
    }

    /** Whether the packet goes to the source of its flow. */
    static boolean goesBack(final long word) {
        return kind(word) >= ACK;
    }

    /** Whether the packet is a control packet: neither a segment nor a pause frame. */
    static boolean isControl(final long word) {
        return kind(word) >= HEADER && kind(word) <= RETURNED;
    }

    /** The port of arrival, an index at the device. */
    static int port(final long word) {
        return (int) (word >>> PORT_SHIFT) & NO_PORT;
    }

    static int path(final long word) {
        return (int) (word >>> PATH_SHIFT) & MAX_PATHS - 1;
    }

    /** The slot in which it was sent, modulo 2^20; in control packets of NDP, the pull counter. */
    static int slot(final long word) {
        return (int) word & SLOTS - 1;
    }

    /** Slots since a segment was sent, modulo 2^20 if its sender chose the path, otherwise modulo 2^31. */
    static int age(final long word, final long slot, final boolean hasPath) {
        return (int) (slot - word) & (hasPath ? SLOTS - 1 : Integer.MAX_VALUE);
    }
}
