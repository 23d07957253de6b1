package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A bounded queue of packets from any number of threads to one, off-heap. Packets of a producer come out in the order
 * in which it offered them. What a producer did before an offer happens-before what the consumer does after it has
 * seen that packet.
 *
 * <pre>{@code
 * try (Arena arena = Arena.ofShared()) {
 *     PacketQueue queue = new PacketQueue(arena, 1_024, 1_514);
 *     byte[] packet = new byte[64];
 *     Thread.ofPlatform().start(() -> queue.offer(packet, 0, packet.length));
 *     while (queue.peek() == PacketQueue.NONE) {
 *         Thread.onSpinWait();
 *     }
 *     MemorySegment received = queue.bytes().asSlice(queue.offset(), queue.peek());
 *     System.out.println(received.byteSize() + " bytes");
 *     queue.release();                               // the place is free for another packet
 * }
 * }</pre>
 *
 * <pre>
 *   byte
 *      0 | tail, 8 bytes: places claimed since creation   |  claimed by producers (compare and set)
 *    128 | head, 8 bytes: packets released since creation |  written by the consumer
 *    256 | place 0 | place 1 | ...                           stride bytes each
 *
 *   place: | length, 8 bytes; 0: not yet written | bytes of the packet ... |
 * </pre>
 *
 * <p>A producer claims the place at the tail, writes the packet and then its length, which publishes it. The consumer
 * reads the place at the head, sets its length to 0 and publishes the new head, which frees the place. The consumer
 * waits for a producer that has claimed a place and not yet published it. Nothing allocates after construction.
 */
public final class PacketQueue {
    /** Returned by {@link #peek} when no packet has come. */
    public static final int NONE = 0;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final long TAIL = 0;
    private static final long HEAD = SpscRing.BLOCK_BYTES;
    private static final long PLACES = HEAD + SpscRing.BLOCK_BYTES;

    private final MemorySegment segment;
    private final long mask;
    private final long stride;
    private final int maxBytes;
    /** The consumer's own position. */
    private long head;

    /**
     * An empty queue.
     *
     * @param arena    gives the memory; shared if several threads use the queue.
     * @param packets  capacity, a power of two up to 2^20.
     * @param maxBytes longest packet, 1 to 65,536 bytes; capacity times this, rounded up to whole lines, is below 2^31.
     */
    public PacketQueue(final Arena arena, final int packets, final int maxBytes) {
        Bounds.require("packets", packets, 1, 1 << 20);
        Bounds.require("maxBytes", maxBytes, 1, 1 << 16);
        Bounds.refuseIf(Integer.bitCount(packets) != 1, "the capacity is a power of two: packets=", packets);
        this.stride = maxBytes + Long.BYTES + Region.ALIGNMENT - 1 & -Region.ALIGNMENT;
        Bounds.refuseIf(packets * stride > Integer.MAX_VALUE, "a queue is below 2^31 bytes: packets=", packets,
            " maxBytes=", maxBytes);
        this.mask = packets - 1;
        this.maxBytes = maxBytes;
        this.segment = arena.allocate(PLACES + packets * stride, SpscRing.BLOCK_BYTES);
    }

    /** Longest packet in bytes. */
    public int maxBytes() {
        return maxBytes;
    }

    /**
     * Copies a packet behind the others. Any thread.
     *
     * @param from   holds it.
     * @param offset of its first byte.
     * @param length its bytes, 1 to {@link #maxBytes}.
     * @return false if the queue is full; nothing has changed.
     * @throws IllegalArgumentException  if it is too long or empty.
     * @throws IndexOutOfBoundsException if it is not inside the segment.
     */
    public boolean offer(final MemorySegment from, final long offset, final int length) {
        Objects.checkFromIndexSize(offset, length, from.byteSize());
        final long place = claim(length);
        if (place < 0) {
            return false;
        }
        MemorySegment.copy(from, offset, segment, place + Long.BYTES, length);
        LONG.setRelease(segment, place, (long) length);
        return true;
    }

    /** The same for a packet on the heap. */
    public boolean offer(final byte[] from, final int offset, final int length) {
        Objects.checkFromIndexSize(offset, length, from.length);
        final long place = claim(length);
        if (place < 0) {
            return false;
        }
        MemorySegment.copy(from, offset, segment, ValueLayout.JAVA_BYTE, place + Long.BYTES, length);
        LONG.setRelease(segment, place, (long) length);
        return true;
    }

    /** Offset of a place that belongs to the caller; -1 if the queue is full. */
    private long claim(final int length) {
        Bounds.require("length", length, 1, maxBytes);
        while (true) {
            final long tail = (long) LONG.getAcquire(segment, TAIL);
            // The head is read after the tail, so it is not behind the one that this tail was checked against.
            if (tail - (long) LONG.getAcquire(segment, HEAD) > mask) {
                return -1;
            }
            if (LONG.compareAndSet(segment, TAIL, tail, tail + 1)) {
                return PLACES + (tail & mask) * stride;
            }
        }
    }

    /** Bytes of the next packet; {@link #NONE} if it has not come. The consumer calls. */
    public int peek() {
        return (int) (long) LONG.getAcquire(segment, PLACES + (head & mask) * stride);
    }

    /** The memory of all packets; the next one begins at {@link #offset}. */
    public MemorySegment bytes() {
        return segment;
    }

    /** Offset of the next packet in {@link #bytes}. The consumer calls, after {@link #peek} has returned its length. */
    public long offset() {
        return PLACES + (head & mask) * stride + Long.BYTES;
    }

    /** Frees the place of the next packet, which {@link #peek} has returned. The consumer calls. */
    public void release() {
        LONG.set(segment, PLACES + (head & mask) * stride, 0L);
        head++;
        LONG.setRelease(segment, HEAD, head);
    }

    /** Packets offered so far. Any thread. */
    public long offered() {
        return (long) LONG.getAcquire(segment, TAIL);
    }

    /** Packets released so far. Any thread. */
    public long released() {
        return (long) LONG.getAcquire(segment, HEAD);
    }
}
