package dev.skerry.tools.port;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sends bursts of packets over a packet socket, up to {@link #BATCH} with a system call (sendmmsg). One thread.
 * <pre>
 *    struct mmsghdr, 64 bytes a packet                      struct iovec, 16 bytes a packet
 *          16       24            56                              0         8
 *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
 *    |     | vector | 1    |      | sent |     |            |     | address | length |
 *    +-----+--------+------+------+------+-----+            +-----+---------+--------+
 * </pre>
 */
final class PacketSender {
    /** Most packets of a system call. */
    static final int BATCH = 64;

    private static final int MESSAGE_BYTES = 64;
    private static final int MESSAGE_VECTOR = 16;
    private static final int MESSAGE_VECTORS = 24;
    private static final int VECTOR_BYTES = 16;

    private final int fd;
    private final PortCounts counts;
    private final MemorySegment messages;
    private final MemorySegment vectors;
    private int error;

    /**
     * A sender.
     *
     * @param fd     socket, bound to an interface.
     * @param counts the port's counters.
     */
    PacketSender(final Arena arena, final int fd, final PortCounts counts) {
        this.fd = fd;
        this.counts = counts;
        this.messages = arena.allocate((long) BATCH * MESSAGE_BYTES, Long.BYTES);
        this.vectors = arena.allocate((long) BATCH * VECTOR_BYTES, Long.BYTES);
        for (int i = 0; i < BATCH; i++) {
            final long message = (long) i * MESSAGE_BYTES;
            messages.set(JAVA_LONG, message + MESSAGE_VECTOR, vectors.address() + (long) i * VECTOR_BYTES);
            messages.set(JAVA_LONG, message + MESSAGE_VECTORS, 1);
        }
    }

    /**
     * Sends packets, as many as the system takes now.
     *
     * @return the first packet that it did not take; {@link #error} says why.
     */
    int send(final PacketBurst from, final int first) {
        int packet = first;
        error = 0;
        while (packet < from.size() && error == 0) {
            final int some = Math.min(BATCH, from.size() - packet);
            fill(from, packet, some);
            final int sent = DeviceCalls.sendMany(fd, messages, some, Libc.MSG_DONTWAIT);
            if (sent < 0) {
                error = sent;
            } else {
                count(sent);
                packet += sent;
            }
        }
        return packet;
    }

    /** Why the last call stopped, a negated errno; 0 if it did not. */
    int error() {
        return error;
    }

    private void fill(final PacketBurst from, final int first, final int some) {
        final long start = from.bytes().address();
        for (int i = 0; i < some; i++) {
            vectors.set(JAVA_LONG, (long) i * VECTOR_BYTES, start + from.offset(first + i));
            vectors.set(JAVA_LONG, (long) i * VECTOR_BYTES + Long.BYTES, from.length(first + i));
        }
    }

    private void count(final int sent) {
        long bytes = 0;
        for (int i = 0; i < sent; i++) {
            bytes += messages.get(JAVA_INT, (long) i * MESSAGE_BYTES + MESSAGE_BYTES - Long.BYTES);
        }
        counts.add(PortCounter.TX_PACKETS, sent);
        counts.add(PortCounter.TX_BYTES, bytes);
    }
}
