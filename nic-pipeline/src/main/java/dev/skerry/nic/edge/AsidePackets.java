package dev.skerry.nic.edge;

import dev.skerry.dataplane.port.PacketBurst;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Packets that were taken from a port and wait outside it until their destination has room, so that those behind them
 * can go on: a first-in first-out list by destination over a fixed number of places. One thread.
 */
final class AsidePackets {
    /** Places. A port that was told to hold packets back may still have given a burst of them. */
    static final int PLACES = 2 * PacketIngress.BURST;
    private static final int NONE = -1;

    private final MemorySegment bytes;
    private final long stride;
    /** By place: the next place of its list, or of the free ones; bytes of the packet; when it came, in ns. */
    private final int[] next = new int[PLACES];
    private final int[] length = new int[PLACES];
    private final long[] cameNs = new long[PLACES];
    /** By destination. */
    private final int[] head;
    private final int[] tail;
    private int free;
    private int size;

    AsidePackets(final Arena arena, final int queues, final int mtuBytes) {
        // The memory of a burst lies as it is needed here, place by place.
        this.bytes = new PacketBurst(arena, PLACES, mtuBytes).bytes();
        this.stride = bytes.byteSize() / PLACES;
        this.head = new int[queues];
        this.tail = new int[queues];
        Arrays.fill(head, NONE);
        for (int place = 0; place < PLACES; place++) {
            next[place] = place + 1 == PLACES ? NONE : place + 1;
        }
    }

    /** Takes a packet; false, and nothing has changed, if all places are taken. */
    boolean add(final int to, final MemorySegment from, final long offset, final int packetBytes, final long nowNs) {
        final int place = free;
        if (place == NONE) {
            return false;
        }
        free = next[place];
        MemorySegment.copy(from, offset, bytes, place * stride, packetBytes);
        length[place] = packetBytes;
        cameNs[place] = nowNs;
        next[place] = NONE;
        if (head[to] == NONE) {
            head[to] = place;
        } else {
            next[tail[to]] = place;
        }
        tail[to] = place;
        size++;
        return true;
    }

    boolean isEmpty(final int to) {
        return head[to] == NONE;
    }

    /** Packets of all destinations. */
    int size() {
        return size;
    }

    MemorySegment bytes() {
        return bytes;
    }

    /** Offset of the first packet of a destination in {@link #bytes}. */
    long offset(final int to) {
        return head[to] * stride;
    }

    int length(final int to) {
        return length[head[to]];
    }

    long cameNs(final int to) {
        return cameNs[head[to]];
    }

    /** Removes the first packet of a destination. */
    void remove(final int to) {
        final int place = head[to];
        head[to] = next[place];
        next[place] = free;
        free = place;
        size--;
    }
}
