package dev.skerry.nic.stardust.adapter;

import static dev.skerry.nic.stardust.credit.Requests.FLOW;
import static dev.skerry.nic.stardust.credit.Requests.PACKET;
import static dev.skerry.nic.stardust.credit.Requests.PLACE;

import dev.skerry.dataplane.memory.Region;

import java.util.Arrays;

/**
 * Packets that never joined their queue because it was full, by queue of a bank, oldest first. Packets of a queue are
 * arithmetic, so missing ones must be remembered; taking packets out steps over them.
 *
 * <pre>
 *   one gap     first packet missing (flow, packet) | packet that follows (flow, packet) | bytes between | next gap
 * </pre>
 *
 * A queue whose packets all come has no gap and costs two numbers. Grows when it must, never shrinks. One thread.
 */
final class Gaps {
    private static final int NONE = -1;

    private final int[] head;
    private final int[] tail;
    private int[] from = new int[4 * 16];
    private long[] bytes = new long[16];
    private int[] next = new int[16];
    private int free = NONE;
    private int used;

    /** No queue misses anything. */
    Gaps(final int queues) {
        this.head = new int[queues];
        this.tail = new int[queues];
        Arrays.fill(head, NONE);
    }

    /**
     * The newest packets of a queue are missing. What is missing at the same place becomes one gap.
     *
     * @param stream bytes that they would have taken in the stream.
     */
    void add(final int queue, final int flow, final int packet, final int nextFlow, final int nextPacket,
        final long stream) {
        int gap = tail[queue];
        if (head[queue] == NONE || from[4 * gap + 2] != flow || from[4 * gap + 3] != packet) {
            gap = take();
            from[4 * gap] = flow;
            from[4 * gap + 1] = packet;
            bytes[gap] = 0;
            if (head[queue] == NONE) {
                head[queue] = gap;
            } else {
                next[tail[queue]] = gap;
            }
            next[gap] = NONE;
            tail[queue] = gap;
        }
        from[4 * gap + 2] = nextFlow;
        from[4 * gap + 3] = nextPacket;
        bytes[gap] += stream;
    }

    /** Bytes that are missing just before the next packet that joins a queue. */
    long open(final int queue, final int flow, final int packet) {
        final int gap = tail[queue];
        return head[queue] == NONE || from[4 * gap + 2] != flow || from[4 * gap + 3] != packet ? 0 : bytes[gap];
    }

    /** Whether a packet of a queue is the first of the next ones missing. */
    boolean startsAt(final int queue, final int flow, final int packet) {
        final int gap = head[queue];
        return gap != NONE && from[4 * gap] == flow && from[4 * gap + 1] == packet;
    }

    /** The flow of the packet behind the oldest gap of a queue. */
    int flowAfter(final int queue) {
        return from[4 * head[queue] + 2];
    }

    /** The number of the packet behind the oldest gap of a queue. */
    int packetAfter(final int queue) {
        return from[4 * head[queue] + 3];
    }

    /** Forgets the oldest gap of a queue: the bytes of the stream that it stands for. */
    long remove(final int queue) {
        final int gap = head[queue];
        head[queue] = next[gap];
        next[gap] = free;
        free = gap;
        return bytes[gap];
    }

    /**
     * Steps over packets that never joined a queue: receivers see by the places that they are missing.
     *
     * @param queues records of the queues.
     * @param at     where that of the queue begins.
     */
    void stepOver(final int queue, final Region queues, final long at) {
        while (startsAt(queue, queues.getInt(at, FLOW), queues.getInt(at, PACKET))) {
            queues.setInt(at, FLOW, flowAfter(queue));
            queues.setInt(at, PACKET, packetAfter(queue));
            queues.setInt(at, PLACE, (int) (queues.getInt(at, PLACE) + remove(queue)));
        }
    }

    private int take() {
        if (free != NONE) {
            final int gap = free;
            free = next[gap];
            return gap;
        }
        if (used == bytes.length) {
            from = Arrays.copyOf(from, 8 * used);
            bytes = Arrays.copyOf(bytes, 2 * used);
            next = Arrays.copyOf(next, 2 * used);
        }
        return used++;
    }
}
