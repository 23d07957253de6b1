package dev.skerry.dataplane.ring;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A bounded off-heap queue of packets from any number of threads to one. Packets of a producer are received in the
 * order in which it offered them. Actions of a producer before an offer happen-before actions of the consumer after it
 * has seen that packet.
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
    /** Returned by {@link #peek} if no packet has arrived. */
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
     * Creates an empty queue.
     *
     * @param arena    provides the memory; shared if several threads use the queue.
     * @param packets  capacity, a power of two up to 2^20.
     * @param maxBytes maximum packet size, 1 to 65,536 bytes; rounded up to whole lines and multiplied by the capacity
     *                 below 2^31.
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

    /** Maximum packet size in bytes. */
    public int maxBytes() {
        return maxBytes;
    }

    /**
     * Appends a copy of a packet. Any thread may call.
     *
     * @param from   holds the packet.
     * @param offset offset of its first byte.
     * @param length size in bytes, 1 to {@link #maxBytes}.
     * @return false if the queue is full; nothing has changed then.
     * @throws IllegalArgumentException  if the packet is too long or empty.
     * @throws IndexOutOfBoundsException if the packet is not inside the segment.
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

    /** Appends a copy of a packet on the heap; see the method for segments. */
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

    /** Claims a place for the caller; returns its offset, or -1 if the queue is full. */
    private long claim(final int length) {
        Bounds.require("length", length, 1, maxBytes);
        while (true) {
            final long tail = (long) LONG.getAcquire(segment, TAIL);
            // The head is read after the tail, so it is not older than the one against which this tail was checked.
            if (tail - (long) LONG.getAcquire(segment, HEAD) > mask) {
                return -1;
            }
            if (LONG.compareAndSet(segment, TAIL, tail, tail + 1)) {
                return PLACES + (tail & mask) * stride;
            }
        }
    }

    /** Size of the next packet in bytes; {@link #NONE} if it has not arrived. Called by the consumer. */
    public int peek() {
        return (int) (long) LONG.getAcquire(segment, PLACES + (head & mask) * stride);
    }

    /** The memory of all packets; the next one begins at {@link #offset}. */
    public MemorySegment bytes() {
        return segment;
    }

    /**
     * Offset of the next packet in {@link #bytes}. Called by the consumer, after {@link #peek} has returned its length.
     */
    public long offset() {
        return PLACES + (head & mask) * stride + Long.BYTES;
    }

    /** Frees the place of the next packet, which {@link #peek} has returned. Called by the consumer. */
    public void release() {
        LONG.set(segment, PLACES + (head & mask) * stride, 0L);
        head++;
        LONG.setRelease(segment, HEAD, head);
    }

    /** Number of packets offered so far. Any thread may call. */
    public long offered() {
        return (long) LONG.getAcquire(segment, TAIL);
    }

    /** Number of packets released so far. Any thread may call. */
    public long released() {
        return (long) LONG.getAcquire(segment, HEAD);
    }
}
