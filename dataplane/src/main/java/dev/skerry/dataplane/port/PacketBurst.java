package dev.skerry.dataplane.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.MemifEnd.MemifBuffers;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Up to {@code capacity} packets of up to {@code maxBytes} bytes each, off-heap, in order. One thread at a time.
 *
 * <pre>
 *    table, 8 bytes a packet                     bytes: each packet starts on a cache line, short packets
 *          0        4        8                   are neighbours
 *          +--------+--------+                   +------------------+---------------------+-------
 *   8 * i  | offset | length |                   | packet 0    | 0  | packet 1        | 0 | ...
 *          +--------+--------+                   +------------------+---------------------+-------
 * </pre>
 * The bytes are a segment, like those of a slab, because they are copied in bulk by {@link MemorySegment#copy}, which
 * checks bounds.
 *
 * <p>The bytes of a lent burst ({@link PacketPort#txLend}) are the port's own buffers, one per packet, at the port's
 * buffer stride.
 */
public final class PacketBurst {
    /** Value used instead of a time stamp if the port does not know how long the packet has been waiting. */
    public static final long NO_STAMP = Long.MIN_VALUE;

    private static final int ENTRY_SHIFT = 3;
    private static final int LENGTH_SHIFT = Integer.SIZE;

    private final Region table;
    /** Time since which each packet has been waiting, in ns, or {@link #NO_STAMP}. */
    private final Region stamps;
    private final MemorySegment bytes;
    private final Region region;
    private final int maxBytes;
    /** Distance between packets in bytes; 0: the packet's length rounded up to whole lines. */
    private final int stride;
    private int capacity;
    private int size;
    private int end;

    /**
     * Creates an empty burst.
     *
     * @param arena    provides the memory; shared if the burst moves between threads.
     * @param capacity maximum number of packets, 1 to 65,536.
     * @param maxBytes maximum size of a packet, 1 to 2^24; rounded up to whole lines and multiplied by the capacity
     *                 below 2^31.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public PacketBurst(final Arena arena, final int capacity, final int maxBytes) {
        Bounds.require("capacity", capacity, 1, 1 << 16);
        Bounds.require("maxBytes", maxBytes, 1, 1 << 24);
        final long total = (long) capacity * aligned(maxBytes);
        Bounds.refuseIf(total > Integer.MAX_VALUE, "a burst must be below 2^31 bytes: capacity=", capacity,
            " maxBytes=", maxBytes);
        this.table = Region.allocate(arena, (long) capacity << ENTRY_SHIFT);
        this.stamps = Region.allocate(arena, (long) capacity << ENTRY_SHIFT);
        this.bytes = arena.allocate(total, Region.ALIGNMENT);
        this.region = Region.over(bytes);
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        this.stride = 0;
    }

    /** Creates a burst for lending consecutive buffers; it has no room until {@link #lend}. */
    PacketBurst(final MemifBuffers buffers) {
        this.table = Region.allocate(Arena.ofAuto(), (long) buffers.slots() << ENTRY_SHIFT);
        this.stamps = Region.allocate(Arena.ofAuto(), (long) buffers.slots() << ENTRY_SHIFT);
        this.bytes = buffers.segment();
        this.region = Region.over(bytes);
        this.maxBytes = buffers.bufferBytes();
        this.stride = buffers.strideBytes();
    }

    /** Empties the burst and gives it room for {@code packets} packets starting at {@code place}. */
    void lend(final int packets, final long place) {
        capacity = packets;
        size = 0;
        end = (int) place;
    }

    /** Maximum size of a packet in bytes. */
    public int maxBytes() {
        return maxBytes;
    }

    /** Number of packets held. */
    public int size() {
        return size;
    }

    /** Number of packets that still fit. */
    public int room() {
        return capacity - size;
    }

    /** The bytes of all packets; use it with {@link #offset}. */
    public MemorySegment bytes() {
        return bytes;
    }

    /**
     * The same bytes for word access without bounds checks. Accesses must be at {@link #offset} or, while there is
     * room, at {@link #place()}, and not beyond the line in which the packet ends.
     */
    public Region region() {
        return region;
    }

    /** Byte offset of a packet, 0 to {@code size() - 1}, in {@link #bytes()}. */
    public long offset(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return (int) table.getLong((long) packet << ENTRY_SHIFT);
    }

    /** Bytes of a packet, 1 to {@link #maxBytes()}. */
    public int length(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return (int) (table.getLong((long) packet << ENTRY_SHIFT) >>> LENGTH_SHIFT);
    }

    /**
     * Time at which a packet was ready for its port to receive it, by {@link System#nanoTime()}; {@link #NO_STAMP} if
     * the port does not know.
     *
     * @param packet 0 to {@code size() - 1}.
     */
    public long stamp(final int packet) {
        assert packet >= 0 && packet < size : "no such packet: packet=" + packet + " size=" + size;
        return stamps.getLong((long) packet << ENTRY_SHIFT);
    }

    /**
     * Sets the time at which the packet added last was ready for its port to receive it.
     *
     * @param ns a time by {@link System#nanoTime()}, not in the future.
     */
    public void stampLast(final long ns) {
        stamps.setLong((long) size - 1 << ENTRY_SHIFT, ns);
    }

    /** Removes all packets; not for a lent burst. */
    public void clear() {
        size = 0;
        end = 0;
    }

    /**
     * Byte offset of the next packet in {@link #bytes()}. While there is {@link #room}, write the packet there, then
     * call {@link #add}.
     */
    public long place() {
        return end;
    }

    /**
     * Adds the packet written at {@link #place()}. There must be room.
     *
     * @param length size in bytes, 1 to {@link #maxBytes()}.
     */
    public void add(final int length) {
        assert length > 0 && length <= maxBytes : "length=" + length + " maxBytes=" + maxBytes;
        assert size < capacity : "full: capacity=" + capacity;
        table.setLong((long) size << ENTRY_SHIFT, (long) length << LENGTH_SHIFT | end);
        stamps.setLong((long) size << ENTRY_SHIFT, NO_STAMP);
        size++;
        end += stride == 0 ? aligned(length) : stride;
    }

    /**
     * Appends a copy of a packet.
     *
     * @param source holds the packet.
     * @param offset offset of its first byte.
     * @param length size in bytes.
     * @return false if the burst is full, or the packet is empty or longer than {@link #maxBytes()}; nothing has
     *     changed then.
     * @throws IndexOutOfBoundsException if the packet is not inside the source; nothing has changed then.
     */
    public boolean append(final MemorySegment source, final long offset, final int length) {
        Objects.checkFromIndexSize(offset, length, source.byteSize());
        if (size == capacity || length < 1 || length > maxBytes) {
            return false;
        }
        MemorySegment.copy(source, offset, bytes, end, length);
        add(length);
        return true;
    }

    /**
     * Removes the packets from one on that do not match. The others keep their order and move together.
     *
     * @param first index of the first packet to look at.
     * @return packets removed.
     */
    public int keepMatching(final int first, final PacketTest test) {
        int kept = first;
        int next = first < size ? (int) offset(first) : end;
        for (int packet = first; packet < size; packet++) {
            final long entry = table.getLong((long) packet << ENTRY_SHIFT);
            final int length = (int) (entry >>> LENGTH_SHIFT);
            if (test.matches(bytes, (int) entry, length)) {
                if (next != (int) entry) {
                    MemorySegment.copy(bytes, (int) entry, bytes, next, length);
                }
                table.setLong((long) kept << ENTRY_SHIFT, (long) length << LENGTH_SHIFT | next);
                stamps.setLong((long) kept << ENTRY_SHIFT, stamps.getLong((long) packet << ENTRY_SHIFT));
                kept++;
                next += stride == 0 ? aligned(length) : stride;
            }
        }
        end = next;
        final int removed = size - kept;
        size = kept;
        return removed;
    }

    /** A condition on packets. */
    @FunctionalInterface
    public interface PacketTest {
        /**
         * Whether a packet matches.
         *
         * @param bytes  memory of the packet.
         * @param offset offset of its first byte.
         * @param length its bytes.
         */
        boolean matches(MemorySegment bytes, long offset, int length);
    }

    private static int aligned(final int length) {
        return length + Region.ALIGNMENT - 1 & -Region.ALIGNMENT;
    }
}
